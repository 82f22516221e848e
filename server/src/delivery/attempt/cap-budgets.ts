import type { Clock } from '../../platform/clock.ts';
import { Counts } from '../../platform/counts.ts';
import type { Db, DbAndClock, Tx } from '../../platform/database/db.ts';
import { keyOf, RECEIVERS } from '../next-hop/receivers.ts';
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
  takeUpSomeHeldBy,
} from '../operate/cap-store.ts';

/**
 * The rest that this process may send under each cap. It reserves a few messages at a time from the count in
 * the database, so that no message costs a statement and several processes together keep to the cap. After
 * a crash its reservation, at most LEASE_SHARE of the cap, is lost until the period ends. No account exceeds
 * the cap.
 */
export interface Budgets {
  of(cap: Cap, receiver: string): Budget;
  /** Reserves for budgets with nothing left in this part; concurrent calls share a transaction. */
  fill(budgets: readonly Budget[], part?: Part): Promise<void>;
  /** Records answers, and gives idle reservations back to mail that waits for them; `all`: everything. */
  flush(all?: boolean): Promise<void>;
}

/** Part of a shared daily cap: `kept` is for accounts that used little of it, until it opens to all. */
export type Part = 'open' | 'kept';

export interface Budget {
  readonly cap: Cap;
  readonly key: CountKey;
  readonly endsAt: Date;
  /** From then on no part is kept. */
  readonly opensAt: Date;
  hasOpened: boolean;
  /** Reserved and not spent; negative: mail of our own that went beyond the cap. */
  readonly left: Record<Part, number>;
  readonly spentBy: Counts;
  /** The most that one account may use of the kept share, as far as this process knows. */
  keptForEach: number;
  /** No limit: the warm-up is over. */
  isOpen: boolean;
  /** When the count was last seen full; null: it has room. */
  readonly fullAtMs: Record<Part, number | null>;
  answered: number;
  turnedAway: number;
  touchedMs: number;
}

/** Share of the cap that one reservation takes. */
export const LEASE_SHARE = 0.05;
const LEASE_MAX = 100;
/** Idle reservations go back after so long (ms). */
const IDLE_MS = 30_000;
/** A full count is read again after so long: another process may have given something back (ms). */
const FULL_FOR_MS = 60_000;
/**
 * Mail taken up comes due so long after something was given back: by then every process reads the count
 * again. Their clocks differ by less than the remainder (ms).
 */
const TAKEN_UP_AFTER_MS = FULL_FOR_MS + 5_000;
const BUDGETS_MAX = 20_000;
/** Share of a shared daily cap that is kept; also the last share of the day, in which it opens to all. */
const KEPT_SHARE = 0.2;
/** Share of the kept part that each account may use. */
const KEPT_SHARE_OF_EACH = 0.2;

interface BudgetsDeps extends DbAndClock {
  /** True: there are accounts to keep something for. */
  hasSeveralAccounts?(): boolean;
}

export function createBudgets({ db, clock, hasSeveralAccounts = () => false }: BudgetsDeps): Budgets {
  const budgets = new Map<string, Budget>();
  let wanted: Record<Part, Set<Budget>> = { open: new Set(), kept: new Set() };
  let filling: Promise<void> | null = null;

  async function fillWanted(): Promise<void> {
    const now = clock.now();
    const { open, kept } = wanted;
    wanted = { open: new Set(), kept: new Set() };
    for (const [part, all] of [['open', open] as const, ['kept', kept] as const]) {
      const these = [...all].filter((budget) => budget.endsAt > now);
      const several = hasSeveralAccounts();
      if (these.length > 0) await db.transact((tx) => reserve(tx, these, { part, several, clock }));
    }
  }

  return {
    of(cap, receiver) {
      const id = `${cap.cap_id} ${receiver}`;
      const known = budgets.get(id);
      const now = clock.now();
      if (known !== undefined && known.cap === cap && known.endsAt > now && known.key.startsAt <= now)
        return opened(known, now);
      if (budgets.size >= BUDGETS_MAX) forgetIdle(budgets);
      const made = begin(cap, receiver, now);
      // The same period under a changed cap: what is reserved stays so.
      if (known !== undefined && known.key.startsAt.getTime() === made.key.startsAt.getTime())
        Object.assign(made, { left: known.left, spentBy: known.spentBy, keptForEach: known.keptForEach });
      budgets.set(id, made);
      return made;
    },
    async fill(these, part = 'open') {
      const nowMs = clock.monotonicMs();
      for (const budget of these) if (needs(budget, part, nowMs)) wanted[part].add(budget);
      if (filling !== null) await filling.catch(() => {});
      filling ??= fillWanted().finally(() => {
        filling = null;
      });
      await filling;
    },
    async flush(all = false) {
      const idleSince = clock.monotonicMs() - IDLE_MS;
      const changes: CountChange[] = [];
      const now = clock.now();
      for (const budget of budgets.values()) {
        const { key, answered, turnedAway, touchedMs, left } = budget;
        const isIdle = all || touchedMs < idleSince;
        const back = isIdle ? left.open + left.kept : 0;
        if (answered === 0 && back === 0) continue;
        changes.push({ ...key, taken: -back, answered, turnedAway });
        if (isIdle) Object.assign(left, { open: 0, kept: 0 });
        budget.answered = 0;
        budget.turnedAway = 0;
      }
      for (const [id, budget] of budgets) if (budget.endsAt <= now) budgets.delete(id);
      if (changes.length === 0) return;
      await db.transact((tx) => addLocked(tx, changes));
      await takeUp(db, changes, now);
    },
  };
}

