import type { Clock } from '../../platform/clock.ts';
import type { DbAndClock } from '../../platform/database/db.ts';
import { every } from '../../platform/every.ts';
import type { Log } from '../../platform/logger.ts';
import { COLD_AFTER_MS } from '../next-hop/warm-up.ts';
import {
  areSeveralAccounts,
  type Cap,
  deleteCountsBefore,
  EACH,
  listCaps,
  listOwnAccounts,
  takeUpHeldBy,
} from '../operate/cap-store.ts';
import {
  type Budget,
  type Budgets,
  createBudgets,
  fullForMs,
  mayHaveKept,
  needs,
  type Part,
} from './cap-budgets.ts';

/**
 * Keeps to the operators' caps: chooses the address that a message may leave from now, or says how long it
 * waits. A cap that names no account is shared. Accounts that used none of it go first in the next period, so
 * that no account's bulk mail makes another wait for ever; a fifth of a daily cap is kept for accounts that
 * used little of it, until the last fifth of the day. The installation's own mail (sign-in links, codes,
 * alarms) is counted and never waits.
 */
export interface Caps {
  /** Null: nothing is capped, and nothing need be asked. */
  take(mail: Mail, sources: readonly SourceName[]): Promise<Taken> | null;
  /** Caps that hold an account's mail, by destination. */
  heldOf(tenantId: string): ReadonlyMap<string, Held>;
  start(): void;
  stop(): Promise<void>;
}

export interface Mail {
  readonly tenantId: string;
  readonly pool: string;
  readonly destination: string;
  /** The destination, or the large receiver that its mail hosts are of. */
  receiver(): Promise<string>;
}

export interface SourceName {
  /** Key of its windows and sessions. */
  readonly key: string;
  readonly ehloName: string;
}

export type Taken =
  | { readonly kind: 'spent'; readonly source: SourceName; settle(news: CapNews): void }
  | { readonly kind: 'held'; readonly held: Held };

/** `untried`: no server answered, so that it counts for nothing. */
export type CapNews = 'untried' | 'answered' | 'turned_away';

export interface Held {
  readonly capId: string;
  readonly until: Date;
  /** When the count may have room again, given back by others. */
  readonly asksAgainAt: Date;
}

const LOOK_EVERY_MS = 5_000;
const NOTHING_HELD: ReadonlyMap<string, Held> = new Map();
/** Beyond it the first held is forgotten, and found again by the next attempt. */
const HELD_MAX = 20_000;
/** Reservations that others took before this message could; then it waits a moment. */
const ROUNDS_MAX = 20;
const CROWDED_MS = 1_000;
/** Mail of accounts that used some of a shared cap comes due so long after the next period began. */
const AFTER_OTHERS_MS = 30_000;

export interface CapsDeps extends DbAndClock {
  readonly log: Log;
  readonly everyMs?: number;
}

