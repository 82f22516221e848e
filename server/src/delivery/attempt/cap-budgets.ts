import type { Clock } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { isStopped, limitOf, nextStep } from '../next-hop/warm-up.ts';
import {
  addToCounts,
  beginCounts,
  type Cap,
  type CountChange,
  type CountKey,
  type CountRow,
  dayOf,
  lastCounts,
  lockCounts,
  PERIOD_MS,
} from '../operate/cap-store.ts';

/**
 * The rest that this process may send under each cap. It reserves a few messages at a time from the count in
 * the database, so that no message costs a statement and several processes together keep to the cap. A crash
 * loses its reservation to the period: never more than LEASE_SHARE of the cap. No account sends beyond it.
 */
export interface Budgets {
  of(cap: Cap, receiver: string): Budget;
  /** Reserves for those that have nothing left; concurrent calls share a transaction. */
  fill(budgets: readonly Budget[]): Promise<void>;
  /** Records answers, and gives back what has lain idle; `all`: everything. */
  flush(all?: boolean): Promise<void>;
}

export interface Budget {
  readonly cap: Cap;
  readonly key: CountKey;
  readonly endsAt: Date;
  /** Reserved and not spent; negative: mail of our own that went beyond the cap. */
  left: number;
  /** Accounts that had some of it here. */
  readonly spentBy: Set<string>;
  /** No limit any more: a warm-up that is over. */
  isOpen: boolean;
  /** The count is used up, as of so long ago. */
  fullAtMs: number | null;
  answered: number;
  turnedAway: number;
  touchedMs: number;
}

/** Of the cap, in one reservation. */
export const LEASE_SHARE = 0.05;
const LEASE_MAX = 100;
/** Idle reservations go back after so long (ms). */
const IDLE_MS = 30_000;
/** A full count is looked at again after so long: another process may have given something back (ms). */
const FULL_FOR_MS = 60_000;
const BUDGETS_MAX = 20_000;

export function createBudgets({ db, clock }: { readonly db: Db; readonly clock: Clock }): Budgets {
  const budgets = new Map<string, Budget>();
  let wanted = new Set<Budget>();
  let filling: Promise<void> | null = null;

  async function fillWanted(): Promise<void> {
    const now = clock.now();
    const these = [...wanted].filter((budget) => budget.endsAt > now);
    wanted = new Set();
    if (these.length > 0) await db.transact((tx) => reserve(tx, these, clock));
  }

  return {
    of(cap, receiver) {
      const id = `${cap.cap_id} ${receiver}`;
      const known = budgets.get(id);
      const now = clock.now();
      if (known !== undefined && known.cap === cap && known.endsAt > now && known.key.startsAt <= now)
        return known;
      if (budgets.size >= BUDGETS_MAX) forgetIdle(budgets);
      const made = begin(cap, receiver, now);
      // The same period under a changed cap: what is reserved stays so.
      if (known !== undefined && known.key.startsAt.getTime() === made.key.startsAt.getTime())
        Object.assign(made, { left: known.left, spentBy: known.spentBy });
      budgets.set(id, made);
      return made;
    },
    async fill(these) {
      const nowMs = clock.monotonicMs();
      for (const budget of these) if (needs(budget, nowMs)) wanted.add(budget);
      if (filling !== null) await filling.catch(() => {});
      filling ??= fillWanted().finally(() => {
        filling = null;
      });
      await filling;
    },
    async flush(all = false) {
      const idleSince = clock.monotonicMs() - IDLE_MS;
      const changes: CountChange[] = [];
      for (const budget of budgets.values()) {
        const { key, answered, turnedAway, touchedMs, left } = budget;
        const back = all || touchedMs < idleSince ? left : 0;
        if (answered === 0 && back === 0) continue;
        changes.push({ ...key, taken: -back, answered, turnedAway });
        budget.left -= back;
        budget.answered = 0;
        budget.turnedAway = 0;
      }
      const now = clock.now();
      for (const [id, budget] of budgets) if (budget.endsAt <= now) budgets.delete(id);
      if (changes.length > 0) await db.transact((tx) => addLocked(tx, changes));
    },
  };
}

export function needs({ left, isOpen, fullAtMs }: Budget, nowMs: number): boolean {
  return !isOpen && left < 1 && (fullAtMs === null || nowMs - fullAtMs > FULL_FOR_MS);
}

function begin(cap: Cap, receiver: string, now: Date): Budget {
  const periodMs = PERIOD_MS[cap.period];
  const startsMs = Math.floor(now.getTime() / periodMs) * periodMs;
  return {
    cap,
    key: { capId: cap.cap_id, receiver, startsAt: new Date(startsMs) },
    endsAt: new Date(startsMs + periodMs),
    ...{ left: 0, isOpen: false, fullAtMs: null, answered: 0, turnedAway: 0, touchedMs: 0 },
    spentBy: new Set(),
  };
}

function forgetIdle(budgets: Map<string, Budget>): void {
  for (const [id, { left, answered }] of budgets)
    if (left === 0 && answered === 0) {
      budgets.delete(id);
      return;
    }
}

const idOf = (capId: string, receiver: string) => `${capId} ${receiver}`;

async function reserve(tx: Tx, these: readonly Budget[], clock: Clock): Promise<void> {
  const keys = these.map(({ key }) => key);
  let rows = byId(await lockCounts(tx, keys));
  const missing = these.filter(({ key }) => !rows.has(idOf(key.capId, key.receiver)));
  if (missing.length > 0) {
    const before = byId(
      await lastCounts(
        tx,
        missing.map(({ key }) => key),
      ),
    );
    await beginCounts(
      tx,
      missing.map(({ cap, key }) => {
        const last = before.get(idOf(key.capId, key.receiver));
        const step = cap.warms_up
          ? nextStep(cap.steps, last === undefined ? null : dayOf(last), key.startsAt)
          : 0;
        return { ...key, step };
      }),
    );
    rows = byId(await lockCounts(tx, keys));
  }
  const nowMs = clock.monotonicMs();
  const changes = these.flatMap((budget) => {
    const row = rows.get(idOf(budget.key.capId, budget.key.receiver));
    const limit = row === undefined ? null : limitOf(budget.cap.steps, row.step);
    budget.isOpen = limit === null;
    if (row === undefined || limit === null) return [];
    const granted = grant(budget, row, limit);
    budget.left += granted;
    budget.touchedMs = nowMs;
    budget.fullAtMs = granted === 0 ? nowMs : null;
    return granted === 0 ? [] : [{ ...budget.key, taken: granted, answered: 0, turnedAway: 0 }];
  });
  if (changes.length > 0) await addToCounts(tx, changes);
}

function grant({ cap }: Budget, row: CountRow, limit: number): number {
  if (cap.warms_up && isStopped(dayOf(row))) return 0;
  const wanted = Math.min(LEASE_MAX, Math.max(1, Math.floor(limit * LEASE_SHARE)));
  return Math.max(0, Math.min(wanted, limit - row.taken));
}

/** In the order of the reservations, against deadlocks. */
async function addLocked(tx: Tx, changes: readonly CountChange[]): Promise<void> {
  await lockCounts(tx, changes);
  await addToCounts(tx, changes);
}

function byId(rows: readonly CountRow[]): Map<string, CountRow> {
  return new Map(rows.map((row) => [idOf(row.cap_id, row.receiver), row]));
}
