import { apiError } from '../../errors.ts';
import type { Db, DbAndClock } from '../../platform/database/db.ts';
import { isId, newId } from '../../platform/ids.ts';
import { keyOf, receiverOf } from '../next-hop/receivers.ts';
import { isStopped, limitOf, WARM_UP_STEPS } from '../next-hop/warm-up.ts';
import {
  type Cap,
  type CapScope,
  type CountRow,
  dayOf,
  deleteCap,
  EACH,
  listCaps,
  listCounts,
  PERIOD_MS,
  type Period,
  takeUpHeldBy,
  writeCap,
} from './cap-store.ts';
import { destinationOf } from './queue.ts';
import { findTenantName } from './queue-store.ts';

export const CAP_MAX = 1_000_000_000;
export const STEPS_MAX = 100;
export const CAP_DAYS_MAX = 3_650;
const COUNTS_MAX = 1_000;

export interface GivenCap {
  readonly scope: CapScope;
  readonly period: Period;
  /** Null: the default plan of a warm-up. */
  readonly steps: readonly number[] | null;
  readonly warmsUp: boolean;
  readonly reason: string;
  readonly by: string;
  readonly days: number | null;
}

interface KnownSources {
  readonly pools: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
}

/**
 * Replaces the cap of the same scope; what waited for it is due at once. Throws invalid_address,
 * invalid_parameter, not_found.
 */
export async function capSending(
  { db, clock }: DbAndClock,
  given: GivenCap,
  known: KnownSources,
): Promise<Cap> {
  const { warmsUp, days } = given;
  const scope = await readScope(db, given, known);
  const steps = readSteps(given);
  const now = clock.now();
  return db.transact(async (tx) => {
    const cap = await writeCap(tx, {
      ...{ cap_id: newId(), ...scope, period: given.period, steps, warms_up: warmsUp },
      ...{ reason: given.reason, made_by: given.by, made_at: now },
      ends_at: days === null ? null : new Date(now.getTime() + days * PERIOD_MS.day),
    });
    await takeUpHeldBy(tx, cap.cap_id, now);
    return cap;
  });
}

async function readScope(
  db: Db,
  { scope, period, warmsUp }: GivenCap,
  known: KnownSources,
): Promise<CapScope> {
  const { tenant_id: tenantId, source_pool: pool, source } = scope;
  if (tenantId !== null && (!isId(tenantId) || (await findTenantName(db, tenantId)) === null))
    throw apiError('not_found', `No account has the id ${tenantId}.`);
  if (pool !== null && !known.pools.has(pool)) throw unknown('pool', pool, known.pools);
  if (source !== null && !known.names.has(source)) throw unknown('EHLO name', source, known.names);
  if (warmsUp && source === null)
    throw apiError('invalid_parameter', 'A warm-up is for one source address: name it by its EHLO name.');
  if (warmsUp && period !== 'day') throw apiError('invalid_parameter', 'A warm-up counts by day.');
  const receiver = scope.receiver ?? (warmsUp ? EACH : null);
  return { ...scope, receiver: receiver === null || receiver === EACH ? receiver : receiverKey(receiver) };
}

function unknown(what: string, given: string, known: ReadonlySet<string>) {
  const text = `ACUSE_SOURCE_POOLS has no ${what} "${given}" in this process; it has ${[...known].join(', ')}.`;
  return apiError('invalid_parameter', text);
}

/** A domain, or the large receiver that it is of. Throws invalid_address. */
function receiverKey(given: string): string {
  const domain = destinationOf(given);
  const receiver = receiverOf(domain);
  return receiver === null ? domain : keyOf(receiver);
}

function readSteps({ steps, warmsUp }: GivenCap): readonly number[] {
  const given = steps ?? (warmsUp ? WARM_UP_STEPS : []);
  const most = warmsUp ? STEPS_MAX : 1;
  if (given.length < 1 || given.length > most)
    throw apiError('invalid_parameter', `Give 1 to ${most} numbers of messages, not ${given.length}.`);
  const wrong = given.find((step) => !Number.isInteger(step) || step < 1 || step > CAP_MAX);
  if (wrong !== undefined)
    throw apiError('invalid_parameter', `A cap takes 1 to ${CAP_MAX} messages, not ${wrong}.`);
  return given;
}

/** Makes mail that waited for it due at once; returns the cap, null: there was none. */
export function uncap({ db, clock }: DbAndClock, capId: string): Promise<{ cap: Cap; due: number } | null> {
  if (!isId(capId)) return Promise.resolve(null);
  return db.transact(async (tx) => {
    const cap = await deleteCap(tx, capId);
    return cap === null ? null : { cap, due: await takeUpHeldBy(tx, capId, clock.now()) };
  });
}

export interface ShownCap {
  readonly cap: Cap;
  /** Counts of the running period; for a warm-up, each receiver's last day with mail. */
  readonly counts: readonly CountRow[];
}

export async function showCaps({ db, clock }: DbAndClock): Promise<ShownCap[]> {
  const now = clock.now();
  const [caps, counts] = [await listCaps(db, now), await listCounts(db, now, COUNTS_MAX)];
  return caps.map((cap) => ({ cap, counts: counts.filter((count) => count.cap_id === cap.cap_id) }));
}

export function presentCap({ cap, counts }: ShownCap, now: Date) {
  const { made_at, ends_at, steps, ...rest } = cap;
  return {
    ...rest,
    steps: [...steps],
    made_at: made_at.toISOString(),
    ends_at: ends_at?.toISOString() ?? null,
    counts: counts.map((count) => presentCount(cap, count, now)),
  };
}

function presentCount({ steps, warms_up, period }: Cap, count: CountRow, now: Date) {
  const { receiver, starts_at, step, taken, answered, turned_away } = count;
  const limit = limitOf(steps, step);
  return {
    receiver: receiver === '' ? null : receiver,
    starts_at: starts_at.toISOString(),
    step: warms_up ? step + 1 : null,
    limit,
    taken,
    answered,
    turned_away,
    state: stateOf(),
  };

  function stateOf(): 'over' | 'stopped' | 'full' | 'open' | 'past' {
    if (limit === null) return 'over';
    if (now.getTime() - starts_at.getTime() >= PERIOD_MS[period]) return 'past';
    if (warms_up && isStopped(dayOf(count))) return 'stopped';
    return taken >= limit ? 'full' : 'open';
  }
}

export const CAP_STATES = ['open', 'full', 'stopped', 'over', 'past'] as const;
