import { type Logger, pino } from 'pino';

export type Log = Logger;

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
    pino.destination({ dest: 2, sync: false }),
  );
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
