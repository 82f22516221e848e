import { newId } from '../ids.ts';
import type { Db } from './db.ts';

/**
 * Notices that something cached has changed: heard at once in this process and, over NOTIFY, by the others.
 * Only a hint: a lost notice costs freshness for as long as a cache keeps its entries, never correctness.
 */
export interface Changes {
  /** Calls `onChange` with the id of each thing of this kind that changed. */
  on(kind: ChangeKind, onChange: (id: string) => void): void;
  /** Tells of a committed change. Resolves when this process has heard it and the others were notified. */
  announce(kind: ChangeKind, id: string): Promise<void>;
}

export type ChangeKind =
  | 'tenant'
  | 'api_key'
  | 'domain'
  | 'sender'
  | 'template'
  | 'webhook'
  | 'message'
  /** A log has been stopped. */
  | 'log';

const CHANNEL = 'acuse_changes';

/**
 * For a process that hears of no changes itself, such as a command. Failing to tell must not make the change
 * look undone.
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
    // Heard at once when it was announced: hearing it again would only cost the caches what they have read
    // since.
    if (origin !== self && kind !== undefined && id !== undefined) heard(kind, id);
  });

  return {
    on(kind, onChange) {
      handlers.set(kind, [...(handlers.get(kind) ?? []), onChange]);
    },
    async announce(kind, id) {
      heard(kind, id);
      // The change is committed already: failing to tell others must not make it look undone.
      await db.query('select pg_notify($1, $2)', [CHANNEL, `${self} ${kind} ${id}`]).catch(() => {});
    },
  };
}
