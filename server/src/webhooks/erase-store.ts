import type { Tx } from '../platform/database/db.ts';

/** Columns that an erasure blanks, by table (docs/decisions/0013). */
export const EVENT_CONTENT = {
  events: ['data'],
  webhook_deliveries: ['body'],
  webhook_attempts: ['response_headers', 'response_excerpt'],
} as const;

/** Event fields with content, or that name the recipient or provider. */
const TELLING = "array['from', 'to', 'subject', 'mx', 'reply', 'tls']";

/** Events of a message; `email.queued` has its id, unless stored. */
const TOLD = `select event_id, occurred_at from events where tenant_id = $1 and message_id = $2
       union all select message_id, created_at from messages where tenant_id = $1 and message_id = $2`;

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
  const ids = [tenantId, gone.map((it) => it.delivery_id)];
  tx.send('delete from webhook_queue where tenant_id = $1 and delivery_id = any ($2::uuid[])', ids);
  // Afterwards, to include attempts being recorded.
  tx.send('delete from webhook_attempts where tenant_id = $1 and delivery_id = any ($2::uuid[])', ids);
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
