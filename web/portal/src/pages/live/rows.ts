import type { Tail, TailEvent } from '../../../../shared/api/portal-types.ts';

/** Rows on the page; older ones are in the list of messages. */
export const ROWS_MAX = 500;

export interface Followed {
  /** Newest first. */
  readonly rows: readonly TailEvent[];
  /** Rows below which some are missing: more happened than was read. */
  readonly gaps: ReadonlySet<string>;
  /** Time of the last read, by the server's clock; '': never. */
  readonly readAt: string;
  /** Some are missing below the next row. */
  readonly missed: boolean;
}

export const NOTHING: Followed = { rows: [], gaps: new Set(), readAt: '', missed: false };

/** Newly read events above earlier ones. An event that was committed late takes its place. */
export function follow(before: Followed, { data, read_at: readAt, looked_from: lookedFrom }: Tail): Followed {
  const known = new Set(before.rows.map(({ id }) => id));
  const fresh = data.filter(({ id }) => !known.has(id));
  const oldest = fresh.at(-1);
  const isGap = before.missed || (before.readAt !== '' && lookedFrom !== null && lookedFrom > before.readAt);
  const rows = [...fresh, ...before.rows].toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, ROWS_MAX);
  const kept = new Set(rows.map(({ id }) => id));
  const gaps = isGap && oldest !== undefined ? [...before.gaps, oldest.id] : [...before.gaps];
  return {
    rows,
    gaps: new Set(gaps.filter((id) => kept.has(id))),
    readAt,
    missed: isGap && oldest === undefined,
  };
}
