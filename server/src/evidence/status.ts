import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/database/db.ts';
import { type CoverState, readCover } from './renewal/renewal-store.ts';
import { WARN_BEFORE_MS } from './renewal/renewals.ts';
import { type AuthorityRow, listAuthorities } from './stamp/authority-store.ts';
import { type Cost, readCosts } from './stamp/cost-store.ts';
import { type LogStatusRow, readLogStatus } from './status-store.ts';

/** Sealing for the operator: backlog and reasons, authorities, ends, costs. */
export interface SealingStatus {
  readonly logs: readonly LogStatusRow[];
  readonly authorities: readonly (AuthorityRow & { readonly endsSoon: boolean })[];
  readonly cover: CoverState;
  readonly month: string;
  readonly costs: readonly Cost[];
}

export async function readSealingStatus(
  { db, clock, renewBeforeMs }: { db: Db; clock: Clock; renewBeforeMs: number },
  month: string,
): Promise<SealingStatus> {
  const now = clock.now();
  const nowMs = now.getTime();
  const [logs, authorities, cover, costs] = await Promise.all([
    readLogStatus(db),
    listAuthorities(db),
    readCover(db, { now, dueBefore: new Date(nowMs + renewBeforeMs) }),
    readCosts(db, `${month}-01`, null),
  ]);
  const endsSoon = ({ chainNotAfter }: AuthorityRow) =>
    chainNotAfter !== null && chainNotAfter.getTime() <= nowMs + WARN_BEFORE_MS;
  return {
    logs,
    authorities: authorities.map((row) => ({ ...row, endsSoon: endsSoon(row) })),
    cover,
    month,
    costs,
  };
}
