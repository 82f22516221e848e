import type { Table } from './index.d.mts';

/** The contract's operations, as the writers need them. */
export const CALLS: Table;
