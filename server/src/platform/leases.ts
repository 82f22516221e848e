import { setMaxListeners } from 'node:events';
import type { Clock } from './clock.ts';
import { every } from './every.ts';
import type { Stop, StopController } from './light-abort.ts';
import type { LoopLog } from './logger.ts';

/**
 * What this process holds, from claim to record. Leases are short and extended while work continues, so that
 * what a killed process held moves again within seconds, however long a piece of work may take. The
 * database's clock alone decides when a lease ends there; here its age is counted from before the claim was
 * asked for, so that we never believe in a lease for longer than the database does. A lease found lost ends
 * its work: another process has it.
 */
export interface Leases<Item, Signal extends Stop = AbortSignal> {
  /**
   * Takes what was claimed into the books; returns what is new. `askedAt`: `mark()` of before the claim was
   * sent.
   */
  hold(items: readonly Item[], askedAt: Mark): Item[];
  /** Now, for `hold`. */
  mark(): Mark;
  /** Aborted when the lease is lost, or by `abortAll`. */
  signalOf(item: Item): Signal;
  /**
   * Whether enough of the lease is left to begin what cannot be taken back; asks for more where it is not.
   */
  isSafe(item: Item): boolean | Promise<boolean>;
  /** How much is left of the lease as far as we know (ms); negative: none. */
  leftMs(item: Item): number;
  /** What is done can no longer be undone (true): a loss of the lease no longer breaks it off. */
  setHandedOver(item: Item, handedOver: boolean): void;
  /** Breaks off what is held of one item, or of all. */
  abort(item: Item, reason: unknown): void;
  abortAll(reason: unknown): void;
  /** Strikes items out of the books. */
  drop(items: readonly Item[]): void;
  readonly size: number;
  /** Extends the leases that have run for a while; called by the timer, and by tests. */
  extend(): Promise<void>;
  start(): void;
  stop(): void;
}

export interface LeasesOptions<Item> {
  readonly clock: Clock;
  readonly log: LoopLog;
  /** For the log: what is leased. */
  readonly name: string;
  keyOf(item: Item): string;
  /**
   * Extends the leases of these items by LEASE_MS from the database's now; returns the keys of those that are
   * still ours.
   */
  extend(items: readonly Item[]): Promise<ReadonlySet<string>>;
  /**
   * What fences an item's write-back: an answer about another fence than the present one is about the past.
   */
  fenceOf?(item: Item): unknown;
  /** Claimed again by us while it is held: `known` gets what `item` says. */
  onHeldAgain?(known: Item, item: Item): void;
  /**
   * The machine's wall clock (ms): it continues while the machine sleeps, which the monotonic clock does not.
   */
  readonly wallMs?: () => number;
}

/** How long a claim holds without being extended: what a killed process held moves again after this time. */
export const LEASE_MS = 15_000;
/** As SQL: the end of a lease that begins now. */
export const LEASE_END = `now() + ${LEASE_MS} * interval '1 millisecond'`;
/** The same inside a transaction that may have begun a while ago. */
export const LEASE_END_OF_STATEMENT = `statement_timestamp() + ${LEASE_MS} * interval '1 millisecond'`;
/**
 * The same where one column says when work is due and until when it is leased: by the caller's clock, which
 * in service is the database's.
 */
export const leaseEnd = (clock: Clock): Date => new Date(clock.now().getTime() + LEASE_MS);
/** Leases this old are extended; several tries fit before one ends. */
const EXTEND_AFTER_MS = 4_000;
const EXTEND_EVERY_MS = 1_000;
/** An extension that has no answer after this time is asked for again beside it, over another connection. */
const EXTEND_PATIENCE_MS = 3_000;
/**
 * Extensions that are waited for: one under way may have been asked for what another claim of ours has
 * changed since.
 */
const EXTEND_TRIES = 2;
/** Most leases in one statement. */
const EXTEND_GROUP = 1_000;
/**
 * With less than this left nothing begins that cannot be taken back: bytes on their way take some time to
 * arrive.
 */
export const LEASE_MARGIN_MS = 4_000;

