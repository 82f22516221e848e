export interface WaitingQueue<W extends Waiting> {
  readonly length: number;
  /** False: full. */
  push(waiting: W): boolean;
  /** Takes out the sends that came at `ms` or before. */
  takeUntil(ms: number): W[];
  /** Asks `pick` for each send, from the first on until it says `stop`, and takes out those it chose. */
  take(pick: (waiting: W) => 'take' | 'leave' | 'stop'): W[];
  firstMs(lane?: string): number | null;
}

export interface Waiting {
  readonly lane: string;
  readonly bytes: number;
  readonly sinceMs: number;
}

/** Limits of waiting sends, in all and of one lane; beyond them a send is refused for now. */
const WAITING_ITEMS = 20_000;
const WAITING_BYTES = 256 * 1024 * 1024;
const LANE_WAITING_ITEMS = 10_000;
const LANE_WAITING_BYTES = 128 * 1024 * 1024;

interface Lane<W> {
  bytes: number;
  waiting: Set<W>;
}

export function createWaitingQueue<W extends Waiting>(): WaitingQueue<W> {
  let queue: W[] = [];
  let queuedBytes = 0;
  const lanes = new Map<string, Lane<W>>();

  function forget(waiting: W): void {
    queuedBytes -= waiting.bytes;
    const lane = lanes.get(waiting.lane)!;
    lane.bytes -= waiting.bytes;
    lane.waiting.delete(waiting);
    if (lane.waiting.size === 0) lanes.delete(waiting.lane);
  }

  return {
    get length() {
      return queue.length;
    },
    push(waiting) {
      const { bytes } = waiting;
      const lane = lanes.get(waiting.lane) ?? { bytes: 0, waiting: new Set<W>() };
      const full = queue.length >= WAITING_ITEMS || lane.waiting.size >= LANE_WAITING_ITEMS;
      // A single one is always accepted.
      const heavy = queuedBytes + bytes > WAITING_BYTES || lane.bytes + bytes > LANE_WAITING_BYTES;
      if (full || (heavy && queue.length > 0)) return false;
      queue.push(waiting);
      queuedBytes += bytes;
      lane.bytes += bytes;
      lane.waiting.add(waiting);
      lanes.set(waiting.lane, lane);
      return true;
    },
    takeUntil(ms) {
      let late = 0;
      while (late < queue.length && queue[late]!.sinceMs <= ms) late++;
      const taken = queue.splice(0, late);
      for (const waiting of taken) forget(waiting);
      return taken;
    },
    take(pick) {
      const taken: W[] = [];
      const left: W[] = [];
      for (let at = 0; at < queue.length; at++) {
        const verdict = pick(queue[at]!);
        if (verdict === 'stop') {
          for (; at < queue.length; at++) left.push(queue[at]!);
          break;
        }
        (verdict === 'take' ? taken : left).push(queue[at]!);
      }
      queue = left;
      for (const waiting of taken) forget(waiting);
      return taken;
    },
    firstMs(lane) {
      if (lane === undefined) return queue[0]?.sinceMs ?? null;
      const [first] = lanes.get(lane)?.waiting ?? [];
      return first?.sinceMs ?? null;
    },
  };
}
