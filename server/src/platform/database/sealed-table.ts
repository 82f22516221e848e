import { FIRST_ID } from '../ids.ts';
import type { Tx } from './db.ts';

/**
 * A table with columns sealed under the master key: read in pages, and resealed row by row. Every such column
 * belongs to one (server/test/operate/master-keys/reseal.test.ts).
 */
export interface SealedTable extends SealedColumns {
  read(tx: Tx, after: readonly string[] | null, limit: number): Promise<SealedRow[]>;
  /** False: the row was resealed meanwhile, and is unchanged. */
  replace(tx: Tx, row: SealedRow, sealed: readonly (Uint8Array | null)[]): Promise<boolean>;
}

interface SealedColumns {
  readonly table: string;
  readonly keys: readonly string[];
  readonly columns: readonly string[];
  /** Only acuse_sessions sees people. */
  readonly as: 'worker' | 'sessions';
  /** The context that a row's columns are sealed under. */
  contextOf(...keys: string[]): string;
}

export interface SealedRow {
  readonly ids: readonly string[];
  readonly sealed: readonly (Uint8Array | null)[];
  readonly context: string;
}

/** `first`: sorts before every key. */
export function sealedTable(of: SealedColumns, first: string = FIRST_ID): SealedTable {
  const { table, keys, columns, contextOf } = of;
  const order = keys.join(', ');
  const place = (from: number) => (_column: string, at: number) => `$${from + at}`;
  const row = keys.map(place(1)).join(', ');
  const page = `select ${[...keys, ...columns].join(', ')} from ${table}
     where (${order}) > (${row}) order by ${order} limit $${keys.length + 1}`;
  const after = columns.map(place(keys.length + 1)).join(', ');
  const before = columns.map(place(keys.length + columns.length + 1)).join(', ');
  const change = `update ${table} set (${columns.join(', ')}) = row(${after})
     where (${order}) = (${row}) and (${columns.join(', ')}) is not distinct from (${before})`;

  return {
    ...of,
    async read(tx, last, limit) {
      const rows = await tx.query<Record<string, unknown>>(page, [...(last ?? keys.map(() => first)), limit]);
      return rows.map((found) => {
        const ids = keys.map((key) => found[key] as string);
        const sealed = columns.map((column) => found[column] as Uint8Array | null);
        return { ids, sealed, context: contextOf(...ids) };
      });
    },
    async replace(tx, { ids, sealed: known }, sealed) {
      return (await tx.execute(change, [...ids, ...sealed, ...known])) === 1;
    },
  };
}
