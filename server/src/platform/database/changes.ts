import { newId } from '../ids.ts';
import type { Db, DbAndClock } from './db.ts';

/**
 * Notices that cached data changed, to this process and, over NOTIFY, to the others. A lost notice costs
 * freshness, never correctness.
 */
export interface Changes {
  on(kind: ChangeKind, onChange: (id: string) => void): void;
  /** Announces a committed change. Resolves once this process knows and the others are notified. */
  announce(kind: ChangeKind, id: string): Promise<void>;
}

/** For operations that change what others cache. */
export interface ChangeDeps extends DbAndClock {
  readonly changes: Changes;
}

type ChangeKind = 'tenant' | 'api_key' | 'domain' | 'sender' | 'template' | 'webhook' | 'message' | 'log';

const CHANNEL = 'acuse_changes';

/**
 * For a process that listens to no changes, such as a command. A failed notice must not make the change look
 * undone.
 */
export async function announceChange(db: Pick<Db, 'query'>, kind: ChangeKind, id: string): Promise<void> {
  await db.query('select pg_notify($1, $2)', [CHANNEL, `${newId()} ${kind} ${id}`]).catch(() => {});
}

export function createChanges(db: Pick<Db, 'query' | 'listen'>): Changes {
  const handlers = new Map<string, ((id: string) => void)[]>();

  function heard(kind: string, id: string): void {
    for (const handler of handlers.get(kind) ?? []) handler(id);
  }

  const self = newId();
  db.listen(CHANNEL, (payload) => {
    const [origin, kind, id] = payload.split(' ', 3);
    // Our own notice was handled already; handling it twice would only empty the caches again.
    if (origin !== self && kind !== undefined && id !== undefined) heard(kind, id);
  });

  return {
    on(kind, onChange) {
      handlers.set(kind, [...(handlers.get(kind) ?? []), onChange]);
    },
    async announce(kind, id) {
      heard(kind, id);
      // The change is committed: a failed notice must not make it look undone.
      await db.query('select pg_notify($1, $2)', [CHANNEL, `${self} ${kind} ${id}`]).catch(() => {});
    },
  };
}
