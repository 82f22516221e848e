import { type DestinationStream, type Logger, pino } from 'pino';
import { type LineStream, standardError } from './standard-error.ts';
import { lineForTerminal } from './terminal.ts';

export type Log = Logger;

const HELD_MAX_LINES = 1_000;

export interface LoopLog {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** JSON lines to stderr; stdout is for commands' output. No secrets and no bodies: callers log ids. */
export function createLog(level: string): Log {
  return toLines(level, standardError());
}

/** Holds lines until `release`, so that a start prints its screen first. A warning releases them at once. */
export function createHeldLog(
  level: string,
  format: LogFormat,
): { readonly log: Log; release(): void; readonly isForPeople: boolean } {
  const isForPeople = format === 'pretty' || (format === 'auto' && process.stderr.isTTY === true);
  const held = holdLines(isForPeople ? forPeople(standardError()) : standardError(), isForPeople);
  return { log: toLines(level, held.stream), release: held.release, isForPeople };
}

type LogFormat = 'auto' | 'json' | 'pretty';

/** In colour if the terminal has it and NO_COLOR is unset. */
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
      // A second net against logged secrets: these names are cut everywhere.
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

/** `onlyTrouble`: drop what the start screen says anyway. */
function holdLines(to: LineStream, onlyTrouble: boolean) {
  let held: { readonly line: string; readonly level: number }[] | null = [];
  function release(): void {
    const shown = (held ?? []).filter(({ level }) => !onlyTrouble || level >= pino.levels.values['warn']!);
    held = null;
    process.off('exit', release);
    for (const { line } of shown) to.write(line);
    to.flushSync();
  }
  // A process that ends early still prints its lines.
  process.once('exit', release);
  const stream = {
    // Has pino set lastLevel.
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

const MAX_CAUSES = 5;

/** The error without attached data (connections, statements with values). */
function describeError(error: unknown, depth = 0): unknown {
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

/** Log lines for people: time, severity, message, details. Pure. */

const LEVELS: Readonly<Record<number, readonly [name: string, colour: string]>> = {
  10: ['TRACE', '2'],
  20: ['DEBUG', '2'],
  30: ['INFO', '32'],
  40: ['WARN', '33'],
  50: ['ERROR', '31'],
  60: ['FATAL', '31;1'],
};
const LEVEL_WIDTH = 5;
const FAINT = '2';

/** One JSON log line as text. Errors show message and causes; the stack is in the JSON. */
export function logText(json: string, colours: boolean): string {
  let fields: Record<string, unknown>;
  try {
    fields = JSON.parse(json);
  } catch {
    return `${lineForTerminal(json.trimEnd())}\n`;
  }
  const { level, time, msg, err, ...rest } = fields;
  const paint = (text: string, colour: string) => (colours ? `\u001b[${colour}m${text}\u001b[0m` : text);
  const [name, colour] = LEVELS[Number(level)] ?? [String(level), FAINT];
  const facts = Object.entries(rest).map(([key, value]) => `${key}=${valueText(value)}`);
  const parts = [
    paint(localTime(time), FAINT),
    paint(name.padEnd(LEVEL_WIDTH), colour),
    lineForTerminal(String(msg ?? '')) + (err === undefined ? '' : `: ${lineForTerminal(errorText(err))}`),
    facts.length === 0 ? [] : paint(lineForTerminal(facts.join(' ')), FAINT),
  ];
  return `${parts.flat().join(' ')}\n`;
}

function localTime(time: unknown): string {
  const at = new Date(String(time));
  return Number.isNaN(at.getTime()) ? '--:--:--' : at.toTimeString().slice(0, 8);
}

function valueText(value: unknown): string {
  return typeof value === 'string' && /^[^\s="]+$/.test(value) ? value : (JSON.stringify(value) ?? 'null');
}

function errorText(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  const { message, code, cause } = error as { message?: unknown; code?: unknown; cause?: unknown };
  const own = `${String(message)}${typeof code === 'string' ? ` (${code})` : ''}`;
  return cause === undefined ? own : `${own}, because of: ${errorText(cause)}`;
}
