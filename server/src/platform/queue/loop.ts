import type { Clock } from '../clock.ts';
import { isUnavailable } from '../database/failures.ts';
import type { Stop, StopController } from '../light-abort.ts';
import type { LoopLog } from '../logger.ts';
import type { IdleBackOff } from './idle-back-off.ts';
import { createLeasesWith, type Leases, type Mark, newAbortController } from './leases.ts';

/**
 * Background work: claim → act → decide → record.
 *
 * `claim` leases due items of one shard (a tenant) with an attempt number, `act` works on one item without a
 * transaction, `record` writes a group of results in one transaction, each fenced by its attempt number.
 * Shards take turns, so that a flood in one delays no other. After a crash leases expire and items come due
 * again. While results cannot be written, nothing new begins: it would be repeated after a crash.
 */
export interface LoopOptions<Item, Result, Signal extends Stop = AbortSignal> {
  name: string;
  clock: Clock;
  log: LoopLog;
  /** Shards with due work, in any order. */
  shards(): Promise<string[]>;
  /** `shards` returns them in turn order. */
  inOrder?: boolean;
  claim(shard: string, limit: number): Promise<Item[]>;
  /** How claims are kept during the work; absent: `claim` handles that. */
  leases?: {
    keyOf(item: Item): string;
    /** Extends by LEASE_MS from the database's now; returns the keys still ours. */
    extend(items: readonly Item[]): Promise<ReadonlySet<string>>;
    /** When it was leased, if before `claim`. */
    sinceOf?(item: Item): Mark | undefined;
  };
  /**
   * Does the work; `signal` aborts on a stop or a lost lease. An expected failure is a result; a throw is a
   * fault, and the lease expires.
   */
  act(item: Item, signal: Signal): Promise<Result>;
  /** Writes results in groups: commits are the cost. */
  record(results: Result[]): Promise<void>;
  concurrency: number;
  perTurn?: number;
  /** Longest wait between scans (ms). */
  pollMs: number;
  /** Lengthens that wait while idle. */
  quiet?: IdleBackOff | undefined;
  gatherMs?: number;
}

export interface Loop<Item = never> {
  start(): void;
  wake(): void;
  /** True while running and results can be written. */
  readonly isOpen: boolean;
  /** Starts leased items regardless of concurrency; if results cannot be written, later. */
  give(items: readonly Item[]): void;
  /** Stops claiming, lets work end (aborting it after `graceMs`) and records the results. */
  stop(graceMs?: number): Promise<void>;
  readonly active: number;
  /** True while unwritten results block irreversible work. */
  readonly heldUp: boolean;
  untilClear(ms: number): Promise<void>;
}

const PER_TURN = 32;
const RECORD_GROUP = 256;
/**
 * Bounds unwritten results, which a crash would lose or repeat. Two groups: one is written while the next
 * gathers.
 */
const UNRECORDED_MAX = 2 * RECORD_GROUP;
const UNRECORDED_MAX_MS = 1_000;
const HELD_UP_LOOK_MS = 250;
/** Tries for a result that the database itself refuses. */
const RECORD_TRIES = 3;
/** Back-off after a failed claim or record (ms), doubled up to the maximum. */
const BACKOFF_MIN_MS = 100;
const BACKOFF_MAX_MS = 5_000;

/** Finished work that is not recorded yet. */
interface Done<Item, Result> {
  readonly item: Item;
  readonly result: Result;
  readonly atMs: number;
}

export function createLoop<Item, Result>(options: LoopOptions<Item, Result>): Loop<Item> {
  return createLoopWith(options, newAbortController);
}

