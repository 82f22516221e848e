import type { Clock } from '../clock.ts';
import { isUnavailable, lostNode } from '../database/failures.ts';
import type { LoopLog } from '../logger.ts';
import { byOwner } from './by-owner.ts';

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
  hurry(): void;
  /** From here on each result has one more try. */
  lastTries(): void;
  readonly recording: boolean;
  /** Ends with the recording under way. */
  recorded(): Promise<void>;
}

interface RecorderOptions<Item, Result> {
  readonly name: string;
  readonly clock: Clock;
  readonly log: LoopLog;
  readonly gatherMs?: number;
  record(results: Result[]): Promise<void>;
  /** The owner: results of an owner whose node is lost wait separately. */
  ownerOf?(item: Item): string;
  /** Written, or given up: the lease runs out and the work is done again. */
  onRecorded(items: readonly Item[]): void;
  active(): number;
}

const RECORD_GROUP = 256;
/**
 * Bounds unwritten results, which a crash would lose or repeat. Two groups: one is written while the next
 * gathers.
 */
const UNRECORDED_MAX = 2 * RECORD_GROUP;
const UNRECORDED_MAX_MS = 1_000;
/** Pause between tries for results of accounts on a lost node (ms). */
const PARKED_EVERY_MS = 1_000;
/** Tries for a result that the database itself refuses. */
const RECORD_TRIES = 3;
/** Back-off after a failed query (ms), doubled up to the maximum. */
const BACKOFF_MIN_MS = 100;
const BACKOFF_MAX_MS = 5_000;

export const backOffMs = (failures: number): number =>
  Math.min(BACKOFF_MIN_MS * 2 ** (failures - 1), BACKOFF_MAX_MS);

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

  const parked = createParked(options, { noteAnswer, isLastTry: () => state.lastTry });

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
        await parked.write(group);
        results = results.slice(group.length);
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
    async recorded() {
      await recorder;
      await parked.end();
    },
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

/** Results of accounts on a lost node, tried again until it is back: they hold up no others. */
function createParked<Item, Result>(
  options: RecorderOptions<Item, Result>,
  state: { noteAnswer(answered: boolean): void; isLastTry(): boolean },
) {
  let waiting: Done<Item, Result>[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  function retry(): void {
    timer = undefined;
    const group = waiting;
    waiting = [];
    writing = write(group);
  }

  function park(group: readonly Done<Item, Result>[]): void {
    if (group.length === 0) return;
    waiting.push(...group);
    const { name: loop, log } = options;
    log.warn({ loop, results: waiting.length }, 'results of accounts on a lost node wait for it');
    timer ??= setTimeout(retry, PARKED_EVERY_MS);
  }

  /** Drops what was written, and parks the rest. */
  async function write(group: readonly Done<Item, Result>[]): Promise<void> {
    const left = await writeGroup(options, group, state);
    park(left);
    options.onRecorded(group.filter((each) => !left.includes(each)).map(({ item }) => item));
  }

  return {
    write,
    /** One more try. */
    async end(): Promise<void> {
      await writing;
      if (timer === undefined) return;
      clearTimeout(timer);
      retry();
      await writing;
    },
  };
}

/**
 * Results exist only here until they are written: it waits while the database is away, and a result that
 * cannot be written stops no other. Returns those whose node is lost.
 */
async function writeGroup<Item, Result>(
  options: Pick<RecorderOptions<Item, Result>, 'name' | 'log' | 'record' | 'ownerOf'>,
  group: readonly Done<Item, Result>[],
  state: { noteAnswer(answered: boolean): void; isLastTry(): boolean },
): Promise<Done<Item, Result>[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      await options.record(group.map(({ result }) => result));
      return [];
    } catch (error) {
      if (lostNode(error) !== null && options.ownerOf !== undefined) {
        const owners = byOwner(group, ({ item }) => options.ownerOf?.(item));
        if (owners.length > 1) return writeEach(options, owners, state);
        return state.isLastTry() ? [] : [...group];
      }
      options.log.error(
        { err: error, loop: options.name, results: group.length },
        'recording results failed',
      );
      if (isUnavailable(error)) state.noteAnswer(false);
      else if (group.length > 1)
        return writeEach(
          options,
          group.map((each) => [each]),
          state,
        );
      // Its lease runs out and it is done again: visible, and better than holding up all others.
      else if (attempt >= RECORD_TRIES) return [];
      // An interrupted result has had its one try, too.
      if (state.isLastTry()) return [];
      await new Promise((resolve) => setTimeout(resolve, backOffMs(attempt)));
    }
  }
}

async function writeEach<Item, Result>(
  options: Pick<RecorderOptions<Item, Result>, 'name' | 'log' | 'record' | 'ownerOf'>,
  groups: readonly (readonly Done<Item, Result>[])[],
  state: { noteAnswer(answered: boolean): void; isLastTry(): boolean },
): Promise<Done<Item, Result>[]> {
  const left: Done<Item, Result>[] = [];
  for (const group of groups) left.push(...(await writeGroup(options, group, state)));
  return left;
}
