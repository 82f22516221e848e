import { isDistributed, type MaybeDistributed } from './distributed.ts';

/**
 * SQL: the rows of `column` are of the accounts in $1. Citus does not learn that from a join with unnest, and
 * asks every node: one that is lost would then fail the work of all accounts. Nothing on one machine.
 */
export const ofThese = ({ distributed }: { readonly distributed: boolean }, column: string): string =>
  distributed ? ` and ${column} = any ($1::uuid[])` : '';

export const ofTheseOn = async (db: MaybeDistributed, column: string): Promise<string> =>
  ofThese({ distributed: await isDistributed(db) }, column);