export function createLoopWith<Item, Result, Signal extends Stop>(
  options: LoopOptions<Item, Result, Signal>,
  newAbort: () => StopController<Signal>,
): Loop<Item> {
  const { name, log, clock } = options;
  const perTurn = options.perTurn ?? PER_TURN;
  const gatherMs = options.gatherMs ?? 0;
  const abort = newAbort();
  let running = false;
  let active = 0;
  let runner: Promise<void> = Promise.resolve();
  let wakeUp: (() => void) | null = null;
  let woken = false;
  let results: Done<Item, Result>[] = [];
  let recorder: Promise<void> = Promise.resolve();
  let recording = false;
  let gathered: (() => void) | null = null;
  /** The last query to the database failed. */
  let away = false;
  const onClear = new Set<() => void>();
  const leases = options.leases === undefined ? null : openLeases(options, options.leases, newAbort);
  /** The next round starts after this shard. */
  let lastShard = '';

  function wake(): void {
    woken = true;
    options.quiet?.stir();
    wakeUp?.();
  }

  /** Results wait longer than a commit takes, or exceed one group. */
  function isBehind(): boolean {
    if (results.length === 0) return false;
    if (away || results.length >= UNRECORDED_MAX) return true;
    return clock.monotonicMs() - results[0]!.atMs >= UNRECORDED_MAX_MS;
  }

  const isHeldUp = () => away || isBehind();

  function untilClear(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(clear, ms);
      function clear(): void {
        clearTimeout(timer);
        onClear.delete(clear);
        resolve();
      }
      onClear.add(clear);
    });
  }

  function noteAnswer(answered: boolean): void {
    away = !answered;
    if (!isHeldUp()) for (const clear of [...onClear]) clear();
  }

  function sleep(ms: number): Promise<void> {
    if (woken) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(done, ms);
      // Only longer waits need the wake-up.
      const forget = ms > options.pollMs ? options.quiet?.onceStirred(done) : undefined;
      function done(): void {
        clearTimeout(timer);
        forget?.();
        wakeUp = null;
        resolve();
      }
      wakeUp = done;
    });
  }

  async function run(): Promise<void> {
    let backoffMs = BACKOFF_MIN_MS;
    while (running) {
      woken = false;
      try {
        const found = active < options.concurrency && !isBehind() ? await claimRound() : 0;
        backoffMs = BACKOFF_MIN_MS;
        if (found > 0) options.quiet?.stir();
        else if (running) await sleep(options.quiet?.waitMs(options.pollMs) ?? options.pollMs);
      } catch (error) {
        log.warn({ err: error, loop: name }, 'claiming work failed; trying again');
        if (isUnavailable(error)) noteAnswer(false);
        woken = false;
        await sleep(backoffMs);
        backoffMs = Math.min(backoffMs * 2, BACKOFF_MAX_MS);
      }
    }
  }

  function behindLast(due: string[]): string[] {
    const from = due.findIndex((shard) => shard > lastShard);
    return from <= 0 ? due : [...due.slice(from), ...due.slice(0, from)];
  }

  async function claimRound(): Promise<number> {
    const due = await options.shards();
    if (results.length === 0) noteAnswer(true);
    const order = options.inOrder === true ? due : behindLast(due.sort());
    let claimed = 0;
    for (const shard of order) {
      const room = options.concurrency - active;
      if (room <= 0 || !running) break;
      lastShard = shard;
      const askedAt = leases?.mark();
      const found = await options.claim(shard, Math.min(room, perTurn));
      const items = leases === null ? found : hold(leases, found, askedAt!);
      claimed += items.length;
      for (const item of items) begin(item);
    }
    return claimed;
  }

  function hold(books: Leases<Item, Signal>, found: readonly Item[], askedAt: Mark): Item[] {
    const sinceOf = options.leases?.sinceOf;
    if (sinceOf === undefined) return books.hold(found, askedAt);
    return found.flatMap((item) => books.hold([item], sinceOf(item) ?? askedAt));
  }

  /** Nothing begins while results cannot be written, or on an expired lease. */
  async function actLater(item: Item, signal: Signal): Promise<Result> {
    while (isHeldUp() && !signal.aborted) await untilClear(HELD_UP_LOOK_MS);
    if (leases !== null && !(await leases.isSafe(item)))
      leases.abort(item, new Error('the lease has expired'));
    return options.act(item, signal);
  }

  function begin(item: Item): void {
    active++;
    const signal = leases?.signalOf(item) ?? abort.signal;
    (isHeldUp() ? actLater(item, signal) : options.act(item, signal))
      .then(
        (result) => {
          results.push({ item, result, atMs: clock.monotonicMs() });
        },
        (error) => {
          leases?.drop([item]);
          log.error({ err: error, loop: name }, 'work failed; it will be retried when its lease ends');
        },
      )
      .finally(() => {
        active--;
        if (!recording) recorder = recordAll();
        else if (active === 0 || results.length >= RECORD_GROUP) gathered?.();
        wake();
      });
  }

  /** Waits for more results to come, for as long as more can come. */
  async function gather(): Promise<void> {
    if (gatherMs === 0 || active === 0 || results.length >= RECORD_GROUP || !running) return;
    await new Promise<void>((resolve) => {
      gathered = resolve;
      setTimeout(resolve, gatherMs);
    });
    gathered = null;
  }

  async function recordAll(): Promise<void> {
    recording = true;
    try {
      while (results.length > 0) {
        await gather();
        const group = results.slice(0, RECORD_GROUP);
        await recordGroup(group.map(({ result }) => result));
        results = results.slice(group.length);
        leases?.drop(group.map(({ item }) => item));
        noteAnswer(true);
      }
    } finally {
      recording = false;
    }
  }

  /**
   * What was done is known only here until it is written: a database that is away is waited for; a result
   * that cannot be written stops no other.
   */
  async function recordGroup(group: Result[]): Promise<void> {
    let backoffMs = BACKOFF_MIN_MS;
    for (let attempt = 1; ; attempt++) {
      try {
        return await options.record(group);
      } catch (error) {
        log.error({ err: error, loop: name, results: group.length }, 'recording results failed');
        if (isUnavailable(error)) noteAnswer(false);
        else {
          if (group.length > 1) return recordOneByOne(group);
          // Its lease runs out and it is done again: visible, and better than holding up all others.
          if (attempt >= RECORD_TRIES) return;
        }
        // Stopping: what was interrupted has had its one try to be written, too.
        if (abort.signal.aborted) return;
        await new Promise((resolve) => setTimeout(resolve, backoffMs));
        backoffMs = Math.min(backoffMs * 2, BACKOFF_MAX_MS);
      }
    }
  }

  async function recordOneByOne(group: Result[]): Promise<void> {
    for (const result of group) await recordGroup([result]);
  }

  return {
    start() {
      if (running) return;
      running = true;
      leases?.start();
      runner = run();
    },
    wake,
    async stop(graceMs = 5_000) {
      running = false;
      wake();
      gathered?.();
      const deadline = options.clock.monotonicMs() + graceMs;
      await runner;
      while ((active > 0 || recording) && options.clock.monotonicMs() < deadline)
        await new Promise((resolve) => setTimeout(resolve, 10));
      const reason = new Error('shutting down');
      abort.abort(reason);
      leases?.abortAll(reason);
      const lastLook = options.clock.monotonicMs() + 500;
      while ((active > 0 || recording) && options.clock.monotonicMs() < lastLook)
        await new Promise((resolve) => setTimeout(resolve, 10));
      await recorder;
      leases?.stop();
    },
    get isOpen() {
      return running && !isHeldUp();
    },
    give(items) {
      options.quiet?.stir();
      for (const item of leases === null ? items : hold(leases, items, leases.mark())) begin(item);
    },
    get active() {
      return active;
    },
    get heldUp() {
      return isHeldUp();
    },
    untilClear,
  };
}

function openLeases<Item, Result, Signal extends Stop>(
  { name, clock, log }: LoopOptions<Item, Result, Signal>,
  by: NonNullable<LoopOptions<Item, Result, Signal>['leases']>,
  newAbort: () => StopController<Signal>,
): Leases<Item, Signal> {
  const { keyOf, extend } = by;
  return createLeasesWith({ clock, log, name, keyOf, extend }, newAbort);
}
