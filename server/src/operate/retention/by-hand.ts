import { fromCommandLine } from '../../accounts/audit/append.ts';
import { COUNTED_MAX } from '../../platform/database/shared-read.ts';
import { firstIdAt } from '../../platform/ids.ts';
import { type EraseDeps, eraseMessage } from './erase.ts';
import { listCertified } from './erase-store.ts';
import { certifiedCutoff, plainCutoff } from './periods.ts';
import {
  countCertified,
  countDeletions,
  countDuePlain,
  type DeletionCount,
  type Looked,
  listTenants,
} from './status-store.ts';
import { BEFORE_ALL, type SweepDeps, sweepTenant } from './sweep.ts';
import { advanceSweep, findSweptTo } from './sweep-store.ts';

export interface ByHandDeps extends SweepDeps, EraseDeps {}

export interface RetentionRun {
  readonly plain: { readonly messages: number; readonly bytes: number };
  /** Null: not asked for. */
  readonly certified: { readonly messages: number; readonly bytes: number } | null;
}

const CERTIFIED_PAGE = 500;

/**
 * Deletes expired plain content now. `certified`: the caller's name; also erases expired certified messages,
 * which never happens automatically.
 */
export async function runRetention(
  deps: ByHandDeps,
  certified: { readonly by: string } | null,
): Promise<RetentionRun> {
  const plain = { messages: 0, bytes: 0 };
  const erased = { messages: 0, bytes: 0 };
  for (const tenantId of await listTenants(deps.db)) {
    await sweepAll(deps, tenantId, plain);
    if (certified !== null) await erasePast(deps, tenantId, certified.by, erased);
  }
  return { plain, certified: certified === null ? null : erased };
}

interface Tally {
  messages: number;
  bytes: number;
}

async function sweepAll(deps: SweepDeps, tenantId: string, tally: Tally): Promise<void> {
  const swept = await sweepTenant(deps, tenantId, await findSweptTo(deps.db, tenantId));
  tally.messages += swept.messages;
  tally.bytes += swept.bytes;
  if (swept.sweptTo !== null) await advanceSweep(deps.db, tenantId, swept.sweptTo, deps.clock.now());
}

async function erasePast(deps: ByHandDeps, tenantId: string, by: string, tally: Tally): Promise<void> {
  const before = firstIdAt(certifiedCutoff(deps.clock.now(), deps.certifiedYears));
  const reason = `its ${deps.certifiedYears} years are over`;
  const source = fromCommandLine('retention');
  for (let after = BEFORE_ALL; ; ) {
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
  readonly certifiedYears: number;
  readonly plainDue: Count;
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
  const { db, clock, plainDays, certifiedYears } = deps;
  const now = clock.now();
  const cutoff = plainCutoff(now, plainDays);
  const past = certifiedCutoff(now, certifiedYears);
  const tenants = await listTenants(db);
  return {
    plainDays,
    certifiedYears,
    plainDue: await countOver(tenants, limit, (tenantId, left) =>
      countDuePlain(db, tenantId, { first: BEFORE_ALL, before: firstIdAt(cutoff), cutoff, limit: left }),
    ),
    certifiedPast: await countOver(tenants, limit, (tenantId, left) =>
      countCertified(db, tenantId, { before: firstIdAt(past), cutoff: past, limit: left }),
    ),
    deleted: await db.observe((tx) => countDeletions(tx, 'retention', limit)),
    erased: await db.observe((tx) => countDeletions(tx, 'erasure', limit)),
  };
}

async function countOver(
  tenants: readonly string[],
  limit: number,
  count: (tenantId: string, left: number) => Promise<Looked>,
): Promise<Count> {
  let [left, found] = [limit, 0];
  for (const tenantId of tenants) {
    if (left === 0) break;
    const one = await count(tenantId, left);
    left -= one.looked;
    found += one.found;
  }
  return { found, more: left === 0 };
}
