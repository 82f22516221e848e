import type { Enqueue } from '../../messages/prepared.ts';
import { plainArray, textArray } from '../../platform/database/array-text.ts';

/** Puts accepted messages in line, due at once. Sent without waiting for the answer. */
export const enqueue: Enqueue = (tx, messages, waits) => {
  tx.send(
    `insert into delivery_queue (tenant_id, message_id, destination, due_at, created_at, expires_at)
     select t.tenant_id, t.message_id, t.destination, t.created_at, t.created_at, t.expires_at
       from unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::timestamptz[]) as t (tenant_id,
         message_id, destination, created_at, expires_at)`,
    [
      messages.tenants,
      messages.messages,
      textArray(waits.map(({ destination }) => destination)),
      messages.created,
      plainArray(waits.map(({ expiresAt }) => expiresAt.toISOString())),
    ],
    'accept_insert_queue',
  );
};
