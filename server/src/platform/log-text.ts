import { lineForTerminal } from './terminal.ts';

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
