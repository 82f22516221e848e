import type { Tx } from './db.ts';

/**
 * For the rest of the transaction an index in the wanted order is taken wherever there is one: of a table
 * that it has no statistics of yet, the planner believes that little is there, and sorts it all.
 */
export function readInOrder(tx: Tx): void {
  tx.send(
    `select set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true),
      set_config('enable_seqscan', 'off', true)`,
    [],
    'read_in_order',
  );
}
