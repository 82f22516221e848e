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

/**
 * The same for named statements that are read so only: each connection plans them once, because read so
 * their plan depends on no statistics and no values. Citus plans for values alone.
 */
export function readInOrderByOnePlan(tx: Tx): void {
  readInOrder(tx);
  if (!tx.distributed)
    tx.send(`select set_config('plan_cache_mode', 'force_generic_plan', true)`, [], 'keep_one_plan');
}