/** A moment on both of the machine's clocks. */
export interface Mark {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export function markOf(clock: Clock, wallMs: () => number = Date.now): Mark {
  return { monotonicMs: clock.monotonicMs(), wallMs: wallMs() };
}

/** By the clock that says more (ms): one stands still while the machine sleeps, the other can be set back. */
function ageOf(since: Mark, now: Mark): number {
  return Math.max(now.monotonicMs - since.monotonicMs, now.wallMs - since.wallMs);
}

/** Of a lease that began then (ms). */
export const leaseLeftMs = (since: Mark, now: Mark): number => LEASE_MS - ageOf(since, now);

interface Held<Item, Signal extends Stop = Stop> {
  readonly item: Item;
  readonly abort: StopController<Signal>;
  since: Mark;
  handedOver: boolean;
}

/** Leases whose work hears of its end from an AbortSignal; it may have many parts that do. */
export function createLeases<Item>(options: LeasesOptions<Item>): Leases<Item> {
  return createLeasesWith(options, newAbortController);
}

/** One to whose signal any number may listen. */
export function newAbortController(): AbortController {
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  return abort;
}

/** As createLeases, with what `newAbort` makes for each item. */
export function createLeasesWith<Item, Signal extends Stop>(
  options: LeasesOptions<Item>,
  newAbort: () => StopController<Signal>,
): Leases<Item, Signal> {
  const { clock, keyOf, wallMs = Date.now } = options;
  const held = new Map<string, Held<Item, Signal>>();

  const mark = () => markOf(clock, wallMs);

  const ageMs = (since: Mark) => ageOf(since, mark());

  const extendOlderThan = createExtension(options, held, { mark, ageMs });

  // Nothing is waited for: an extension without an answer does not keep the next one from being asked for.
  const extensions = every(EXTEND_EVERY_MS, () => void extendOlderThan(EXTEND_AFTER_MS));

  function leftMs(item: Item): number {
    const entry = held.get(keyOf(item));
    return entry === undefined ? Number.NEGATIVE_INFINITY : leaseLeftMs(entry.since, mark());
  }

  async function extendNow(item: Item): Promise<boolean> {
    const signal = held.get(keyOf(item))?.abort.signal;
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
        const known = held.get(key);
        if (known !== undefined) {
          options.onHeldAgain?.(known.item, item);
          known.since = askedAt;
          continue;
        }
        held.set(key, { item, abort: newAbort(), since: askedAt, handedOver: false });
        fresh.push(item);
      }
      return fresh;
    },
    signalOf(item) {
      const known = held.get(keyOf(item))?.abort;
      if (known !== undefined) return known.signal;
      const ended = newAbort();
      ended.abort(new Error('this is not held'));
      return ended.signal;
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
      for (const item of items) held.delete(keyOf(item));
    },
    get size() {
      return held.size;
    },
    extend: () => extendOlderThan(EXTEND_AFTER_MS),
    start: extensions.start,
    stop: () => void extensions.stop(),
  };
}

/**
 * Extends what is held and older than so much (ms); one extension at a time, unless it has no answer for
 * long.
 */
function createExtension<Item>(
  options: LeasesOptions<Item>,
  held: ReadonlyMap<string, Held<Item>>,
  { mark, ageMs }: { mark(): Mark; ageMs(since: Mark): number },
): (ms: number) => Promise<void> {
  const { clock, log, name, keyOf } = options;
  const fenceOf = options.fenceOf ?? (() => null);
  /** The extension under way, and when it was asked for. */
  let extending: { readonly done: Promise<void>; readonly atMs: number } | null = null;

  async function extendAll(old: readonly Held<Item>[]): Promise<void> {
    try {
      for (let from = 0; from < old.length; from += EXTEND_GROUP)
        await extendGroup(old.slice(from, from + EXTEND_GROUP));
    } catch (error) {
      // Nobody else can claim while the database is away; when it is back, the next try or a claim of our own
      // finds them again.
      log.warn({ err: error, leases: name }, 'extending leases failed; trying again');
    }
  }

  async function extendGroup(group: readonly Held<Item>[]): Promise<void> {
    const askedAt = mark();
    const fences = group.map(({ item }) => fenceOf(item));
    const kept = await options.extend(group.map(({ item }) => item));
    for (const [at, entry] of group.entries()) {
      const key = keyOf(entry.item);
      // Recorded or claimed again by us meanwhile: what the statement said is about the past.
      if (held.get(key) !== entry || fenceOf(entry.item) !== fences[at]) continue;
      if (kept.has(key)) entry.since = askedAt;
      else lose(entry);
    }
  }

  function lose(entry: Held<Item>): void {
    // Whoever has it now may do it again: what is out of our hands is at least to be known.
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
