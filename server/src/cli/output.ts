import type { Writable } from 'node:stream';
import { jsonForTerminal, lineForTerminal, widthOf } from '../platform/terminal.ts';

/**
 * Lines for people. A string is one line: strangers' line breaks and controls are escaped. All terminal
 * output goes through this file.
 */
export type Lines = string | readonly Lines[];

/** The answer on standard output (text, or JSON with --json), notes on standard error. */
export interface Output {
  readonly json: boolean;
  answer(value: unknown, text: () => Lines): void;
  progress(line: string): void;
  /** In both modes. */
  note(line: string): void;
}

export function createOutput(json: boolean, stdout: Writable, stderr: Writable): Output {
  return {
    json,
    answer(value, text) {
      if (json) writeJson(stdout, value);
      else writeLines(stdout, text());
    },
    progress(line) {
      if (!json) writeLines(stdout, line);
    },
    note(line) {
      writeLines(stderr, `acuse: ${line}`);
    },
  };
}

export function writeLines(stream: Writable, lines: Lines): void {
  stream.write(`${textOf(lines)}\n`);
}

export function writeJson(stream: Writable, value: unknown): void {
  stream.write(`${jsonForTerminal(value)}\n`);
}

export function textOf(lines: Lines): string {
  return typeof lines === 'string' ? lineForTerminal(lines) : lines.map(textOf).join('\n');
}

/** At spaces, with the indent of the first line; `columns` undefined or 0: one line. Pure. */
export function wrapped(text: string, columns: number | undefined): string[] {
  if (!columns) return [text];
  const indent = /^ */.exec(text)![0];
  const lines: string[] = [];
  let line = '';
  for (const word of text.trim().split(/ +/)) {
    const longer = line === '' ? `${indent}${word}` : `${line} ${word}`;
    if (line !== '' && widthOf(longer) > columns) {
      lines.push(line);
      line = `${indent}${word}`;
    } else line = longer;
  }
  return [...lines, line];
}

/** A line that is overwritten, on a terminal. */
export function createStatusLine(
  stream: NodeJS.WriteStream,
): ((line: string, done: boolean) => void) | undefined {
  if (!stream.isTTY) return undefined;
  return (line, done) => void stream.write(`\r\x1b[K${lineForTerminal(line)}${done ? '\n' : ''}`);
}

const GAP = '  ';

export function table(heads: readonly string[], rows: readonly (readonly string[])[], empty: string): Lines {
  if (rows.length === 0) return empty;
  const lines = [heads, ...rows].map((line) => line.map(lineForTerminal));
  const widths = heads.map((_, column) => Math.max(...lines.map((line) => widthOf(line[column] ?? ''))));
  return lines.map((line) =>
    line
      .map((cell, column) => padTo(cell, widths[column]!))
      .join(GAP)
      .trimEnd(),
  );
}

export function facts(pairs: readonly (readonly [string, string | number | boolean | null])[]): Lines {
  const width = Math.max(...pairs.map(([name]) => widthOf(name)));
  return pairs.map(([name, value]) => `${padTo(name, width)}${GAP}${value ?? '-'}`);
}

function padTo(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}
