import { notAccepted } from '../errors.ts';
import { createWaitingQueue, type Waiting, type WaitingQueue } from './waiting-sends.ts';

/**
 * Commits whatever arrives during a commit together: one fsync for many sends. A failed group is retried item
 * by item.
 */
export interface GroupCommit<Item, Outcome> {
  /**
   * Durable when resolved. Throws `unavailable` beyond the limits or after the wait: then nothing was stored.
   */
  submit(item: Item): Promise<Outcome>;
  submitAll(items: readonly Item[]): Promise<PromiseSettledResult<Outcome>[]>;
  drain(): Promise<void>;
  readonly waiting: number;
  /** Longest wait in a lane (ms). */
  waitedMs(lane: string): number;
}

export interface GroupCommitOptions<Item, Outcome> {
  /** One outcome per item, in order. A throw: nothing was committed. */
  commit(group: readonly Item[]): Promise<Outcome[]>;
  /** Items with a common key never share a group, but share a lane. */
  keysOf(item: Item): readonly string[];
  countOf(item: Item): number;
  /** Items that lock the same rows share a lane; concurrent groups never do. */
  laneOf(item: Item): string;
  /** Groups of one lane only. */
  oneLane?(): boolean;
  sizeOf(item: Item): number;
  flushes: number;
  /** True: retrying single items is useless. */
  isUnavailable(error: unknown): boolean;
  onFlush?(items: number, ms: number): void;
  /** Absent: 1.4 s. */
  waitMaxMs?(): number;
}

/** Keeps a commit in milliseconds and its parameters in a few MiB. */
const GROUP_MESSAGES = 256;
const GROUP_BYTES = 16 * 1024 * 1024;
/** Heavy items (bytes) share no group with light ones, and leave one group to them. */
const HEAVY_BYTES = 256 * 1024;
/** Other commits wait for the WAL of a heavy group (bytes). */
const HEAVY_GROUP_BYTES = 4 * 1024 * 1024;
/** Longest wait for a commit to begin (ms), then 503. */
export const COMMIT_WAIT_MAX_MS = 1_400;

interface Submitted<Item, Outcome> extends Waiting {
  readonly item: Item;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

export function createGroupCommit<Item, Outcome>(
  options: GroupCommitOptions<Item, Outcome>,
): GroupCommit<Item, Outcome> {
  const waitMaxMs = options.waitMaxMs ?? (() => COMMIT_WAIT_MAX_MS);
  const queue = createWaitingQueue<Submitted<Item, Outcome>>();
  let inFlight = 0;
  let heavyInFlight = 0;
  const heavyMax = Math.max(1, options.flushes - 1);
  let scheduled = false;
  const idle: (() => void)[] = [];
  const busyLanes = new Set<string>();

  const { expire, expireLater } = createExpiry(queue, waitMaxMs, tellIdle);

  function tellIdle(): void {
    if (queue.length === 0 && inFlight === 0) for (const done of idle.splice(0)) done();
  }

  /** At the end of the event loop's turn, to gather concurrent requests. */
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

function createExpiry<Item, Outcome>(
  queue: WaitingQueue<Submitted<Item, Outcome>>,
  waitMaxMs: () => number,
  onExpired: () => void,
) {
  let expiry: NodeJS.Timeout | undefined;

  /** A late answer is useless, and delays others. */
  function expire(): void {
    clearTimeout(expiry);
    expiry = undefined;
    for (const late of queue.takeUntil(performance.now() - waitMaxMs())) late.reject(notAccepted());
    expireLater();
    onExpired();
  }

  function expireLater(): void {
    const firstMs = queue.firstMs();
    if (firstMs === null) return;
    // Timers may fire early.
    expiry ??= setTimeout(expire, Math.max(0, firstMs + waitMaxMs() - performance.now()) + 1);
  }

  return { expire, expireLater };
}

function isHeavy({ bytes }: Waiting): boolean {
  return bytes >= HEAVY_BYTES;
}

/** Oldest first, heavy or light; marks its lanes busy. */
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

/** One by one after a failed group, unless the database is away. */
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
