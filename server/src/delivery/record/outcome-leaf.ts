import { entryLimit } from '@acuse/evidence/bundle-entries';
import { buildDeliveryManifest } from '@acuse/evidence/delivery';
import type { DeliveryFacts, DeliverySource } from '@acuse/evidence/delivery-facts';
import type { DeliveryKind } from '@acuse/evidence/delivery-kinds';
import { jcsBytes } from '@acuse/evidence/jcs';
import type { ReportRecipe } from '@acuse/mail/report/own-report';
import type { ChainEnd, NewOutcomeLeaf } from '../../messages/leaves/chain-store.ts';
import { newIdAfter } from '../../platform/ids.ts';
import { sha256 } from '../../platform/sha256.ts';
import { writtenReport } from './reports.ts';
import type { Attempted, SessionRecord } from './result.ts';

/**
 * What became of a certified message, as a leaf of the log. Pure but for ids: the chain's end and the salts'
 * secret are arguments.
 */

export interface Outcome {
  readonly tenantId: string;
  readonly messageId: string;
  readonly kind: DeliveryKind;
  readonly source: DeliverySource;
  readonly occurredAt: Date;
  /** Attempts made until then. */
  readonly attempt: number;
  readonly facts: DeliveryFacts;
  readonly transcript: Uint8Array | null;
  readonly dsn: Uint8Array | null;
}

export const NO_FACTS: DeliveryFacts = { ip: null, mx: null, reply: null, reported_by_mail: null, tls: null };

/** `secret`: 32 random bytes. Some tens of microseconds, mostly hashing. */
export function makeOutcomeLeaf(outcome: Outcome, end: ChainEnd, secret: Uint8Array): NewOutcomeLeaf {
  const { tenantId, messageId, occurredAt } = outcome;
  const { canonicalHash, manifestBytes, openings } = buildDeliveryManifest(
    {
      ...outcome,
      log: end.logOrigin,
      messageCanonicalHash: end.messageHash,
      previous: end.lastHash,
      transcript: fitting('transcript.json', outcome.transcript),
      dsn: fitting('dsn.eml', outcome.dsn),
      secret,
    },
    sha256,
  );
  return {
    tenantId,
    // The log takes leaves by their ids: the clock of whoever wrote the one before may be ahead of ours.
    leafId: newIdAfter(end.lastLeafId),
    messageId,
    logId: end.logId,
    ordinal: end.lastOrdinal + 1,
    canonicalHash,
    manifest: manifestBytes,
    openings,
    createdAt: occurredAt,
  };
}

/**
 * What a bundle could not carry is not committed to: a commitment that can never be opened is worth nothing.
 */
function fitting(file: string, content: Uint8Array | null): Uint8Array | null {
  const limit = entryLimit(`delivery/01-sent.${file}`) ?? 0;
  return content !== null && content.length <= limit ? content : null;
}

/**
 * The exact bytes of `transcript.json`; the sessions of an attempt are stored as JSON and give the same bytes
 * when read again. RFC 8785
 */
export function transcriptOf(sessions: readonly SessionRecord[]): Uint8Array {
  return jcsBytes(sessions);
}

/** Null: an attempt that decided nothing. */
export function outcomeOf(result: Attempted, report: ReportRecipe | null): Outcome | null {
  const { item, decision, finishedAt, sessions } = result;
  const { kind } = decision.outcome;
  if (kind === 'deferred') return null;
  return {
    tenantId: item.tenantId,
    messageId: item.messageId,
    kind,
    source: sourceOf(result),
    occurredAt: finishedAt,
    attempt: item.attemptsMade + 1,
    facts: factsOf(result),
    transcript: sourceOf(result) === 'operator' ? null : transcriptOf(sessions),
    dsn: report && writtenReport(report, result),
  };
}

/**
 * Nobody answered where no session was opened: what was recorded is our own decision, and no server is named
 * for it.
 */
function sourceOf({ sessions, mx }: Attempted): 'session' | 'operator' {
  return sessions.length === 0 || mx === null ? 'operator' : 'session';
}

function factsOf({ sessions, mx, tls, decision }: Attempted): DeliveryFacts {
  const { code, enhanced, text } = decision.reply;
  return {
    // The last session with the host that decided; none where nobody was reached.
    ip: sessions.findLast((session) => session.mx === mx)?.address ?? null,
    mx,
    reply: { code, enhanced, text },
    reported_by_mail: null,
    tls: tls && {
      version: tls.version,
      cipher: tls.cipher,
      peer_certificate_sha256: tls.peerCertificateSha256,
    },
  };
}
