import { utf8 } from '@acuse/evidence/bytes';
import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { EvidenceError } from '@acuse/evidence/errors';
import { MAX_RENEWALS, renewalImprint, renewalSums } from '@acuse/evidence/renewal';
import { readTimeStampPolicy } from '@acuse/evidence/timestamp/manifest';
import type { ExpectedTimeStamp } from '@acuse/evidence/timestamp/policy';
import { verifyTimeStamp } from '@acuse/evidence/timestamp/verify';
import type { VerifierKey } from '@acuse/evidence/verifier-key';
import { ed25519 } from '../../platform/ed25519.ts';
import { sha256 } from '../../platform/sha256.ts';
import type { RevocationRow } from '../stamp/revocation-store.ts';
import type { StampColumns } from '../stamp/stamp-columns.ts';
import { renewedEntries } from './renewal-entries.ts';
import type { ClaimedRenewal, RenewalRow } from './renewal-store.ts';

/** A constancia that still holds, with its renewals. A broken chain cannot be repaired. */
export type Renewable =
  | {
      readonly kind: 'renewable';
      readonly batch: ClaimedRenewal;
      readonly ordinal: number;
      readonly sums: string;
      readonly coveredUntil: Date;
    }
  | { readonly kind: 'broken'; readonly batch: ClaimedRenewal; readonly reason: string };

export async function toRenewable(
  batch: ClaimedRenewal,
  renewals: readonly RenewalRow[],
  revocation: readonly RevocationRow[],
  logKey: VerifierKey,
  now: Date,
): Promise<Renewable> {
  try {
    if (renewals.length >= MAX_RENEWALS) throw new EvidenceError('renewal', `renewed ${MAX_RENEWALS} times`);
    const { note, checkpoint } = openCheckpoint(batch.note, [logKey], ed25519);
    if (checkpoint.size !== batch.treeSize)
      throw new EvidenceError('checkpoint', `is signed for ${checkpoint.size}`);
    const coveredUntil = await assertHolds(batch, note.text, renewals, now);
    const entries = renewedEntries(note.text, batch, renewals, revocation);
    const ordinal = renewals.length + 1;
    return { kind: 'renewable', batch, ordinal, sums: renewalSums(entries, ordinal), coveredUntil };
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    return { kind: 'broken', batch, reason: error.message };
  }
}

/** Each link must hold until the next, the last until now. */
async function assertHolds(
  constancia: StampColumns,
  checkpointText: string,
  renewals: readonly RenewalRow[],
  now: Date,
): Promise<Date> {
  const sealed: ExpectedTimeStamp = { imprint: sha256(utf8(checkpointText)), hashAlgorithm: 'sha256' };
  const links: [StampColumns, ExpectedTimeStamp][] = [
    [constancia, sealed],
    ...renewals.map((renewal): [StampColumns, ExpectedTimeStamp] => [
      renewal,
      { imprint: renewalImprint(renewal.list ?? renewal.sums), hashAlgorithm: 'sha512' },
    ]),
  ];
  let end = new Date(0);
  for (const [i, [stamp, expected]] of links.entries()) {
    const at = links[i + 1]?.[0].genTime ?? now;
    const policy = readTimeStampPolicy(stamp.policy);
    const result = await verifyTimeStamp(stamp.token, expected, policy, stamp.chain, at);
    if (!result.ok) {
      const failed = result.checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`);
      throw new EvidenceError(i === 0 ? 'constancia' : `renewal ${i}`, failed.join('; '));
    }
    end = new Date(result.facts.chainNotAfter);
  }
  return end;
}
