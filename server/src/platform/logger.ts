import { type DestinationStream, type Logger, pino } from 'pino';
import { logText } from './log-text.ts';
import { type LineStream, standardError } from './standard-error.ts';

export type Log = Logger;

/** A start writes a dozen lines; more of them are trouble, which does not wait. */
const HELD_MAX_LINES = 1_000;

/** What background work says: ids and what went wrong. */
export interface LoopLog {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/**
 * JSON lines to stderr, so that stdout stays free for what a command answers. No secret and no body is ever a
 * field: callers log ids.
 */
export function createLog(level: string): Log {
  return toLines(level, standardError());
}

/**
 * A log whose lines wait until `release`, so that a start prints its screen first. A warning
 * releases them itself: it must not wait for a start that may never end.
 */
export function createHeldLog(
  level: string,
  format: LogFormat,
): { readonly log: Log; release(): void; readonly isForPeople: boolean } {
  const isForPeople = format === 'pretty' || (format === 'auto' && process.stderr.isTTY === true);
  const held = holdLines(isForPeople ? forPeople(standardError()) : standardError(), isForPeople);
  return { log: toLines(level, held.stream), release: held.release, isForPeople };
}

export type LogFormat = 'auto' | 'json' | 'pretty';

/** In colour where the terminal has it, and NO_COLOR does not say otherwise. */
function forPeople(to: LineStream): LineStream {
  const colours = process.stderr.isTTY === true && process.stderr.hasColors();
  return { write: (line) => to.write(logText(line, colours)), flushSync: () => to.flushSync() };
}

function toLines(level: string, stream: DestinationStream): Log {
  return pino(
    {
      level,
      base: null,
      serializers: { err: (error: unknown) => describeError(error) },
      timestamp: pino.stdTimeFunctions.isoTime,
      // A second net under "never log a secret": these names are cut wherever they occur.
      redact: {
        paths: [
          'authorization',
          '*.authorization',
          'req.headers.authorization',
          'secret',
          '*.secret',
          'key',
          '*.key',
          'password',
          '*.password',
        ],
        censor: '[redacted]',
      },
    },
    stream,
  );
}

/** `onlyTrouble`: of what waited, the screen of a start says the rest itself. */
function holdLines(to: LineStream, onlyTrouble: boolean) {
  let held: { readonly line: string; readonly level: number }[] | null = [];
  function release(): void {
    const shown = (held ?? []).filter(({ level }) => !onlyTrouble || level >= pino.levels.values['warn']!);
    held = null;
    process.off('exit', release);
    for (const { line } of shown) to.write(line);
    // At once: the caller has more to say, or ends.
    to.flushSync();
  }
  // A process that ends before its release still says what it had to.
  process.once('exit', release);
  const stream = {
    // Has pino tell the level of each line in lastLevel.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string): void {
      if (held === null) return void to.write(line);
      held.push({ line, level: stream.lastLevel });
      if (stream.lastLevel >= pino.levels.values['warn']! || held.length >= HELD_MAX_LINES) release();
    },
    flushSync(): void {
      if (held !== null) release();
      to.flushSync();
    },
  };
  return { stream, release };
}

/** How deep a chain of causes is followed. */
const MAX_CAUSES = 5;

/**
 * What went wrong, and nothing of what the error carries along (connections, statements with their values).
 */
export function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return String(error).slice(0, 500);
  const { code, cause } = error as Error & { code?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' && { code }),
    stack: error.stack,
    ...(cause !== undefined && depth < MAX_CAUSES && { cause: describeError(cause, depth + 1) }),
  };
}
