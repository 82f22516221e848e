import type { Clock } from '../clock.ts';
import { lostNode } from '../database/failures.ts';
import { every } from '../every.ts';
import { LightAbort, type Stop } from '../light-abort.ts';
import type { LoopLog } from '../logger.ts';
import { byOwner } from './by-owner.ts';

/**
 * Leases that this process holds, from claim to record. They are short and extended during the work, so that
 * a killed process's work is free within seconds. The database's clock decides when a lease ends; here its
 * age counts from before the claim, so that we never overestimate it. A lost lease aborts its work: another
 * process has it.
 */
export interface Leases<Item> {
  /** Registers leased items and returns the new ones. `askedAt`: `mark()` before the claim. */
  hold(items: readonly Item[], askedAt: Mark): Item[];
  mark(): Mark;
  /** Aborts when the lease is lost, or by `abort`. */
  signalOf(item: Item): Stop;
  /** True if enough of the lease is left for an irreversible step; extends it if not. */
  isSafe(item: Item): boolean | Promise<boolean>;
  /** Remaining time (ms), as far as known; negative: expired. */
  leftMs(item: Item): number;
  /** True: the work is irreversible, and a lost lease no longer aborts it. */
  setHandedOver(item: Item, handedOver: boolean): void;
  abort(item: Item, reason: unknown): void;
  abortAll(reason: unknown): void;
  drop(items: readonly Item[]): void;
  readonly size: number;
  /** Extends older leases; called by the timer, and by tests. */
  extend(): Promise<void>;
  start(): void;
  stop(): void;
}

export interface LeasesOptions<Item> {
  readonly clock: Clock;
  readonly log: LoopLog;
  readonly name: string;
  keyOf(item: Item): string;
  /** Extends these leases by LEASE_MS from the database's now; returns the keys still ours. */
  extend(items: readonly Item[]): Promise<ReadonlySet<string>>;
  /** The account: a lost node of one is none of others. */
  ownerOf?(item: Item): string;
  /** When it was leased, if before `askedAt`. */
  sinceOf?(item: Item): Mark | undefined;
  /** An item's fencing token: an answer about another token is outdated. */
  fenceOf?(item: Item): unknown;
  onHeld?(item: Item): void;
  onDropped?(item: Item): void;
  /** We claimed a held item again: `known` takes over `item`'s values. */
  onHeldAgain?(known: Item, item: Item): void;
  /** Wall clock (ms), which continues while the machine sleeps. */
  readonly wallMs?: () => number;
}

/** Lease time without an extension (ms): a killed process's work is free after it. */
export const LEASE_MS = 15_000;
/** SQL: the end of a lease that begins now. */
export const LEASE_END = `now() + ${LEASE_MS} * interval '1 millisecond'`;
/** The same inside a longer transaction. */
export const LEASE_END_OF_STATEMENT = `statement_timestamp() + ${LEASE_MS} * interval '1 millisecond'`;
/** The same by the caller's clock, which in service is the database's. */
export const leaseEnd = (clock: Clock): Date => new Date(clock.now().getTime() + LEASE_MS);
/** Age at which leases are extended (ms); several tries fit before one ends. */
const EXTEND_AFTER_MS = 4_000;
const EXTEND_EVERY_MS = 1_000;
/** An unanswered extension is repeated after this time (ms), over another connection. */
const EXTEND_PATIENCE_MS = 3_000;
/** Extensions to wait for: the first may predate a newer claim. */
const EXTEND_TRIES = 2;
const EXTEND_GROUP = 1_000;
/** Margin (ms) for starting something irreversible: bytes take time to arrive. */
export const LEASE_MARGIN_MS = 4_000;

