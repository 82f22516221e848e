import { type Row, shortcomings } from './attack.ts';
import type { Seen } from './known-client.ts';

const HEAD = ['DOOR', 'WHEN', 'ANSWERED', 'P50 ms', 'P99 ms', 'HEALTH ms'];

/** Rows of a table, its head first. */
export function reportRows(rows: readonly Row[]): {
  readonly head: readonly string[];
  readonly lines: string[][];
} {
  const lines = rows.flatMap(({ door, seen }) =>
    seen === null
      ? [[door, 'not attacked', '', '', '', '']]
      : [line(door, 'before', seen.before), line('', 'during', seen.during), line('', 'after', seen.after)],
  );
  return { head: HEAD, lines };
}

function line(door: string, when: string, { answered, asked, p50Ms, p99Ms, health }: Seen): string[] {
  return [
    ...[door, when, `${answered}/${asked}`, p50Ms.toFixed(0), p99Ms.toFixed(0)],
    `${health.maxMs.toFixed(0)} (${health.answered}/${health.asked})`,
  ];
}

/** The attackers' results, and the doors that failed. */
export function reportNotes(rows: readonly Row[]): string[] {
  return rows.flatMap((row) => {
    const got = Object.entries(row.got).map(([what, count]) => `${count} × ${what}`);
    return [
      ...(got.length === 0 ? [] : [`${row.door}: attackers got ${got.join(', ')}`]),
      ...shortcomings(row).map((text) => `${row.door}: ${text}`),
    ];
  });
}
