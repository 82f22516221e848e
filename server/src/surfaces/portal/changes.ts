import { changedKind } from '../../accounts/audit/kinds.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db, DbAndClock } from '../../platform/database/db.ts';
import { createFresh, createHintFeed, type HintFeed, RECENT_MS } from '../../platform/http/hint-feed.ts';
import type { Hint } from '../../platform/http/hint-streams.ts';
import { firstIdAt } from '../../platform/ids.ts';
import type { LoopLog } from '../../platform/logger.ts';
import {
  listRecentEntries,
  listRecentEvents,
  type Movements,
  type RecentEntry,
  type RecentEvent,
  readMovements,
} from './changes-store.ts';

interface ChangeFeedDeps extends DbAndClock {
  readonly log: LoopLog;
}

/** Beyond it, the whole list is reread. */
export const EVENTS_MAX = 500;
/** Beyond it, rereading the list is cheaper. */
const HINTS_MAX = 50;
/** Two pages of deliveries, and the domains of most accounts. */
const MOVEMENT_ROWS = { domains: 200, deliveries: 100 } as const;

/** Hints about accounts that a page of theirs follows. */
export function createChangeFeed({ db, clock, log }: ChangeFeedDeps): HintFeed {
  return createHintFeed({
    clock,
    createLook: (tenantId) => createLook({ db, clock, tenantId }),
    onFailed: (tenantId, error) =>
      log.warn(
        { err: error, tenant_id: tenantId },
        'looking for what changed in an account failed: until it works again, its open pages read at intervals only',
      ),
  });
}

function createLook({ db, clock, tenantId }: { db: Db; clock: Clock; tenantId: string }) {
  const freshEvents = createFresh(({ eventId }: RecentEvent) => eventId);
  const freshEntries = createFresh(({ entryId }: RecentEntry) => entryId);
  let moved: Movements | null = null;
  return async (): Promise<Hint[]> => {
    // Commits may be out of id order.
    const from = firstIdAt(new Date(clock.now().getTime() - RECENT_MS));
    const { events, entries, movements } = await db.asTenant(tenantId, async (tx) => ({
      events: await listRecentEvents(tx, tenantId, from, EVENTS_MAX),
      entries: await listRecentEntries(tx, tenantId, from, EVENTS_MAX),
      movements: await readMovements(tx, tenantId, MOVEMENT_ROWS),
    }));
    const kinds = new Set([
      ...kindsOf(freshEntries(entries)),
      ...(moved === null ? [] : movedKinds(moved, movements)),
    ]);
    moved = movements;
    return [...hintsOf(freshEvents(events)), ...[...kinds].map((kind) => ({ kind, id: null }))];
  };
}

function kindsOf(entries: readonly RecentEntry[]): string[] {
  if (entries.length === 0) return [];
  return ['audit', ...entries.flatMap(({ action }) => changedKind(action) ?? [])];
}

function movedKinds(before: Movements, after: Movements): string[] {
  return (Object.keys(after) as (keyof Movements)[]).filter((kind) => before[kind] !== after[kind]);
}

function hintsOf(events: readonly RecentEvent[]): Hint[] {
  const ids = [...new Set(events.map(({ messageId }) => messageId))];
  if (ids.length > HINTS_MAX) return [{ kind: 'messages', id: null }];
  return ids.map((id) => ({ kind: 'message', id }));
}
