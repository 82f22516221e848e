import type { StoredDelivery, StoredEvidence, StoredRenewal, StoredStamp } from '@acuse/evidence/assemble';
import { equalBytes, toHex, utf8 } from '@acuse/evidence/bytes';
import { parseNote } from '@acuse/evidence/note';
import { erasedOpenings, openMessage } from '@acuse/evidence/openings';
import type { PinnedKey, TrustPolicy } from '@acuse/evidence/policy';
import { readTimeStampPolicy } from '@acuse/evidence/timestamp/manifest';
import type { TimeStampPolicy } from '@acuse/evidence/timestamp/policy';
import type { TlogProof } from '@acuse/evidence/tlog-proof';
import type { VerifierKey } from '@acuse/evidence/verifier-key';
import { countOperators } from '@acuse/evidence/witness';
import { hideToken } from '@acuse/mail/hide-token';
import { sha256 } from '../../platform/sha256.ts';
import type { Witnesses } from '../log/witnesses.ts';
import { revocationName } from '../renewal/renewal-entries.ts';
import type { RenewalRow } from '../renewal/renewal-store.ts';
import type { IssuedRow } from '../stamp/issued-store.ts';
import type { RevocationRow } from '../stamp/revocation-store.ts';
import type { StampColumns } from '../stamp/stamp-columns.ts';
import type { SealedProof } from './evidence.ts';
import type { MessageContentRow, MessageLeafRow, StampRow } from './evidence-store.ts';
import { isWhole, type OutcomeContent } from './outcome-contents.ts';

export interface StoredRows {
  readonly proof: SealedProof;
  readonly own: MessageLeafRow;
  readonly content: MessageContentRow | undefined;
  /** Recorded as erased; earlier reads are then not shown. */
  readonly erased: boolean;
  readonly key: VerifierKey;
  readonly logEnd: string | null;
  readonly secondKeys: readonly PinnedKey[];
  readonly inclusion: TlogProof;
  readonly outcomes: readonly StoredOutcome[];
  /** Over its canonical hash alone. */
  readonly messageStamp: StampColumns | undefined;
  readonly renewals: readonly RenewalRow[];
  readonly revocation: readonly RevocationRow[];
  readonly issued: readonly IssuedRow[];
  readonly history: string | null;
  readonly outcomesNote: string | null;
}

export interface StoredOutcome {
  readonly leaf: MessageLeafRow;
  readonly content: OutcomeContent;
  readonly inclusion: TlogProof;
  readonly stamp: StampRow | undefined;
}

export function stampsOf({
  proof,
  outcomes,
  messageStamp,
  renewals,
}: Pick<StoredRows, 'proof' | 'outcomes' | 'messageStamp' | 'renewals'>): StampColumns[] {
  return [
    proof.stamp,
    ...renewals,
    ...outcomes.flatMap(({ stamp }) => stamp ?? []),
    ...(messageStamp === undefined ? [] : [messageStamp]),
  ];
}

/**
 * All known witnesses and the configured quorum, or the smallest number that cosigned. A witness outage
 * weakens a bundle, but does not prevent it: stricter verifiers pin their own policy.
 */
export function witnessPolicy(
  { list, quorum }: Witnesses,
  proofs: readonly TlogProof[],
): Pick<TrustPolicy, 'witnessKeys' | 'witnessQuorum' | 'witnessReached'> {
  const witnessKeys = list.map(({ key }) => key);
  const reached = Math.min(
    ...proofs.map(({ checkpointNote }) => {
      const { signatures } = parseNote(utf8(checkpointNote));
      const signed = witnessKeys.filter((key) =>
        signatures.some(({ name, keyId }) => name === key.name && equalBytes(keyId, key.keyId)),
      );
      return countOperators(signed);
    }),
  );
  return { witnessKeys, witnessQuorum: quorum, ...(reached < quorum && { witnessReached: reached }) };
}

export function toEvidence(rows: StoredRows, policy: TrustPolicy): StoredEvidence {
  const { proof, own, content, inclusion, outcomes, messageStamp } = rows;
  const canonicalHash = toHex(sha256(own.manifest));
  const secret = own.openings;
  const mail = { mailFrom: hideToken(proof.reversePath), rcptTo: proof.recipientAddress };
  const opened = content !== undefined && secret !== null && !rows.erased;
  return {
    manifest: own.manifest,
    // Content and secret are erased together; one alone opens nothing.
    openings: opened
      ? openMessage(canonicalHash, { ...content, ...mail }, secret, sha256)
      : erasedOpenings(canonicalHash),
    ...(opened && { message: content.raw, submission: content.submission }),
    proof: inclusion,
    constancia: toStamp(proof.stamp, rows.issued),
    ...(messageStamp !== undefined && { messageConstancia: toStamp(messageStamp, rows.issued) }),
    renewals: rows.renewals.map((row) => toRenewal(row, rows.issued)),
    deliveries: outcomes.map((outcome) => toDelivery(outcome, rows)),
    revocation: new Map(rows.revocation.map((row) => [revocationName(row), row.content])),
    ...(rows.history !== null && { history: rows.history }),
    ...(rows.outcomesNote !== null && { outcomesNote: rows.outcomesNote }),
    ...(rows.outcomesNote !== null && rows.logEnd !== null && { logEnd: rows.logEnd }),
    policy,
  };
}

/** Salts and contents are erased together; one alone opens nothing, and the leaf is closed. */
function toDelivery(
  { leaf, content, inclusion, stamp }: StoredOutcome,
  { erased, issued }: Pick<StoredRows, 'erased' | 'issued'>,
): StoredDelivery {
  const openings = erased ? null : leaf.openings;
  const { transcript, dsn } = content;
  return {
    manifest: leaf.manifest,
    proof: inclusion,
    ...(openings !== null &&
      isWhole(content) && { openings, ...(transcript && { transcript }), ...(dsn && { dsn }) }),
    ...(stamp !== undefined && { constancia: toStamp(stamp, issued) }),
  };
}

function toRenewal(row: RenewalRow, issued: readonly IssuedRow[]): StoredRenewal {
  return { ...toStamp(row, issued), sums: row.sums, ...(row.list !== null && { list: row.list }) };
}

function toStamp(
  { token, policy, profile, genTime, chain }: StampColumns,
  issued: readonly IssuedRow[],
): StoredStamp {
  const hash = issued.length === 0 ? undefined : sha256(token);
  const beside = hash && issued.find(({ tokenSha256 }) => equalBytes(tokenSha256, hash));
  return {
    token,
    ...(beside !== undefined && { issued: beside.content }),
    facts: {
      profile: readTimeStampPolicy(policy).profile,
      development: profile === 'development',
      genTime: genTime.toISOString(),
      certificates: chain,
    },
  };
}

export function distinctPolicies(stamps: readonly StampColumns[]): TimeStampPolicy[] {
  const policies = stamps.map(({ policy }) => readTimeStampPolicy(policy));
  return [...new Map(policies.map((policy) => [JSON.stringify(policy), policy])).values()];
}
