import { notAccepted } from '../errors.ts';
import { createWaitingQueue, type Waiting, type WaitingQueue } from './waiting.ts';

/**
 * Gathers what arrives while a commit is in flight and commits it together: one fsync for many sends. Each
 * caller gets its own outcome; a group that fails as a whole is tried item by item, so that one bad item
 * fails no neighbour.
 */
export interface GroupCommit<Item, Outcome> {
  /**
   * Resolves once the item's group is on disk. Throws `unavailable` when more is waiting than the limits
   * allow, or when its commit does not begin in time: then nothing of it was stored.
   */
  submit(item: Item): Promise<Outcome>;
  /** As submit, for items that should land in one group where limits allow. */
  submitAll(items: readonly Item[]): Promise<PromiseSettledResult<Outcome>[]>;
  /** Waits until nothing is waiting or in flight. */
  drain(): Promise<void>;
  readonly waiting: number;
  /** How long the item of a lane that waits longest has waited (ms): 0 when none does. */
  waitedMs(lane: string): number;
}

export interface GroupCommitOptions<Item, Outcome> {
  /**
   * Commits a group and returns one outcome an item, in order. A throw means that nothing of the group was
   * committed.
   */
  commit(group: readonly Item[]): Promise<Outcome[]>;
  /**
   * Two items that share a key never share a group: the second must see what became of the first. They are of
   * one lane.
   */
  keysOf(item: Item): readonly string[];
  /** Messages in an item. */
  countOf(item: Item): number;
  /**
   * What items of a commit lock for each other: two groups in flight never share a lane. The second would
   * only hold a connection while it waits for the first, and what arrives meanwhile is better gathered into
   * one group than split over two.
   */
  laneOf(item: Item): string;
  /** True where a group should be of one lane alone; asked for each group. */
  oneLane?(): boolean;
  sizeOf(item: Item): number;
  /** Groups in flight at once. */
  flushes: number;
  /**
   * True when the error is about the database and not about an item: then nothing is gained by trying items
   * alone.
   */
  isUnavailable(error: unknown): boolean;
  onFlush?(items: number, ms: number): void;
  /** Longest wait for a commit to begin (ms). */
  waitMaxMs?: number;
}

/**
 * Most messages and bytes in one group, unless one item alone has more: keeps a commit in the low
 * milliseconds and its parameters in the low megabytes.
 */
const GROUP_MESSAGES = 256;
const GROUP_BYTES = 16 * 1024 * 1024;
/**
 * An item of this many bytes or more is heavy. It shares no group with light ones, which would wait for its
 * bytes to be written, and of the groups in flight one is left to them.
 */
const HEAVY_BYTES = 256 * 1024;
/**
 * The maximum for a group of heavy items: every commit meanwhile waits until the write-ahead log is written
 * up to its own.
 */
const HEAVY_GROUP_BYTES = 4 * 1024 * 1024;
/**
 * A send whose commit does not begin within this time (ms) is refused for now, before anything of it is
 * stored.
 */
export const COMMIT_WAIT_MAX_MS = 1_400;

interface Submitted<Item, Outcome> extends Waiting {
  readonly item: Item;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

export function createGroupCommit<Item, Outcome>(
  options: GroupCommitOptions<Item, Outcome>,
): GroupCommit<Item, Outcome> {
  const { waitMaxMs = COMMIT_WAIT_MAX_MS } = options;
  const queue = createWaitingQueue<Submitted<Item, Outcome>>();
  let inFlight = 0;
  let heavyInFlight = 0;
  const heavyMax = Math.max(1, options.flushes - 1);
  let scheduled = false;
  const idle: (() => void)[] = [];
  /** Lanes of the groups now in flight. */
  const busyLanes = new Set<string>();

  const { expire, expireLater } = createExpiry(queue, waitMaxMs, tellIdle);

  function tellIdle(): void {
    if (queue.length === 0 && inFlight === 0) for (const done of idle.splice(0)) done();
  }

  /** At the end of the event loop's turn: requests that arrived together are committed together. */
  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      expire();
      while (inFlight < options.flushes && queue.length > 0) {
        const group = takeGroup(options, queue, busyLanes, heavyInFlight < heavyMax);
        if (group.length === 0) return;
        void flush(group);
      }
    });
  }

  async function flush(group: Submitted<Item, Outcome>[]): Promise<void> {
    const heavy = isHeavy(group[0]!) ? 1 : 0;
    inFlight++;
    heavyInFlight += heavy;
    const startedMs = performance.now();
    try {
      await commitGroup(options, group);
    } finally {
      inFlight--;
      heavyInFlight -= heavy;
      let messages = 0;
      for (const { item, lane } of group) {
        busyLanes.delete(lane);
        messages += options.countOf(item);
      }
      options.onFlush?.(messages, performance.now() - startedMs);
      if (queue.length > 0) schedule();
      else tellIdle();
    }
  }

  function submit(item: Item): Promise<Outcome> {
    const lane = options.laneOf(item);
    const bytes = options.sizeOf(item);
    return new Promise((resolve, reject) => {
      if (!queue.push({ item, lane, bytes, sinceMs: performance.now(), resolve, reject }))
        return reject(notAccepted());
      expireLater();
      schedule();
    });
  }

  return {
    submit,
    submitAll: (items) => Promise.allSettled(items.map(submit)),
    drain: () =>
      queue.length === 0 && inFlight === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve)),
    get waiting() {
      return queue.length;
    },
    waitedMs(lane) {
      const firstMs = queue.firstMs(lane);
      return firstMs === null ? 0 : performance.now() - firstMs;
    },
  };
}

