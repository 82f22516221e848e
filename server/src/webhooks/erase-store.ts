import type { Tx } from '../platform/database/db.ts';

/** Columns that an erasure blanks, by table (docs/decisions/0013). */
export const EVENT_CONTENT = {
  events: ['data'],
  webhook_deliveries: ['body'],
  webhook_attempts: ['response_headers', 'response_excerpt'],
} as const;

/** Event fields with content, or that name the recipient or provider. */
const TELLING = "array['from', 'to', 'subject', 'mx', 'reply', 'tls']";

/** Events of messages; `email.queued` has its message's id, unless stored. */
const toldOf = (messages: string) =>
  `select event_id, occurred_at from events where tenant_id = $1 and message_id ${messages}
       union all select message_id, created_at from messages where tenant_id = $1 and message_id ${messages}`;
const TOLD = toldOf('= $2');
const TOLD_OF_MANY = toldOf('= any ($2::uuid[])');

/** Types and times stay; content and addresses go. */
export async function blankEvents(tx: Tx, tenantId: string, messageId: string): Promise<void> {
  const key = [tenantId, messageId];
  // A delivery has its event's time, so that the range is small. email.sealed names nobody.
  const gone = await tx.query<{ delivery_id: string }>(
    `delete from webhook_deliveries d using (${TOLD}) e
      where d.tenant_id = $1 and d.created_at = e.occurred_at and d.event_id = e.event_id
        and d.type <> 'email.sealed'
     returning d.delivery_id`,
    key,
  );
  deleteTries(tx, tenantId, gone);
  // A receiver's answer may repeat earlier content.
  tx.send(
    `update webhook_attempts a set response_headers = null, response_excerpt = null
       from (${TOLD}) e join webhook_deliveries d on d.tenant_id = $1 and d.created_at = e.occurred_at and
         d.event_id = e.event_id
      where a.tenant_id = $1 and a.delivery_id = d.delivery_id`,
    key,
  );
  tx.send(`update events set data = data - ${TELLING} where tenant_id = $1 and message_id = $2`, key);
}

function deleteTries(tx: Tx, tenantId: string, gone: readonly { readonly delivery_id: string }[]): void {
  const ids = [tenantId, gone.map((it) => it.delivery_id)];
  tx.send('delete from webhook_queue where tenant_id = $1 and delivery_id = any ($2::uuid[])', ids);
  // Afterwards, to include attempts being recorded.
  tx.send('delete from webhook_attempts where tenant_id = $1 and delivery_id = any ($2::uuid[])', ids);
}

/** Before their messages, which say when an event was that is not stored. */
export async function deleteEvents(tx: Tx, tenantId: string, messageIds: readonly string[]): Promise<void> {
  const ids = [tenantId, messageIds];
  const gone = await tx.query<{ delivery_id: string }>(
    `delete from webhook_deliveries d using (${TOLD_OF_MANY}) e
      where d.tenant_id = $1 and d.created_at = e.occurred_at and d.event_id = e.event_id
     returning d.delivery_id`,
    ids,
    'forget_webhook_deliveries',
  );
  if (gone.length > 0) deleteTries(tx, tenantId, gone);
  tx.send('delete from events where tenant_id = $1 and message_id = any ($2::uuid[])', ids, 'forget_events');
}