export function createCaps({ db, clock, log, everyMs = LOOK_EVERY_MS }: CapsDeps): Caps {
  let hasSeveralAccounts = false;
  const budgets = createBudgets({ db, clock, hasSeveralAccounts: () => hasSeveralAccounts });
  const held = createHeld(clock);
  let known: readonly Cap[] | null = null;
  let ownAccounts: ReadonlySet<string> = new Set();
  /** Caps removed or replaced since the last look. */
  let changed: readonly string[] = [];
  let looking: Promise<void> | null = null;

  async function look(): Promise<void> {
    const found = await listCaps(db, clock.now());
    if (found.length > 0) {
      ownAccounts = new Set(await listOwnAccounts(db));
      hasSeveralAccounts = await areSeveralAccounts(db);
    }
    const before = new Map((known ?? []).map((cap) => [cap.cap_id, cap]));
    const isSame = (cap: Cap) => before.get(cap.cap_id)?.made_at.getTime() === cap.made_at.getTime();
    const stay = new Set(found.filter(isSame).map((cap) => cap.cap_id));
    const gone = [...before.keys()].filter((capId) => !stay.has(capId));
    if (known === null || gone.length > 0 || found.length > stay.size) {
      known = found.map((cap) => (stay.has(cap.cap_id) ? before.get(cap.cap_id)! : cap));
      held.clear();
    }
    // Twice: mail under way when the cap went may still have been put off for it.
    for (const capId of [...changed, ...gone]) await takeUpHeldBy(db, capId, clock.now());
    changed = gone;
  }

  function lookOnce(): Promise<void> {
    looking ??= look().finally(() => {
      looking = null;
    });
    return looking;
  }

  const looks = every(
    everyMs,
    async () => {
      await lookOnce();
      if (known!.length === 0) return;
      await budgets.flush();
      await deleteCountsBefore(db, new Date(clock.now().getTime() - 2 * COLD_AFTER_MS));
    },
    {
      atOnce: true,
      onError: (error) =>
        log.warn({ err: error }, 'reading the caps on sending failed; the last known ones apply'),
    },
  );

  return {
    take(mail, sources) {
      if (known?.length === 0) return null;
      const own = known === null ? lookOnce().then(() => known!) : known;
      return take({ clock, budgets, held, isOurs: (id) => ownAccounts.has(id) }, own, mail, sources);
    },
    heldOf: held.of,
    start: looks.start,
    async stop() {
      await looks.stop();
      if (known !== null && known.length > 0)
        await budgets
          .flush(true)
          .catch((error) =>
            log.warn(
              { err: error },
              'unused places under caps could not be given back; they count as used until the period ends',
            ),
          );
    },
  };
}

interface Taking {
  readonly clock: Clock;
  readonly budgets: Budgets;
  readonly held: ReturnType<typeof createHeld>;
  /** The account of the installation's own mail. */
  isOurs(tenantId: string): boolean;
}

async function take(
  taking: Taking,
  known: readonly Cap[] | Promise<readonly Cap[]>,
  mail: Mail,
  sources: readonly SourceName[],
): Promise<Taken> {
  const own = (await known).filter((cap) => isAbout(cap, mail));
  const receiver = own.some((cap) => cap.receiver !== null) ? await mail.receiver() : mail.destination;
  let first: Held | null = null;
  for (const source of sources) {
    const covering = own
      .filter((cap) => cap.source === null || cap.source === source.ehloName)
      .filter((cap) => cap.receiver === null || cap.receiver === EACH || cap.receiver === receiver)
      .map((cap) => ({ cap, counted: cap.receiver === EACH ? receiver : '' }));
    const full = await spend(taking, covering, mail.tenantId);
    if (full.kind === 'spent') return { kind: 'spent', source, settle: full.settle };
    if (first === null || full.held.until < first.until) first = full.held;
  }
  taking.held.note(mail, first!);
  return { kind: 'held', held: first! };
}

/** Takes one of each, or none. */
async function spend(
  { clock, budgets, isOurs }: Taking,
  covering: readonly { readonly cap: Cap; readonly counted: string }[],
  tenantId: string,
): Promise<{ kind: 'spent'; settle(news: CapNews): void } | { kind: 'held'; held: Held }> {
  const find = () => covering.map(({ cap, counted }) => budgets.of(cap, counted));
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const these = find();
    const nowMs = clock.monotonicMs();
    const empty = these.filter((budget) => !budget.isOpen && partFor(budget, tenantId) === null);
    if (empty.length === 0) return { kind: 'spent', settle: spendOf(these, nowMs, tenantId) };
    const lacking = empty.filter((budget) => needs(budget, 'open', nowMs));
    const keeping = empty.filter(
      (budget) => !lacking.includes(budget) && mayHaveKept(budget, tenantId) && needs(budget, 'kept', nowMs),
    );
    // The one that is full longest: until then another try is in vain.
    const isFull = empty.filter((budget) => !lacking.includes(budget) && !keeping.includes(budget));
    const holding = isOurs(tenantId) ? isFull.filter(({ cap }) => cap.tenant_id !== null) : isFull;
    if (holding.length > 0) {
      const turns = holding.map((budget) => ({ budget, until: nextTurn(budget, clock.now(), tenantId) }));
      const { budget, until } = turns.reduce((a, b) => (b.until > a.until ? b : a));
      const asksAgainAt = new Date(clock.now().getTime() + fullForMs(budget, nowMs));
      return { kind: 'held', held: { capId: budget.cap.cap_id, until, asksAgainAt } };
    }
    if (lacking.length + keeping.length === 0)
      return { kind: 'spent', settle: spendOf(these, nowMs, tenantId) };
    if (lacking.length > 0) await budgets.fill(lacking);
    if (keeping.length > 0) await budgets.fill(keeping, 'kept');
  }
  const until = new Date(clock.now().getTime() + CROWDED_MS);
  return { kind: 'held', held: { capId: covering[0]!.cap.cap_id, until, asksAgainAt: until } };
}

