import type { Tx } from './db.ts';

/**
 * Forces hash or merge joins for an account's rows: without statistics the planner assumes few rows and would
 * use nested loops. Only for statements that read all rows of an account, and no shared table.
 */
export function readWhole(tx: Tx): void {
  tx.send(`select set_config('enable_nestloop', 'off', true)`, [], 'read_whole');
}
