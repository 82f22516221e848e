import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import { firstIdAt } from '../../platform/ids.ts';
import { plainCutoff } from './periods.ts';
import { type SweptMessage, sweepPage } from './sweep-store.ts';

/**
 * Deletes the content of one account's plain messages that have had their days; the messages' records stay.
 */
export interface SweepDeps {
  readonly db: Db;
  readonly clock: Clock;
  /** Days that plain content is kept. */
  readonly plainDays: number;
}

export interface Swept {
  /** Messages that lost their content. */
  readonly messages: number;
  readonly bytes: number;
  /** Every plain message up to this id has lost its content. */
  readonly sweptTo: string | null;
  /** There may be more that is due. */
  readonly more: boolean;
}

/**
 * Messages looked at in one transaction: few enough that even the largest are deleted well within a
 * statement's time.
 */
export const SWEEP_PAGE = 200;

/** No id is smaller. */
export const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** How a sweep goes: both are asked between two pages. */
export interface Pace {
  mayGoOn(): boolean;
  /** After a page that took so long. */
  rest(tookMs: number): Promise<void>;
}

const WITHOUT_REST: Pace = { mayGoOn: () => true, rest: async () => {} };

/**
 * Goes through everything after `from`, which an earlier sweep reached, page by page for as long as it may
 * continue. Safe to run twice at once, and after a crash.
 */
export async function sweepTenant(
  deps: SweepDeps,
  tenantId: string,
  from: string | null,
  pace: Pace = WITHOUT_REST,
): Promise<Swept> {
  const now = deps.clock.now();
  const cutoff = plainCutoff(now, deps.plainDays);
  // An id is as old as its message but for milliseconds; the message's own time decides.
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
      // What was left is looked at again the next time.
      sweptTo: whole ? (reached.to ?? swept.sweptTo) : swept.sweptTo,
      more: rows.length === SWEEP_PAGE,
    };
    whole &&= reached.whole;
    after = rows.at(-1)?.message_id ?? after;
    if (swept.more) await pace.rest(deps.clock.monotonicMs() - beganMs);
  }
  return swept;
}

/** How far a page is done: up to the message before the first that was left. */
export function reach(rows: readonly SweptMessage[]): { to: string | null; whole: boolean } {
  const firstLeft = rows.findIndex(({ fate }) => fate === 'left');
  const done = firstLeft === -1 ? rows : rows.slice(0, firstLeft);
  return { to: done.at(-1)?.message_id ?? null, whole: firstLeft === -1 };
}