export interface Mark {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export function markOf(clock: Clock, wallMs: () => number = Date.now): Mark {
  return { monotonicMs: clock.monotonicMs(), wallMs: wallMs() };
}

/** By the clock that says more (ms): one stops during sleep, the other can be set back. */
function ageOf(since: Mark, now: Mark): number {
  return Math.max(now.monotonicMs - since.monotonicMs, now.wallMs - since.wallMs);
}

export const leaseLeftMs = (since: Mark, now: Mark): number => LEASE_MS - ageOf(since, now);

interface Held<Item> {
  readonly item: Item;
  readonly abort: LightAbort;
  since: Mark;
  handedOver: boolean;
}

export function createLeases<Item>(options: LeasesOptions<Item>): Leases<Item> {
  const { clock, keyOf, wallMs = Date.now } = options;
  const held = new Map<string, Held<Item>>();

  const mark = () => markOf(clock, wallMs);

  const ageMs = (since: Mark) => ageOf(since, mark());

  const extendOlderThan = createExtension(options, held, { mark, ageMs });

  // Not awaited: an unanswered extension must not block the next.
  const extensions = every(EXTEND_EVERY_MS, () => void extendOlderThan(EXTEND_AFTER_MS));

  function leftMs(item: Item): number {
    const entry = held.get(keyOf(item));
    return entry === undefined ? Number.NEGATIVE_INFINITY : leaseLeftMs(entry.since, mark());
  }

  async function extendNow(item: Item): Promise<boolean> {
    const signal = held.get(keyOf(item))?.abort;
    for (let attempt = 1; signal?.aborted === false; attempt++) {
      await Promise.race([extendOlderThan(EXTEND_AFTER_MS), soon(EXTEND_PATIENCE_MS)]);
      if (leftMs(item) >= LEASE_MARGIN_MS) return !signal.aborted;
      if (attempt === EXTEND_TRIES) return false;
    }
    return false;
  }

  return {
    mark,
    hold(items, askedAt) {
      const fresh: Item[] = [];
      for (const item of items) {
        const key = keyOf(item);
        const since = options.sinceOf?.(item) ?? askedAt;
        const known = held.get(key);
        if (known !== undefined) {
          options.onHeldAgain?.(known.item, item);
          known.since = since;
          continue;
        }
        held.set(key, { item, abort: new LightAbort(), since, handedOver: false });
        options.onHeld?.(item);
        fresh.push(item);
      }
      return fresh;
    },
    signalOf(item) {
      const known = held.get(keyOf(item))?.abort;
      if (known !== undefined) return known;
      const ended = new LightAbort();
      ended.abort(new Error('this is not held'));
      return ended;
    },
    isSafe: (item) => leftMs(item) >= LEASE_MARGIN_MS || extendNow(item),
    leftMs,
    setHandedOver(item, handedOver) {
      const entry = held.get(keyOf(item));
      if (entry !== undefined) entry.handedOver = handedOver;
    },
    abort: (item, reason) => held.get(keyOf(item))?.abort.abort(reason),
    abortAll(reason) {
      for (const { abort } of held.values()) abort.abort(reason);
    },
    drop(items) {
      for (const item of items) if (held.delete(keyOf(item))) options.onDropped?.(item);
    },
    get size() {
      return held.size;
    },
    extend: () => extendOlderThan(EXTEND_AFTER_MS),
    start: extensions.start,
    stop: () => void extensions.stop(),
  };
}

/** Extends leases older than this (ms); one at a time, unless it hangs. */
function createExtension<Item>(
  options: LeasesOptions<Item>,
  held: ReadonlyMap<string, Held<Item>>,
  { mark, ageMs }: { mark(): Mark; ageMs(since: Mark): number },
): (ms: number) => Promise<void> {
  const { clock, log, name, keyOf } = options;
  const fenceOf = options.fenceOf ?? (() => null);
  let extending: { readonly done: Promise<void>; readonly atMs: number } | null = null;

  async function extendAll(old: readonly Held<Item>[]): Promise<void> {
    try {
      for (let from = 0; from < old.length; from += EXTEND_GROUP)
        await extendGroup(old.slice(from, from + EXTEND_GROUP));
    } catch (error) {
      // Nobody can claim while the database is away; afterwards the next try extends them, or we claim again.
      log.warn({ err: error, leases: name }, 'extending leases failed; trying again');
    }
  }

  async function extendGroup(group: readonly Held<Item>[]): Promise<void> {
    try {
      await extendAtOnce(group);
    } catch (error) {
      const owners = lostNode(error) === null ? [] : byOwner(group, ({ item }) => options.ownerOf?.(item));
      if (owners.length < 2) throw error;
      for (const own of owners)
        await extendAtOnce(own).catch((failure) => {
          // Nobody can claim them either.
          if (lostNode(failure) === null) throw failure;
        });
    }
  }

  async function extendAtOnce(group: readonly Held<Item>[]): Promise<void> {
    const askedAt = mark();
    const fences = group.map(({ item }) => fenceOf(item));
    const kept = await options.extend(group.map(({ item }) => item));
    for (const [at, entry] of group.entries()) {
      const key = keyOf(entry.item);
      // Recorded or claimed again meanwhile: the answer is outdated.
      if (held.get(key) !== entry || fenceOf(entry.item) !== fences[at]) continue;
      if (kept.has(key)) entry.since = askedAt;
      else lose(entry);
    }
  }

  function lose(entry: Held<Item>): void {
    // Another process may repeat irreversible work: at least count it.
    if (!entry.handedOver) entry.abort.abort(new Error('the lease was lost'));
  }

  return (ms) => {
    const nowMs = clock.monotonicMs();
    if (extending !== null && nowMs - extending.atMs < EXTEND_PATIENCE_MS) return extending.done;
    const old = [...held.values()].filter((entry) => ageMs(entry.since) >= ms);
    if (old.length === 0) return Promise.resolve();
    const mine = { done: extendAll(old), atMs: nowMs };
    extending = mine;
    return mine.done.finally(() => {
      if (extending === mine) extending = null;
    });
  };
}

function soon(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