/**
 * Refuses what has waited for `waitMaxMs`; asked for with `expire`, and by a timer while `expireLater` knows
 * of some.
 */
function createExpiry<Item, Outcome>(
  queue: WaitingQueue<Submitted<Item, Outcome>>,
  waitMaxMs: number,
  onExpired: () => void,
) {
  let expiry: NodeJS.Timeout | undefined;

  /** What waits for too long is given up: a late answer is useless, and others wait after it. */
  function expire(): void {
    clearTimeout(expiry);
    expiry = undefined;
    for (const late of queue.takeUntil(performance.now() - waitMaxMs)) late.reject(notAccepted());
    expireLater();
    onExpired();
  }

  function expireLater(): void {
    const firstMs = queue.firstMs();
    if (firstMs === null) return;
    // Timers may come a little early.
    expiry ??= setTimeout(expire, Math.max(0, firstMs + waitMaxMs - performance.now()) + 1);
  }

  return { expire, expireLater };
}

function isHeavy({ bytes }: Waiting): boolean {
  return bytes >= HEAVY_BYTES;
}

/** What can be committed together now, oldest first, heavy or light; its lanes are busy then. */
function takeGroup<Item, Outcome>(
  options: GroupCommitOptions<Item, Outcome>,
  queue: WaitingQueue<Submitted<Item, Outcome>>,
  busyLanes: Set<string>,
  heavyToo: boolean,
): Submitted<Item, Outcome>[] {
  const keys = new Set<string>();
  let bytes = 0;
  let messages = 0;
  let heavy: boolean | null = heavyToo ? null : false;
  const oneLane = options.oneLane?.() === true;
  let only: string | null = null;
  const group = queue.take((waiting) => {
    if (messages >= GROUP_MESSAGES) return 'stop';
    const { item, lane, bytes: size } = waiting;
    if (only !== null && lane !== only) return 'leave';
    if (busyLanes.has(lane) || (heavy !== null && isHeavy(waiting) !== heavy)) return 'leave';
    const count = options.countOf(item);
    const most = heavy === true ? HEAVY_GROUP_BYTES : GROUP_BYTES;
    if (messages > 0 && (bytes + size > most || messages + count > GROUP_MESSAGES)) return 'leave';
    const itemKeys = options.keysOf(item);
    if (itemKeys.some((key) => keys.has(key))) return 'leave';
    for (const key of itemKeys) keys.add(key);
    if (oneLane) only = lane;
    heavy = isHeavy(waiting);
    bytes += size;
    messages += count;
    return 'take';
  });
  for (const { lane } of group) busyLanes.add(lane);
  return group;
}

/** Items of a failed group succeed or fail alone, unless the database is away. */
async function commitGroup<Item, Outcome>(
  options: GroupCommitOptions<Item, Outcome>,
  group: readonly Submitted<Item, Outcome>[],
): Promise<void> {
  try {
    const outcomes = await options.commit(group.map(({ item }) => item));
    for (const [at, waiting] of group.entries()) waiting.resolve(outcomes[at]!);
  } catch (error) {
    if (group.length === 1 || options.isUnavailable(error)) {
      for (const waiting of group) waiting.reject(error);
      return;
    }
    for (const waiting of group) await commitGroup(options, [waiting]);
  }
}
