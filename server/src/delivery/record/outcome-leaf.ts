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

export interface Outcome {
  readonly tenantId: string;
  readonly messageId: string;
  readonly kind: DeliveryKind;
  readonly source: DeliverySource;
  readonly occurredAt: Date;
  readonly attempt: number;
  readonly facts: DeliveryFacts;
  readonly transcript: Uint8Array | null;
  readonly dsn: Uint8Array | null;
}

export const NO_FACTS: DeliveryFacts = { ip: null, mx: null, reply: null, reported_by_mail: null, tls: null };

/** `secret`: 32 random bytes. Takes some tens of microseconds. */
export function makeOutcomeLeaf(outcome: Outcome, end: ChainEnd, secret: Uint8Array): NewOutcomeLeaf {
  const { tenantId, messageId, occurredAt } = outcome;
  const { canonicalHash, manifestBytes, openings } = buildDeliveryManifest(
    {
      messageId,
      occurredAt,
      kind: outcome.kind,
      source: outcome.source,
      attempt: outcome.attempt,
      facts: outcome.facts,
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
    // Leaves are ordered by id: the previous one may come from a faster clock.
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

/** Content too large for a bundle is not committed to: it could never be opened. */
function fitting(file: string, content: Uint8Array | null): Uint8Array | null {
  const limit = entryLimit(`delivery/01-sent.${file}`) ?? 0;
  return content !== null && content.length <= limit ? content : null;
}

/** The exact bytes of `transcript.json`; stored sessions serialise to the same bytes. RFC 8785 */
export function transcriptOf(sessions: readonly SessionRecord[]): Uint8Array {
  return jcsBytes(sessions);
}

/** Null: not a final attempt. */
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

/** Without a session it was our decision, and no server is named. */
function sourceOf({ sessions, mx }: Attempted): 'session' | 'operator' {
  return sessions.length === 0 || mx === null ? 'operator' : 'session';
}

function factsOf({ sessions, mx, tls, decision }: Attempted): DeliveryFacts {
  const { code, enhanced, text } = decision.reply;
  return {
    // The last session with the deciding host.
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
