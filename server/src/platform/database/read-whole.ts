import type { Tx } from './db.ts';

/**
 * For the rest of the transaction the rows of an account are held to each other by hash or in order: of a
 * table that it has no statistics of yet, the planner believes that little is there, and would hold each row
 * to each. For statements that read all rows of an account, and of no table that is everybody's.
 */
export function readWhole(tx: Tx): void {
  tx.send(`select set_config('enable_nestloop', 'off', true)`, [], 'read_whole');
}
