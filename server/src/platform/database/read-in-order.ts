import type { Tx } from './db.ts';

/**
 * Makes the planner use an index in the wanted order: without statistics it assumes few rows and sorts them
 * all.
 */
export function readInOrder(tx: Tx): void {
  tx.send(
    `select set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true),
      set_config('enable_seqscan', 'off', true)`,
    [],
    'read_in_order',
  );
}
