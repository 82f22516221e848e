import { isDistributed, type MaybeDistributed } from './distributed.ts';

/**
 * SQL: limits `column` to the accounts in $1. Citus does not infer that from a join with unnest, and asks
 * every node: one lost node would then fail the work of all accounts. Empty on one machine.
 */
export const ofThese = ({ distributed }: { readonly distributed: boolean }, column: string): string =>
  distributed ? ` and ${column} = any ($1::uuid[])` : '';

export const ofTheseOn = async (db: MaybeDistributed, column: string): Promise<string> =>
  ofThese({ distributed: await isDistributed(db) }, column);
