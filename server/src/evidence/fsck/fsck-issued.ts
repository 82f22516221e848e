import type { Db } from '../../platform/database/db.ts';
import { findIssuedAt, hasIssued } from '../stamp/issued-store.ts';
import type { StampColumns } from '../stamp/stamp-columns.ts';
import { CLOCKS_APART_MS } from './fsck-leaves.ts';

export type IssuedFaults = (stamp: StampColumns) => Promise<string[]>;

/** A document of an authority came with its token, or later: its content is the operator's word. */
export function createIssuedCheck(db: Db): IssuedFaults {
  let any: Promise<boolean> | undefined;
  return async ({ token, genTime }) => {
    any ??= hasIssued(db);
    if (!(await any)) return [];
    const at = await findIssuedAt(db, token);
    if (at === undefined || at.getTime() >= genTime.getTime() - CLOCKS_APART_MS) return [];
    return [
      `the document beside it is stored as of ${at.toISOString()}, before the time-stamp of ${genTime.toISOString()}`,
    ];
  };
}
