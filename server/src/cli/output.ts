import type { Writable } from 'node:stream';
import { jsonForTerminal, lineForTerminal, widthOf } from '../platform/terminal.ts';

/**
 * Lines for people. A string is one line whatever it holds: line breaks, controls and directions in what
 * strangers wrote are escaped, so that only a list makes lines. Nothing is written to a terminal but through
 * this file.
 */
export type Lines = string | readonly Lines[];

/**
 * What a command says: its answer on standard output (text for people, one JSON document with --json), notes
 * on standard error.
 */
export interface Output {
  readonly json: boolean;
  /**
   * The answer: `value` for machines, `text` for people. Once a command; a command that runs on gives one for
   * each thing that it reports.
   */
  answer(value: unknown, text: () => Lines): void;
  /** A line on the way, for people only. */
  progress(line: string): void;
  /** A remark for the person who runs the command, in both modes. */
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

/** As it is written, without the last line's end. */
export function textOf(lines: Lines): string {
  return typeof lines === 'string' ? lineForTerminal(lines) : lines.map(textOf).join('\n');
}

/** One line, written over again and again, where somebody looks. */
export function createStatusLine(
  stream: NodeJS.WriteStream,
): ((line: string, done: boolean) => void) | undefined {
  if (!stream.isTTY) return undefined;
  return (line, done) => void stream.write(`\r\x1b[K${lineForTerminal(line)}${done ? '\n' : ''}`);
}

const GAP = '  ';

/** Columns under their heads, as wide as they need; `empty` when there are no rows. */
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

/** `name: value` lines, aligned. */
export function facts(pairs: readonly (readonly [string, string | number | boolean | null])[]): Lines {
  const width = Math.max(...pairs.map(([name]) => widthOf(name)));
  return pairs.map(([name, value]) => `${padTo(name, width)}${GAP}${value ?? '-'}`);
}

function padTo(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}
