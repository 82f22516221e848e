import type { Clock } from '../clock.ts';
import { isUnavailable, lostNode } from '../database/failures.ts';
import type { Stop } from '../light-abort.ts';
import type { LoopLog } from '../logger.ts';
import { createWait, type IdleBackOff } from './idle-back-off.ts';
import type { Leases } from './leases.ts';
import { backOffMs, createRecorder } from './recorder.ts';

/**
 * Background work: claim → act → decide → record. README.md shows the states of a row.
 *
 * `claim` leases due items of one shard (a tenant), `act` works on one item without a transaction, `record`
 * writes a group of results in one transaction, each fenced. Shards take turns, so that a flood in one delays
 * no other.
 */
export interface LoopOptions<Item, Result> {
  name: string;
  clock: Clock;
  log: LoopLog;
  /** Shards with due work, in any order. */
  shards(): Promise<string[]>;
  /** `shards` returns them in turn order. */
  inOrder?: boolean;
  claim(shard: string, limit: number): Promise<Item[]>;
  /** Started and stopped by the loop. */
  leases: Leases<Item>;
  /**
   * Does the work; `signal` aborts on a stop or a lost lease. An expected failure is a result; a throw is a
   * fault, and the lease expires.
   */
  act(item: Item, signal: Stop): Promise<Result>;
  record(results: Result[]): Promise<void>;
  /** The account: results of one on a lost node hold up no others. */
  ownerOf?(item: Item): string;
  concurrency: number;
  perTurn?: number;
  pollMs: number;
  idleBackOff?: IdleBackOff | undefined;
  /** Shortest time between rounds of claims while there is work (ms): gathering makes claims larger. */
  roundMs?: number;
  /** Gathers results for this long (ms). */
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
const HELD_UP_LOOK_MS = 250;
const GRACE_MS = 5_000;
/** For work that was aborted, to end (ms). */
const LAST_GRACE_MS = 500;
const STOP_LOOK_MS = 10;

/** One account's lost node stops no other. */
async function claimOf<Item, Result>(
  { claim }: LoopOptions<Item, Result>,
  shard: string,
  limit: number,
): Promise<Item[]> {
  try {
    return await claim(shard, limit);
  } catch (error) {
    if (lostNode(error) === null) throw error;
    return [];
  }
}

export function createLoop<Item, Result>(options: LoopOptions<Item, Result>): Loop<Item> {
  const { name, log, leases, idleBackOff } = options;
  const wait = createWait(idleBackOff);
  const work = createWork(options, wait.wake);
  const { recorder } = work;
  let running = false;
  let runner: Promise<void> = Promise.resolve();
  /** The next round starts after this shard. */
  let lastShard = '';
  const pace = createPace(options);

  async function run(): Promise<void> {
    for (let failures = 0; running; ) {
      wait.listen();
      try {
        const found = work.active < options.concurrency && !recorder.isBehind() ? await claimRound() : 0;
        failures = 0;
        if (found > 0) idleBackOff?.stir();
        else if (running) await wait.between(options.pollMs);
      } catch (error) {
        log.warn({ err: error, loop: name }, 'claiming work failed; trying again');
        if (isUnavailable(error)) recorder.noteAnswer(false);
        wait.listen();
        await wait.upTo(backOffMs(++failures));
      }
    }
  }

  async function claimRound(): Promise<number> {
    await pace();
    const due = await options.shards();
    if (!recorder.isBehind()) recorder.noteAnswer(true);
    let claimed = 0;
    for (const shard of options.inOrder === true ? due : startingAfter(lastShard, due)) {
      const room = options.concurrency - work.active;
      if (room <= 0 || !running) break;
      lastShard = shard;
      const askedAt = leases.mark();
      const found = await claimOf(options, shard, Math.min(room, options.perTurn ?? PER_TURN));
      claimed += work.begin(leases.hold(found, askedAt));
    }
    return claimed;
  }

  return {
    start() {
      if (running) return;
      running = true;
      leases.start();
      runner = run();
    },
    wake: wait.wake,
    async stop(graceMs = GRACE_MS) {
      running = false;
      wait.wake();
      recorder.hurry();
      await runner;
      await work.ended(graceMs);
      leases.abortAll(new Error('shutting down'));
      recorder.lastTries();
      await work.ended(LAST_GRACE_MS);
      await recorder.recorded();
      leases.stop();
    },
    get isOpen() {
      return running && !recorder.isHeldUp();
    },
    give(items) {
      idleBackOff?.stir();
      work.begin(leases.hold(items, leases.mark()));
    },
    get active() {
      return work.active;
    },
    get heldUp() {
      return recorder.isHeldUp();
    },
    untilClear: recorder.untilClear,
  };
}

/** EndpointTurns are `roundMs` apart while something is held. */
function createPace<Item, Result>({ clock, leases, roundMs = 0 }: LoopOptions<Item, Result>) {
  let roundAtMs = Number.NEGATIVE_INFINITY;
  return async (): Promise<void> => {
    const waitMs = roundAtMs + roundMs - clock.monotonicMs();
    if (waitMs > 0 && leases.size > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    roundAtMs = clock.monotonicMs();
  };
}

function startingAfter(last: string, shards: string[]): string[] {
  const from = shards.sort().findIndex((shard) => shard > last);
  return from <= 0 ? shards : [...shards.slice(from), ...shards.slice(0, from)];
}

function createWork<Item, Result>(options: LoopOptions<Item, Result>, onEnded: () => void) {
  const { name, log, clock, leases } = options;
  let active = 0;
  const recorder = createRecorder<Item, Result>({
    ...options,
    onRecorded: leases.drop,
    active: () => active,
  });

  /** Nothing begins while results cannot be written, or on an expired lease. */
  async function untilSafe(item: Item, signal: Stop): Promise<void> {
    while (recorder.isHeldUp() && !signal.aborted) await recorder.untilClear(HELD_UP_LOOK_MS);
    if (!(await leases.isSafe(item))) leases.abort(item, new Error('the lease has expired'));
  }

  async function begin(item: Item): Promise<void> {
    active++;
    try {
      const signal = leases.signalOf(item);
      if (recorder.isHeldUp()) await untilSafe(item, signal);
      recorder.add(item, await options.act(item, signal));
    } catch (error) {
      leases.drop([item]);
      log.error({ err: error, loop: name }, 'work failed; it will be retried when its lease ends');
    }
    active--;
    recorder.workEnded();
    onEnded();
  }

  return {
    recorder,
    begin(items: readonly Item[]): number {
      for (const item of items) void begin(item);
      return items.length;
    },
    async ended(withinMs: number): Promise<void> {
      const deadline = clock.monotonicMs() + withinMs;
      while ((active > 0 || recorder.recording) && clock.monotonicMs() < deadline)
        await new Promise((resolve) => setTimeout(resolve, STOP_LOOK_MS));
    },
    get active() {
      return active;
    },
  };
}
