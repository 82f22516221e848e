import { findRecordsBeginAt } from '../retention/forget-store.ts';
import type { Count } from '../retention/retention-run.ts';
import { countRecordsDue } from '../retention/retention-run.ts';
import type { Group } from './examine.ts';
import { type Finding, fault, ok } from './finding.ts';

/** Records that a service of an earlier version kept for ever are announced before they are deleted. */
export const retention: Group = async ({ db, clock, config }) => {
  if (db === null) return [];
  const now = clock.now();
  const beginsAt = await findRecordsBeginAt(db);
  const { plainRetentionDays: plainDays, plainRecordDays: recordDays } = config;
  const at = beginsAt > now ? beginsAt : now;
  const due = await countRecordsDue({ db, plainDays, recordDays }, at);
  return [judgeRecords(due, { recordDays, beginsAt }, now)];
};

export function judgeRecords(
  { found, more }: Count,
  { recordDays, beginsAt }: { readonly recordDays: number; readonly beginsAt: Date },
  now: Date,
): Finding {
  const place = ['retention', 'records'] as const;
  const count = `${found}${more ? ' or more' : ''}`;
  if (beginsAt <= now || found === 0)
    return ok(...place, `Records of plain messages are kept for ${recordDays} days; ${count} are due.`);
  return fault(
    'warning',
    place,
    `Records of plain messages were kept for ever before; from ${beginsAt.toISOString()} on they are deleted after ${recordDays} days: ${count} of them then.`,
    'export what you need, or set ACUSE_PLAIN_RECORD_DAYS, or acuse tenants update <id> --plain-record-days for an account; acuse retention run --records begins now',
  );
}
