import { deleteAttempts } from '../../delivery/erase-store.ts';
import { deleteVerifications } from '../../evidence/bundle/verification-store.ts';
import { deleteMessages, takeClaims } from '../../messages/erase-store.ts';
import type { Pace } from '../../messages/search/collect.ts';
import { insertSpentKeys } from '../../messages/spent-key-store.ts';
import { hashOfKey } from '../../messages/spent-keys.ts';
import type { DbAndClock, Tx } from '../../platform/database/db.ts';
import { FIRST_ID, firstIdAt } from '../../platform/ids.ts';
import { deleteEvents } from '../../webhooks/erase-store.ts';
import { countDeleted, deleteShares, deleteTraces, type LockedRecord, lockRecords } from './forget-store.ts';
import { plainCutoff, recordCutoff } from './periods.ts';
import { type SweepPage, type SweptMessage, sweepPage } from './sweep-store.ts';

interface SweepDeps extends DbAndClock {
  readonly plainDays: number;
}

export interface RecordSweepDeps extends SweepDeps {
  readonly recordDays: number;
}

export interface Swept {
  readonly messages: number;
  readonly bytes: number;
  /** All plain messages up to this id are done. */
  readonly sweptTo: string | null;
  readonly more: boolean;
}

/** Few: a send that is committed beside a page waits for as long as the page takes (decision 0042). */
export const SWEEP_PAGE = 25;

const WITHOUT_REST: Pace = { mayGoOn: () => true, rest: async () => {} };

/**
 * Deletes expired content of an account's plain messages; records stay. Continues after `from`, page by page.
 * Safe to repeat and to run concurrently.
 */
export function sweepTenant(
  deps: SweepDeps,
  tenantId: string,
  from: string | null,
  pace: Pace = WITHOUT_REST,
): Promise<Swept> {
  return goThrough(
    deps,
    { tenantId, from, cutoff: plainCutoff(deps.clock.now(), deps.plainDays) },
    pace,
    (page) => deps.db.transact((tx) => sweepPage(tx, page)),
  );
}

/**
 * Deletes expired records of an account's plain messages, whose content is gone (docs/decisions/0059).
 * `ownDays`: the account's own period. Continues, and is safe, as sweepTenant.
 */
export function sweepRecords(
  deps: RecordSweepDeps,
  { tenantId, ownDays }: { readonly tenantId: string; readonly ownDays: number | null },
  from: string | null,
  pace: Pace = WITHOUT_REST,
): Promise<Swept> {
  const cutoff = recordCutoff(deps.clock.now(), ownDays ?? deps.recordDays, deps.plainDays);
  return goThrough(deps, { tenantId, from, cutoff }, pace, (page) =>
    deps.db.transact((tx) => forgetPage(tx, page)),
  );
}

interface Course {
  readonly tenantId: string;
  readonly from: string | null;
  readonly cutoff: Date;
}

async function goThrough(
  { clock }: Pick<SweepDeps, 'clock'>,
  { tenantId, from, cutoff }: Course,
  pace: Pace,
  sweepOne: (page: SweepPage) => Promise<readonly SweptMessage[]>,
): Promise<Swept> {
  // Ids approximate the message's time, which decides.
  const page = { tenantId, before: firstIdAt(cutoff), cutoff, now: clock.now(), limit: SWEEP_PAGE };
  let swept: Swept = { messages: 0, bytes: 0, sweptTo: from, more: true };
  let after = from ?? FIRST_ID;
  let whole = true;
  while (swept.more && pace.mayGoOn()) {
    const beganMs = clock.monotonicMs();
    const rows = await sweepOne({ ...page, after });
    const reached = reach(rows);
    swept = {
      messages: swept.messages + rows.filter(({ fate }) => fate === 'deleted').length,
      bytes: swept.bytes + rows.reduce((sum, row) => sum + row.bytes, 0),
      // Skipped messages are examined again.
      sweptTo: whole ? (reached.to ?? swept.sweptTo) : swept.sweptTo,
      more: rows.length === SWEEP_PAGE,
    };
    whole &&= reached.whole;
    after = rows.at(-1)?.message_id ?? after;
    if (swept.more) await pace.rest(clock.monotonicMs() - beganMs);
  }
  return swept;
}

/** Up to the first skipped message. */
export function reach(rows: readonly SweptMessage[]): { to: string | null; whole: boolean } {
  const firstLeft = rows.findIndex(({ fate }) => fate === 'left');
  const done = firstLeft === -1 ? rows : rows.slice(0, firstLeft);
  return { to: done.at(-1)?.message_id ?? null, whole: firstLeft === -1 };
}

/**
 * Deletes one page of records of plain messages, each with everything that refers to it. A hash of its key
 * takes their place in the same transaction. Counts, suppressions and audit logs stay.
 */
export async function forgetPage(tx: Tx, page: SweepPage): Promise<SweptMessage[]> {
  const rows = await lockRecords(tx, page);
  const gone = rows.filter(({ fate }) => fate === 'deleted');
  if (gone.length > 0) await forget(tx, page.tenantId, gone);
  return rows.map(({ message_id, fate }) => ({ message_id, fate, bytes: 0 }));
}

async function forget(tx: Tx, tenantId: string, gone: readonly LockedRecord[]): Promise<void> {
  const ids = gone.map(({ message_id }) => message_id);
  const keys = await takeClaims(tx, tenantId, gone);
  if (keys.length > 0)
    insertSpentKeys(
      tx,
      tenantId,
      keys.map((key) => hashOfKey(tenantId, key)),
    );
  await deleteEvents(tx, tenantId, ids);
  deleteAttempts(tx, tenantId, ids);
  deleteVerifications(tx, tenantId, ids);
  deleteShares(tx, tenantId, ids);
  deleteTraces(tx, tenantId, ids);
  deleteMessages(tx, tenantId, ids);
  countDeleted(
    tx,
    tenantId,
    gone.map(({ day }) => day),
  );
}