/** When the kept part opens to all, or the next period begins. */
function nextTurn(budget: Budget, now: Date, tenantId: string): Date {
  const { cap, endsAt, opensAt, spentBy, keptForEach } = budget;
  const isBehind = cap.tenant_id === null && spentBy.of(tenantId) > 0;
  const opens = keptForEach > 0 && now < opensAt ? opensAt : endsAt;
  return new Date(opens.getTime() + (isBehind ? AFTER_OTHERS_MS : 0));
}

function isAbout(cap: Cap, { tenantId, pool }: Mail): boolean {
  return (
    (cap.tenant_id === null || cap.tenant_id === tenantId) &&
    (cap.source_pool === null || cap.source_pool === pool)
  );
}

/** The part from which the account may take one now; null: neither. */
function partFor(budget: Budget, tenantId: string): Part | null {
  if (budget.left.open >= 1) return 'open';
  return budget.left.kept >= 1 && mayHaveKept(budget, tenantId) ? 'kept' : null;
}

function spendOf(these: readonly Budget[], nowMs: number, tenantId: string): (news: CapNews) => void {
  const parts = these.map((budget) => partFor(budget, tenantId) ?? 'open');
  for (const [at, budget] of these.entries()) {
    budget.touchedMs = nowMs;
    budget.spentBy.add(tenantId, 1);
    if (!budget.isOpen) budget.left[parts[at]!]--;
  }
  let isSettled = false;
  return (news) => {
    if (isSettled) return;
    isSettled = true;
    for (const [at, budget] of these.entries()) {
      if (news === 'untried') {
        budget.spentBy.add(tenantId, -1);
        if (!budget.isOpen) budget.left[parts[at]!]++;
        continue;
      }
      budget.answered++;
      if (news === 'turned_away') budget.turnedAway++;
    }
  };
}

function createHeld(clock: Clock) {
  const tenants = new Map<string, Map<string, Held>>();
  let size = 0;

  function forget(tenantId: string, of: Map<string, Held>, destination: string): void {
    if (of.delete(destination)) size--;
    if (of.size === 0) tenants.delete(tenantId);
  }

  return {
    of(tenantId: string): ReadonlyMap<string, Held> {
      const of = tenants.get(tenantId);
      if (of === undefined) return NOTHING_HELD;
      const now = clock.now();
      for (const [destination, { until, asksAgainAt }] of of)
        if (until <= now || asksAgainAt <= now) forget(tenantId, of, destination);
      return of;
    },
    note({ tenantId, destination }: Mail, one: Held): void {
      const [first] = size >= HELD_MAX ? tenants : [];
      if (first !== undefined) forget(first[0], first[1], first[1].keys().next().value!);
      const of = tenants.get(tenantId) ?? new Map<string, Held>();
      tenants.set(tenantId, of);
      if (!of.has(destination)) size++;
      of.set(destination, one);
    },
    clear(): void {
      tenants.clear();
      size = 0;
    },
  };
}
