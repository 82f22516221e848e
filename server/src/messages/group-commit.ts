import { apiError } from '../errors.ts';

/**
 * Gathers what arrives while a commit is in flight and commits it together: one fsync for many sends.
 * Each caller gets its own outcome; a group that fails as a whole is tried item by item, so that one bad item fails no neighbour.
 */
export interface GroupCommit<Item, Outcome> {
  /** Resolves once the item's group is on disk. Throws `unavailable` when more is waiting than the limits allow. */
  submit(item: Item): Promise<Outcome>;
  /** As submit, for items that should land in one group where limits allow. */
  submitAll(items: readonly Item[]): Promise<PromiseSettledResult<Outcome>[]>;
  /** Waits until nothing is waiting or in flight. */
  drain(): Promise<void>;
  readonly waiting: number;
}

export interface GroupCommitOptions<Item, Outcome> {
  /** Commits a group and returns one outcome an item, in order. A throw means that nothing of the group was committed. */
  commit(group: readonly Item[]): Promise<Outcome[]>;
  /** Two items that share a key never share a group: the second must see what became of the first. They are of one lane. */
  keysOf(item: Item): readonly string[];
  /** Messages in an item. */
  countOf(item: Item): number;
  /**
   * What items of a commit lock for each other: two groups in flight never share a lane. The second would only hold a connection
   * while it waits for the first, and what arrives meanwhile is better gathered into one group than split over two.
   */
  laneOf(item: Item): string;
  sizeOf(item: Item): number;
  /** Groups in flight at once. */
  flushes: number;
  /** True when the error is about the database and not about an item: then nothing is gained by trying items alone. */
  isUnavailable(error: unknown): boolean;
  onFlush?(items: number, ms: number): void;
}

/** Most messages and bytes in one group, unless one item alone has more: keeps a commit in the low milliseconds and its parameters in the low megabytes. */
const GROUP_MESSAGES = 256;
const GROUP_BYTES = 16 * 1024 * 1024;
/** What may wait before a send is told to come back later. */
const WAITING_ITEMS = 10_000;
const WAITING_BYTES = 256 * 1024 * 1024;
const RETRY_SECONDS = 1;

interface Waiting<Item, Outcome> {
  item: Item;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

export function createGroupCommit<Item, Outcome>(
  options: GroupCommitOptions<Item, Outcome>,
): GroupCommit<Item, Outcome> {
  let queue: Waiting<Item, Outcome>[] = [];
  let queuedBytes = 0;
  let inFlight = 0;
  let scheduled = false;
  const idle: (() => void)[] = [];
  /** Lanes of the groups now in flight. */
  const busyLanes = new Set<string>();

  function takeGroup(): Waiting<Item, Outcome>[] {
    const group: Waiting<Item, Outcome>[] = [];
    const left: Waiting<Item, Outcome>[] = [];
    const keys = new Set<string>();
    let bytes = 0;
    let messages = 0;
    for (let at = 0; at < queue.length; at++) {
      if (messages >= GROUP_MESSAGES) {
        left.push(...queue.slice(at));
        break;
      }
      const waiting = queue[at]!;
      const { item } = waiting;
      const size = options.sizeOf(item);
      const count = options.countOf(item);
      const full = group.length > 0 && (bytes + size > GROUP_BYTES || messages + count > GROUP_MESSAGES);
      const itemKeys = full || busyLanes.has(options.laneOf(item)) ? null : options.keysOf(item);
      if (itemKeys === null || itemKeys.some((key) => keys.has(key))) {
        left.push(waiting);
        continue;
      }
      for (const key of itemKeys) keys.add(key);
      group.push(waiting);
      bytes += size;
      messages += count;
    }
    queue = left;
    queuedBytes -= bytes;
    for (const { item } of group) busyLanes.add(options.laneOf(item));
    return group;
  }

  /** At the end of the current turn of the event loop: requests that arrived together are committed together. */
  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      while (inFlight < options.flushes && queue.length > 0) {
        const group = takeGroup();
        if (group.length === 0) return;
        void flush(group);
      }
    });
  }

  async function flush(group: Waiting<Item, Outcome>[]): Promise<void> {
    inFlight++;
    const startedMs = performance.now();
    try {
      await commitGroup(group);
    } finally {
      inFlight--;
      let messages = 0;
      for (const { item } of group) {
        busyLanes.delete(options.laneOf(item));
        messages += options.countOf(item);
      }
      options.onFlush?.(messages, performance.now() - startedMs);
      if (queue.length > 0) schedule();
      else if (inFlight === 0) for (const done of idle.splice(0)) done();
    }
  }

  async function commitGroup(group: Waiting<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await options.commit(group.map(({ item }) => item));
      for (const [at, waiting] of group.entries()) waiting.resolve(outcomes[at]!);
    } catch (error) {
      if (group.length === 1 || options.isUnavailable(error)) {
        for (const waiting of group) waiting.reject(error);
        return;
      }
      for (const waiting of group) await commitGroup([waiting]);
    }
  }

  function submit(item: Item): Promise<Outcome> {
    const size = options.sizeOf(item);
    if (queue.length >= WAITING_ITEMS || (queue.length > 0 && queuedBytes + size > WAITING_BYTES)) {
      return Promise.reject(apiError('unavailable', undefined, { retryAfterSeconds: RETRY_SECONDS }));
    }
    return new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      queuedBytes += size;
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
  };
}
