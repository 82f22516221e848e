import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import { firstIdAt } from '../../platform/ids.ts';
import { plainCutoff } from './periods.ts';
import { type SweptMessage, sweepPage } from './sweep-store.ts';

/** Deletes expired content of an account's plain messages; records stay. */
export interface SweepDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly plainDays: number;
}

export interface Swept {
  readonly messages: number;
  readonly bytes: number;
  /** All plain messages up to this id are done. */
  readonly sweptTo: string | null;
  readonly more: boolean;
}

/** Even large ones fit a statement's time. */
export const SWEEP_PAGE = 200;

export const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** Asked between pages. */
export interface Pace {
  mayGoOn(): boolean;
  rest(tookMs: number): Promise<void>;
}

const WITHOUT_REST: Pace = { mayGoOn: () => true, rest: async () => {} };

/** Continues after `from`, page by page. Safe to repeat and to run concurrently. */
export async function sweepTenant(
  deps: SweepDeps,
  tenantId: string,
  from: string | null,
  pace: Pace = WITHOUT_REST,
): Promise<Swept> {
  const now = deps.clock.now();
  const cutoff = plainCutoff(now, deps.plainDays);
  // Ids approximate the message's time, which decides.
  const page = { tenantId, before: firstIdAt(cutoff), cutoff, now, limit: SWEEP_PAGE };
  let swept: Swept = { messages: 0, bytes: 0, sweptTo: from, more: true };
  let after = from ?? BEFORE_ALL;
  let whole = true;
  while (swept.more && pace.mayGoOn()) {
    const beganMs = deps.clock.monotonicMs();
    const rows = await deps.db.transact((tx) => sweepPage(tx, { ...page, after }));
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
    if (swept.more) await pace.rest(deps.clock.monotonicMs() - beganMs);
  }
  return swept;
}

/** Up to the first skipped message. */
export function reach(rows: readonly SweptMessage[]): { to: string | null; whole: boolean } {
  const firstLeft = rows.findIndex(({ fate }) => fate === 'left');
  const done = firstLeft === -1 ? rows : rows.slice(0, firstLeft);
  return { to: done.at(-1)?.message_id ?? null, whole: firstLeft === -1 };
}