/** Marks the open part as having room again once the cap opens to all. */
function opened(budget: Budget, now: Date): Budget {
  if (!budget.hasOpened && now >= budget.opensAt) Object.assign(budget.fullAtMs, { open: null });
  budget.hasOpened = now >= budget.opensAt;
  return budget;
}

/** Makes waiting mail due for what was given back, at least a reservation's worth. */
async function takeUp(db: Db, changes: readonly CountChange[], now: Date): Promise<void> {
  const at = new Date(now.getTime() + TAKEN_UP_AFTER_MS);
  const byCap = new Map<string, CountChange[]>();
  for (const change of changes.filter(({ taken }) => taken < 0)) {
    const given = byCap.get(change.capId);
    if (given) given.push(change);
    else byCap.set(change.capId, [change]);
  }
  for (const [capId, given] of byCap) {
    const limit = given.reduce((sum, { taken }) => sum + Math.max(LEASE_MAX, -taken), 0);
    await takeUpSomeHeldBy(db, capId, { destinations: domainsOf(given), at, limit });
  }
}

/** Null: any. A large receiver receives for many. */
function domainsOf(changes: readonly CountChange[]): string[] | null {
  const receivers = changes.map(({ receiver }) => receiver);
  const receivesForMany = (receiver: string) =>
    receiver === '' || RECEIVERS.some((large) => keyOf(large) === receiver);
  return receivers.some(receivesForMany) ? null : receivers;
}

/** How long (ms) it is held for full. */
export function fullForMs({ fullAtMs }: Budget, nowMs: number): number {
  return fullAtMs.open === null ? 0 : FULL_FOR_MS - (nowMs - fullAtMs.open);
}

export function needs({ left, isOpen, fullAtMs }: Budget, part: Part, nowMs: number): boolean {
  const fullMs = fullAtMs[part];
  return !isOpen && left[part] < 1 && (fullMs === null || nowMs - fullMs > FULL_FOR_MS);
}

/** True if the account may still use the kept part. */
export function mayHaveKept({ spentBy, keptForEach }: Budget, tenantId: string): boolean {
  return spentBy.of(tenantId) < keptForEach;
}

function begin(cap: Cap, receiver: string, now: Date): Budget {
  const periodMs = PERIOD_MS[cap.period];
  const startsMs = Math.floor(now.getTime() / periodMs) * periodMs;
  return {
    cap,
    key: { capId: cap.cap_id, receiver, startsAt: new Date(startsMs) },
    endsAt: new Date(startsMs + periodMs),
    opensAt: new Date(startsMs + (1 - KEPT_SHARE) * periodMs),
    left: { open: 0, kept: 0 },
    fullAtMs: { open: null, kept: null },
    spentBy: new Counts(),
    ...{ hasOpened: false, keptForEach: 0, isOpen: false, answered: 0, turnedAway: 0, touchedMs: 0 },
  };
}

function forgetIdle(budgets: Map<string, Budget>): void {
  for (const [id, { left, answered }] of budgets)
    if (left.open === 0 && left.kept === 0 && answered === 0) {
      budgets.delete(id);
      return;
    }
}

const idOf = (capId: string, receiver: string) => `${capId} ${receiver}`;

interface Reserving {
  readonly part: Part;
  readonly several: boolean;
  readonly clock: Clock;
}

async function reserve(tx: Tx, these: readonly Budget[], { part, several, clock }: Reserving): Promise<void> {
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
    const kept = several ? keptOf(budget.cap, limit) : 0;
    budget.keptForEach = kept === 0 ? 0 : Math.max(1, Math.floor(kept * KEPT_SHARE_OF_EACH));
    const isKept = part === 'open' && clock.now() < budget.opensAt;
    const granted = grant(budget, row, isKept ? limit - kept : limit);
    budget.left[part] += granted;
    budget.touchedMs = nowMs;
    budget.fullAtMs[part] = granted === 0 ? nowMs : null;
    return granted === 0 ? [] : [{ ...budget.key, taken: granted, answered: 0, turnedAway: 0 }];
  });
  if (changes.length > 0) await addToCounts(tx, changes);
}

/** A warm-up keeps nothing: its steps rest on how much the day had. */
function keptOf({ tenant_id: tenantId, period, warms_up: warmsUp }: Cap, limit: number): number {
  return tenantId === null && period === 'day' && !warmsUp ? Math.floor(limit * KEPT_SHARE) : 0;
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
