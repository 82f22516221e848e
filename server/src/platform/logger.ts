import { type DestinationStream, type Logger, pino } from 'pino';
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
export function createHeldLog(level: string): { readonly log: Log; release(): void } {
  const held = holdLines(standardError());
  return { log: toLines(level, held.stream), release: held.release };
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

function holdLines(to: LineStream) {
  let held: string[] | null = [];
  function release(): void {
    const text = held?.join('') ?? '';
    held = null;
    process.off('exit', release);
    to.write(text);
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
      held.push(line);
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
