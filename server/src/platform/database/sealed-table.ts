import type { Tx } from './db.ts';

/**
 * A table with columns sealed under the master key: read in pages, and resealed row by row. Every such column
 * belongs to one (server/test/operate/master-keys/reseal.test.ts).
 */
export interface SealedTable {
  readonly table: string;
  readonly columns: readonly string[];
  /** Only acuse_sessions sees people. */
  readonly as: 'worker' | 'sessions';
  read(tx: Tx, after: readonly string[] | null, limit: number): Promise<SealedRow[]>;
  /** False: the row was resealed meanwhile, and is unchanged. */
  replace(tx: Tx, row: SealedRow, sealed: readonly (Uint8Array | null)[]): Promise<boolean>;
}

export interface SealedRow {
  readonly ids: readonly string[];
  readonly sealed: readonly (Uint8Array | null)[];
  readonly context: string;
}
