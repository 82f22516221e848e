import { type Logger, pino } from 'pino';

export type Log = Logger;

/** JSON lines to stderr, so that stdout stays free for what a command answers. No secret and no body is ever a field: callers log ids. */
export function createLog(level: string): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      // A second net under "never log a secret": these names are cut wherever they stand.
      redact: { paths: ['authorization', '*.authorization', 'req.headers.authorization', 'secret', '*.secret', 'key', '*.key', 'password', '*.password'], censor: '[redacted]' },
    },
    pino.destination({ dest: 2, sync: false }),
  );
}
