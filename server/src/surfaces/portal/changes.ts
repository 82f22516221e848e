import { changedKind } from '../../accounts/audit/kinds.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import { every, type Repeating } from '../../platform/every.ts';
import { createFirstFailures } from '../../platform/first-failures.ts';
import { createHintListeners, type HintListeners, RECENT_MS } from '../../platform/http/hint-listeners.ts';
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

/** Hints about watched accounts: one query per second and account, however many watch. */
export interface ChangeFeed {
  follow(tenantId: string, tell: (hint: Hint) => void): () => void;
}

export interface ChangeFeedDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: LoopLog;
}

const LOOK_EVERY_MS = 1_000;
/** Beyond it, the whole list is reread. */
export const EVENTS_MAX = 500;
/** Beyond it, rereading the list is cheaper. */
const HINTS_MAX = 50;
/** Two pages of deliveries, and most accounts' domains. */
const MOVEMENT_ROWS = { domains: 200, deliveries: 100 } as const;

interface Followed {
  readonly listeners: HintListeners;
  readonly looking: Repeating;
}

export function createChangeFeed({ db, clock, log }: ChangeFeedDeps): ChangeFeed {
  const followed = new Map<string, Followed>();
  const failures = createFirstFailures((tenantId, error) =>
    log.warn(
      { err: error, tenant_id: tenantId },
      'looking for what changed in an account failed: until it works again, its open pages read at intervals only',
    ),
  );

  function begin(tenantId: string): Followed {
    const listeners = createHintListeners(clock);
    const look = createLook({ db, clock, tenantId });
    const lookAndTell = async () => {
      const hints = await look();
      failures.worked(tenantId);
      listeners.tell(hints);
    };
    const looking = every(LOOK_EVERY_MS, lookAndTell, {
      onError: (error) => failures.failed(tenantId, error),
    });
    const made = { listeners, looking };
    followed.set(tenantId, made);
    looking.start();
    return made;
  }

  return {
    follow(tenantId, tell) {
      const { listeners, looking } = followed.get(tenantId) ?? begin(tenantId);
      const leave = listeners.add(tell);
      return () => {
        leave();
        if (listeners.size > 0 || followed.get(tenantId)?.looking !== looking) return;
        followed.delete(tenantId);
        failures.forget(tenantId);
        void looking.stop();
      };
    },
  };
}

/** Returns what is new since the last call; first: since RECENT_MS. */
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

function createFresh<Row>(idOf: (row: Row) => string): (rows: readonly Row[]) => Row[] {
  let seen = new Set<string>();
  return (rows) => {
    const fresh = rows.filter((row) => !seen.has(idOf(row)));
    seen = new Set(rows.map(idOf));
    return fresh;
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
