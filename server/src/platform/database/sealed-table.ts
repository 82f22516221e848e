import type { Tx } from './db.ts';

/**
 * A table with columns that are sealed under the master key, as its domain describes it: all rows in pages,
 * and another seal in place of one. Every such column of the schema belongs to one
 * (server/test/operate/master-keys/reseal.test.ts).
 */
export interface SealedTable {
  readonly table: string;
  /** In the order of `SealedRow.sealed`. */
  readonly columns: readonly string[];
  /** Whose rows they are: acuse_sessions alone sees people. */
  readonly as: 'worker' | 'sessions';
  /** The next rows after those with these ids, in the order of ids. */
  read(tx: Tx, after: readonly string[] | null, limit: number): Promise<SealedRow[]>;
  /** False: the row has other seals by now, and is left as it is. */
  replace(tx: Tx, row: SealedRow, sealed: readonly (Uint8Array | null)[]): Promise<boolean>;
}

export interface SealedRow {
  readonly ids: readonly string[];
  /** Null, or empty: there is none. */
  readonly sealed: readonly (Uint8Array | null)[];
  readonly context: string;
}

/** Before the first id of a UUID. */
export const NO_UUID = '00000000-0000-0000-0000-000000000000';
