import type { Writable } from 'node:stream';

/** What a command says: its answer on standard output (text for people, one JSON document with --json), notes on standard error. */
export interface Output {
  readonly json: boolean;
  /** The answer: `value` for machines, `text` for people. Once a command. */
  answer(value: unknown, text: () => string): void;
  /** A line on the way, for people only. */
  progress(line: string): void;
  /** A remark for whoever runs the command, in both modes. */
  note(line: string): void;
}

export function createOutput(json: boolean, stdout: Writable, stderr: Writable): Output {
  return {
    json,
    answer(value, text) {
      stdout.write(json ? `${JSON.stringify(value)}\n` : `${text()}\n`);
    },
    progress(line) {
      if (!json) stdout.write(`${line}\n`);
    },
    note(line) {
      stderr.write(`acuse: ${line}\n`);
    },
  };
}

const GAP = '  ';

/** Columns under their heads, as wide as they need; `empty` when there are no rows. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[], empty: string): string {
  if (rows.length === 0) return empty;
  const lines = [heads, ...rows];
  const widths = heads.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}

/** `name: value` lines, aligned. */
export function facts(pairs: readonly (readonly [string, string | number | boolean | null])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}${GAP}${value ?? '-'}`).join('\n');
}
