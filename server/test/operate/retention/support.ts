import { DELIVERY_CONTENT } from '../../../src/delivery/erase-store.ts';
import { MESSAGE_CONTENT } from '../../../src/messages/erase-store.ts';
import { LEAF_CONTENT } from '../../../src/messages/leaves/erase-store.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import type { Db } from '../../../src/platform/database/db.ts';
import { newId, timeOf } from '../../../src/platform/ids.ts';
import { EVENT_CONTENT } from '../../../src/webhooks/erase-store.ts';
import { attempt } from '../../evidence/deliveries.ts';
import { addMessages, addPlainMessage, type TestMessage, type World } from '../../evidence/support.ts';

/** Table → columns whose words an erasure takes, as each domain says of its own. */
export const CONTENT: Readonly<Record<string, readonly string[]>> = {
  ...LEAF_CONTENT,
  ...MESSAGE_CONTENT,
  ...DELIVERY_CONTENT,
  ...EVENT_CONTENT,
};

export const DAY_MS = 86_400_000;

/**
 * Wall-clock time that can be set forward: a message becomes old by that, and its id stays what it was. It
 * begins where the ids of this process are, which never go back: an entry of the audit log that was made with
 * such a clock has taken them along.
 */
export class AheadClock implements Clock {
  #aheadMs = Math.max(0, timeOf(newId()).getTime() - Date.now());
  now(): Date {
    return new Date(Date.now() + this.#aheadMs);
  }
  monotonicMs(): number {
    return performance.now();
  }
  forward(days: number): void {
    this.#aheadMs += days * DAY_MS;
  }
}

/** Plain messages that were sent. */
export async function sentPlain(world: World, tenantId: string, count: number): Promise<TestMessage[]> {
  const messages: TestMessage[] = [];
  for (let i = 0; i < count; i++)
    messages.push(await addPlainMessage(world.db, world.log, tenantId, world.clock.now()));
  if (count > 0) await attempt(world.db, messages, 'sent', world.clock);
  return messages;
}

export async function sentCertified(world: World, tenantId: string, count: number): Promise<TestMessage[]> {
  const messages = await addMessages(world.db, world.log, tenantId, count, world.clock.now());
  await attempt(world.db, messages, 'sent', world.clock);
  return messages;
}

/** Ids of those of these messages whose content is there, in their order. */
export async function withContent(db: Db, messages: readonly TestMessage[]): Promise<boolean[]> {
  const rows = await db.query<{ message_id: string }>('select message_id from message_contents');
  const there = new Set(rows.map((row) => row.message_id));
  return messages.map(({ messageId }) => there.has(messageId));
}

export interface DeletionRow {
  message_id: string;
  tenant_id: string;
  cause: 'retention' | 'erasure';
  deleted_at: Date;
  reason: string | null;
  deleted_by: string | null;
}

export function deletions(db: Db): Promise<DeletionRow[]> {
  return db.query<DeletionRow>('select * from content_deletions order by message_id');
}
