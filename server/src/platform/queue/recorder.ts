import type { Clock } from '../clock.ts';
import { isUnavailable } from '../database/failures.ts';
import type { LoopLog } from '../logger.ts';

/**
 * Writes results in groups, because commits are the cost. While they cannot be written, nothing new may
 * begin: it would be repeated after a crash.
 */
export interface Recorder<Item, Result> {
  add(item: Item, result: Result): void;
  /** Some work ended, with or without a result. */
  workEnded(): void;
  /** True if the database answered another query. */
  noteAnswer(answered: boolean): void;
  /** Results wait longer than a commit takes, or exceed one group. */
  isBehind(): boolean;
  /** Behind, or the database is away. */
  isHeldUp(): boolean;
  untilClear(ms: number): Promise<void>;
  /** No more gathering. */
  hurry(): void;
  /** From here on each result has one more try. */
  lastTries(): void;
  readonly recording: boolean;
  /** Ends with the recording under way. */
  recorded(): Promise<void>;
}

export interface RecorderOptions<Item, Result> {
  readonly name: string;
  readonly clock: Clock;
  readonly log: LoopLog;
  readonly gatherMs?: number;
  record(results: Result[]): Promise<void>;
  /** Written, or given up: the lease runs out and the work is done again. */
  onRecorded(items: readonly Item[]): void;
  /** How much work is under way. */
  active(): number;
}

const RECORD_GROUP = 256;
/**
 * Bounds unwritten results, which a crash would lose or repeat. Two groups: one is written while the next
 * gathers.
 */
const UNRECORDED_MAX = 2 * RECORD_GROUP;
const UNRECORDED_MAX_MS = 1_000;
/** Tries for a result that the database itself refuses. */
const RECORD_TRIES = 3;
/** Back-off after a failed query (ms), doubled up to the maximum. */
const BACKOFF_MIN_MS = 100;
const BACKOFF_MAX_MS = 5_000;

export const backOffMs = (failures: number): number =>
  Math.min(BACKOFF_MIN_MS * 2 ** (failures - 1), BACKOFF_MAX_MS);

/** Finished work that is not recorded yet. */
interface Done<Item, Result> {
  readonly item: Item;
  readonly result: Result;
  readonly atMs: number;
}

export function createRecorder<Item, Result>(options: RecorderOptions<Item, Result>): Recorder<Item, Result> {
  const { clock, gatherMs = 0, active } = options;
  const state = { away: false, hurries: gatherMs === 0, lastTry: false };
  let results: Done<Item, Result>[] = [];
  let recording = false;
  let recorder: Promise<void> = Promise.resolve();
  let gathered: (() => void) | null = null;
  const onClear = new Set<() => void>();

  const isFull = () => active() === 0 || results.length >= RECORD_GROUP;

  function isBehind(): boolean {
    if (results.length === 0) return false;
    if (state.away || results.length >= UNRECORDED_MAX) return true;
    return clock.monotonicMs() - results[0]!.atMs >= UNRECORDED_MAX_MS;
  }

  const isHeldUp = () => state.away || isBehind();

  function noteAnswer(answered: boolean): void {
    state.away = !answered;
    if (!isHeldUp()) for (const clear of [...onClear]) clear();
  }

  /** Waits for more results to come, for as long as more can come. */
  async function gather(): Promise<void> {
    if (state.hurries || isFull()) return;
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
        const written = group.map(({ result }) => result);
        await writeGroup(options, written, { noteAnswer, isLastTry: () => state.lastTry });
        results = results.slice(group.length);
        options.onRecorded(group.map(({ item }) => item));
        noteAnswer(true);
      }
    } finally {
      recording = false;
    }
  }

  return {
    add: (item, result) => void results.push({ item, result, atMs: clock.monotonicMs() }),
    workEnded() {
      if (!recording) recorder = recordAll();
      else if (isFull()) gathered?.();
    },
    noteAnswer,
    isBehind,
    isHeldUp,
    untilClear: (ms) => calledWithin(ms, onClear),
    hurry() {
      state.hurries = true;
      gathered?.();
    },
    lastTries() {
      state.lastTry = true;
    },
    recorded: () => recorder,
    get recording() {
      return recording;
    },
  };
}

function calledWithin(ms: number, callbacks: Set<() => void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(called, ms);
    function called(): void {
      clearTimeout(timer);
      callbacks.delete(called);
      resolve();
    }
    callbacks.add(called);
  });
}

/**
 * Results exist only here until they are written: a database that is away is waited for; a result that cannot
 * be written stops no other.
 */
async function writeGroup<Result>(
  options: Pick<RecorderOptions<unknown, Result>, 'name' | 'log' | 'record'>,
  group: Result[],
  state: { noteAnswer(answered: boolean): void; isLastTry(): boolean },
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await options.record(group);
    } catch (error) {
      options.log.error(
        { err: error, loop: options.name, results: group.length },
        'recording results failed',
      );
      if (isUnavailable(error)) state.noteAnswer(false);
      else if (group.length > 1) {
        for (const result of group) await writeGroup(options, [result], state);
        return;
      }
      // Its lease runs out and it is done again: visible, and better than holding up all others.
      else if (attempt >= RECORD_TRIES) return;
      // An interrupted result has had its one try, too.
      if (state.isLastTry()) return;
      await new Promise((resolve) => setTimeout(resolve, backOffMs(attempt)));
    }
  }
}
