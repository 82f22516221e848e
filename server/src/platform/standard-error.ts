import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { pino } from 'pino';

export interface LineStream {
  write(line: string): void;
  flushSync(): void;
}

const STANDARD_ERROR = 2;

/** Unwritten characters: some seconds of a busy log. */
const WAITING_MAX_CHARS = 1024 * 1024;
/** Longest flush (ms). */
const FLUSH_LIMIT_MS = 1_000;
/** Pause before retrying a full pipe (ms). */
const FULL_LOOK_MS = 50;

let droppedLines = 0;
let onDropped: (lines: number) => void = () => {};

/** `tell` gets the lines dropped so far, then each new number. */
export function watchDroppedLines(tell: (lines: number) => void): void {
  onDropped = tell;
  if (droppedLines > 0) tell(droppedLines);
}

/** Standard error that never blocks: a slow or sleeping reader loses lines, which are counted. */
export function standardError(): LineStream {
  own ??= openLines();
  return own;
}

let own: LineStream | null = null;

function openLines(): LineStream {
  const descriptor = openNonBlocking();
  if (descriptor === null) return pino.destination({ dest: STANDARD_ERROR, sync: false });
  const lines = createLines((bytes) => writeSync(descriptor, bytes), {
    dropped(count) {
      droppedLines += count;
      onDropped(count);
    },
  });
  process.once('exit', () => lines.close());
  return lines;
}

/** Null: something that only blocks. */
function openNonBlocking(): number | null {
  if (!isMainThread) return null;
  const stat = fstatSync(STANDARD_ERROR);
  // A file takes every write, or says at once that its disk is full: then lines are dropped.
  if (stat.isFile()) return STANDARD_ERROR;
  if (stat.isFIFO() || stat.isSocket()) {
    // Node makes the descriptor non-blocking when it opens the stream.
    return process.stderr.fd;
  }
  if (!stat.isCharacterDevice()) return null;
  try {
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
    return openSync(`/proc/self/fd/${STANDARD_ERROR}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return null;
  }
}

/** `write`: as writeSync on a non-blocking descriptor; EAGAIN means no room. */
export function createLines(
  write: (bytes: Buffer) => number,
  options: { dropped(lines: number): void; now?: () => number; pause?: (ms: number) => void },
): LineStream & { close(): void } {
  const { now = Date.now, pause = sleep } = options;
  const backlog = createBacklog(write);
  let untold = 0;
  /** A flush failed, and nothing was written since. */
  let stuck = false;
  let isPlanned = false;

  function writeSome(): 'all' | 'full' {
    const before = backlog.chars();
    const state = backlog.write();
    if (backlog.chars() < before) stuck = false;
    if (state !== 'gone') return state;
    drop();
    return 'all';
  }

  function drop(): void {
    const lines = backlog.clear();
    if (lines > 0) options.dropped(lines);
  }

  function later(): void {
    isPlanned = writeSome() === 'full';
    if (isPlanned) setTimeout(later, FULL_LOOK_MS).unref();
  }

  function flushSync(): void {
    const deadline = now() + FLUSH_LIMIT_MS;
    while (writeSome() === 'full') {
      if (stuck || now() >= deadline) {
        stuck = true;
        return;
      }
      pause(FULL_LOOK_MS);
    }
  }

  return {
    write(line) {
      if (backlog.chars() + line.length > WAITING_MAX_CHARS) {
        untold += 1;
        options.dropped(1);
        return;
      }
      if (untold > 0) backlog.add(toldLine(now(), untold));
      untold = 0;
      backlog.add(line);
      if (!isPlanned) setImmediate(later).unref();
      isPlanned = true;
    },
    flushSync,
    close() {
      flushSync();
      drop();
    },
  };
}

function createBacklog(write: (bytes: Buffer) => number) {
  let waiting: string[] = [];
  let waitingChars = 0;
  /** Taken from `waiting`, not written yet. */
  let rest: Buffer = Buffer.alloc(0);
  let restLines = 0;

  function take(): void {
    rest = Buffer.from(waiting.join(''));
    restLines = waiting.length;
    waiting = [];
    waitingChars = 0;
  }

  return {
    add(line: string): void {
      waiting.push(line);
      waitingChars += line.length;
    },
    chars: () => rest.length + waitingChars,
    /** `gone`: the reader is gone (EPIPE). The service continues. */
    write(): 'all' | 'full' | 'gone' {
      for (;;) {
        if (rest.length === 0) take();
        if (rest.length === 0) return 'all';
        try {
          rest = rest.subarray(write(rest));
        } catch (error) {
          return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? 'full' : 'gone';
        }
      }
    },
    clear(): number {
      const lines = (rest.length > 0 ? restLines : 0) + waiting.length;
      take();
      rest = Buffer.alloc(0);
      return lines;
    },
  };
}

const WARN = 40;

function toldLine(at: number, dropped: number): string {
  const time = new Date(at).toISOString();
  return `${JSON.stringify({ level: WARN, time, dropped, msg: 'lines of this log were dropped because nobody read them' })}\n`;
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
