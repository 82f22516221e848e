import { fromCommandLine } from '../../accounts/audit/append.ts';
import { sweepApprovals } from '../../messages/approvals.ts';
import { COUNTED_MAX } from '../../platform/database/shared-read.ts';
import { FIRST_ID, firstIdAt } from '../../platform/ids.ts';
import { type EraseDeps, eraseMessage } from './erase.ts';
import { listCertified } from './erase-store.ts';
import { findRecordsBeginAt } from './forget-store.ts';
import { certifiedCutoff, plainCutoff, recordCutoff } from './periods.ts';
import {
  countCertified,
  countDeletedRecords,
  countDeletions,
  countDuePlain,
  countDueRecords,
  type DeletionCount,
  type Looked,
  listTenants,
  type SweptTenant,
} from './status-store.ts';
import { type RecordSweepDeps, sweepRecords, sweepTenant } from './sweep.ts';
import { advanceSweep, findSweptTo } from './sweep-store.ts';

export interface ByHandDeps extends RecordSweepDeps, EraseDeps {}

interface RetentionRun {
  readonly plain: { readonly messages: number; readonly bytes: number };
  /** Null: not asked for, before the installation begins with it. */
  readonly records: { readonly messages: number } | null;
  readonly certified: { readonly messages: number; readonly bytes: number } | null;
}

const CERTIFIED_PAGE = 500;

interface RunOptions {
  /** Records even before the installation begins with it. */
  readonly records: boolean;
  /** The caller's name; also erases expired certified messages, which never happens automatically. */
  readonly certified: { readonly by: string } | null;
}

export async function runRetention(
  deps: ByHandDeps,
  { records, certified }: RunOptions,
): Promise<RetentionRun> {
  const plain = { messages: 0, bytes: 0 };
  const forgotten = { messages: 0, bytes: 0 };
  const erased = { messages: 0, bytes: 0 };
  const begun = records || (await findRecordsBeginAt(deps.db)) <= deps.clock.now();
  for (const tenant of await listTenants(deps.db)) {
    await sweepAll(deps, tenant, plain, begun ? forgotten : null);
    if (certified !== null) await erasePast(deps, tenant.tenantId, certified.by, erased);
  }
  return {
    plain,
    records: begun ? { messages: forgotten.messages } : null,
    certified: certified === null ? null : erased,
  };
}

interface Tally {
  messages: number;
  bytes: number;
}

async function sweepAll(
  deps: RecordSweepDeps,
  tenant: SweptTenant,
  plain: Tally,
  records: Tally | null,
): Promise<void> {
  const { db, clock } = deps;
  const { tenantId } = tenant;
  await sweepApprovals(deps, tenantId);
  const from = await findSweptTo(db, tenantId);
  const content = await sweepTenant(deps, tenantId, from.sweptTo);
  plain.messages += content.messages;
  plain.bytes += content.bytes;
  let { recordsTo } = from;
  if (records !== null) {
    const gone = await sweepRecords(deps, tenant, recordsTo);
    records.messages += gone.messages;
    recordsTo = gone.sweptTo;
  }
  if (content.sweptTo !== null || recordsTo !== null)
    await advanceSweep(db, tenantId, { sweptTo: content.sweptTo, recordsTo }, clock.now());
}

async function erasePast(deps: ByHandDeps, tenantId: string, by: string, tally: Tally): Promise<void> {
  const before = firstIdAt(certifiedCutoff(deps.clock.now(), deps.certifiedYears));
  const reason = `its ${deps.certifiedYears} years are over`;
  const source = fromCommandLine('retention');
  for (let after = FIRST_ID; ; ) {
    const ids = await deps.db.transact((tx) => listCertified(tx, tenantId, after, before, CERTIFIED_PAGE));
    for (const messageId of ids) {
      // Its years count from its last event: still guarded.
      const erasure = await eraseMessage(deps, { messageId, tenantId, reason, by, force: false, source });
      if (erasure.kind !== 'erased' || erasure.already) continue;
      tally.messages++;
      tally.bytes += erasure.bytes;
    }
    const last = ids.at(-1);
    if (last === undefined || ids.length < CERTIFIED_PAGE) return;
    after = last;
  }
}

export interface RetentionStatus {
  readonly plainDays: number;
  readonly recordDays: number;
  readonly certifiedYears: number;
  readonly plainDue: Count;
  readonly recordsDue: Count;
  readonly recordsDeleted: number;
  /** Null: it deletes them already. */
  readonly recordsBeginAt: Date | null;
  readonly certifiedPast: Count;
  readonly deleted: DeletionCount;
  readonly erased: DeletionCount;
}

/** `more`: counting stopped. */
export interface Count {
  readonly found: number;
  readonly more: boolean;
}

/** `limit`: messages examined per count. */
export async function readRetentionStatus(deps: ByHandDeps, limit = COUNTED_MAX): Promise<RetentionStatus> {
  const { db, clock, plainDays, recordDays, certifiedYears } = deps;
  const now = clock.now();
  const cutoff = plainCutoff(now, plainDays);
  const past = certifiedCutoff(now, certifiedYears);
  const tenants = await listTenants(db);
  const beginsAt = await findRecordsBeginAt(db);
  return {
    plainDays,
    recordDays,
    certifiedYears,
    plainDue: await countOver(tenants, limit, ({ tenantId }, left) =>
      countDuePlain(db, tenantId, { first: FIRST_ID, before: firstIdAt(cutoff), cutoff, limit: left }),
    ),
    recordsDue: await countRecords(deps, tenants, now, limit),
    recordsDeleted: await sumOver(tenants, (tenantId) => countDeletedRecords(db, tenantId)),
    recordsBeginAt: beginsAt > now ? beginsAt : null,
    certifiedPast: await countOver(tenants, limit, ({ tenantId }, left) =>
      countCertified(db, tenantId, { before: firstIdAt(past), cutoff: past, limit: left }),
    ),
    deleted: await db.observe((tx) => countDeletions(tx, 'retention', limit)),
    erased: await db.observe((tx) => countDeletions(tx, 'erasure', limit)),
  };
}

/** Content past its period at `at`; examines `limit`. */
export async function countRecordsDue(
  deps: Pick<RecordSweepDeps, 'db' | 'plainDays' | 'recordDays'>,
  at: Date,
  limit = COUNTED_MAX,
): Promise<Count> {
  return countRecords(deps, await listTenants(deps.db), at, limit);
}

function countRecords(
  { db, plainDays, recordDays }: Pick<RecordSweepDeps, 'db' | 'plainDays' | 'recordDays'>,
  tenants: readonly SweptTenant[],
  at: Date,
  limit: number,
): Promise<Count> {
  return countOver(tenants, limit, ({ tenantId, ownDays }, left) => {
    const cutoff = recordCutoff(at, ownDays ?? recordDays, plainDays);
    return countDueRecords(db, tenantId, {
      ...{ first: FIRST_ID, before: firstIdAt(cutoff), cutoff },
      limit: left,
    });
  });
}

async function sumOver(
  tenants: readonly SweptTenant[],
  count: (tenantId: string) => Promise<number>,
): Promise<number> {
  let sum = 0;
  for (const { tenantId } of tenants) sum += await count(tenantId);
  return sum;
}

async function countOver(
  tenants: readonly SweptTenant[],
  limit: number,
  count: (tenant: SweptTenant, left: number) => Promise<Looked>,
): Promise<Count> {
  let [left, found] = [limit, 0];
  for (const tenant of tenants) {
    if (left === 0) break;
    const one = await count(tenant, left);
    left -= one.looked;
    found += one.found;
  }
  return { found, more: left === 0 };
}
