import { toHex } from '@acuse/evidence/bytes';
import { EvidenceError } from '@acuse/evidence/errors';
import { renewalImprint, renewedText } from '@acuse/evidence/renewal';
import type { TimeStampFacts } from '@acuse/evidence/timestamp/policy';
import type { Db } from '../../platform/database/db.ts';
import { renewedEntries } from '../renewal/renewal-entries.ts';
import { type RenewalRow, readRenewals } from '../renewal/renewal-store.ts';
import { readRevocation } from '../stamp/revocation-store.ts';
import type { StampColumns } from '../stamp/stamp-columns.ts';
import { checkStamp, type StampCheck } from './fsck-stamp.ts';
import type { FsckCheckpointRow } from './fsck-store.ts';

export function readBatchRenewals(db: Db, logId: string, row: FsckCheckpointRow): Promise<RenewalRow[]> {
  return row.renewals === 0 ? Promise.resolve([]) : readRenewals(db, [{ logId, treeSize: row.treeSize }]);
}

/** Each must cover its predecessors and hold until the next. Facts of the last; null: one fails. */
export async function checkRenewals(
  db: Db,
  stamps: StampCheck,
  subject: string,
  sealed: { checkpointText: string; constancia: StampColumns; renewals: readonly RenewalRow[] },
): Promise<TimeStampFacts | null> {
  const { checkpointText, constancia, renewals } = sealed;
  const problem = (detail: string) => stamps.report.problem('renewal', subject, detail);
  const hashes = [constancia, ...renewals].flatMap(({ revocation }) => revocation);
  const distinct = [...new Map(hashes.map((hash) => [toHex(hash), hash])).values()];
  const entries = renewedEntries(checkpointText, constancia, renewals, await readRevocation(db, distinct));
  let last: TimeStampFacts | null = null;
  for (const [i, renewal] of renewals.entries()) {
    if (renewal.ordinal !== i + 1) problem(`renewal ${i + 1} is missing`);
    try {
      const imprint = renewalImprint(renewedText(entries, i + 1));
      const name = `${subject} renewal ${i + 1}`;
      const at = renewals[i + 1]?.genTime;
      last = await checkStamp(stamps, name, renewal, { imprint, hashAlgorithm: 'sha512' }, at);
    } catch (error) {
      if (!(error instanceof EvidenceError)) throw error;
      problem(error.message);
      return null;
    }
  }
  return last;
}
