import type { Enqueue } from '../../messages/prepared.ts';
import { plainArray, textArray, timeArray } from '../../platform/database/array-text.ts';
import { LEASE_END } from '../../platform/queue/leases.ts';

/** Fences the first holder's write-back. */
export const FIRST_ATTEMPT = 1;

/**
 * Queues accepted messages, due at once; those that this process begins are leased from the start. Not
 * awaited.
 */
export const enqueue: Enqueue = (tx, messages, waits, begun) => {
  const values = [
    messages.tenants,
    messages.messages,
    textArray(waits.map(({ destination }) => destination)),
    messages.created,
    timeArray(waits.map(({ expiresAt }) => expiresAt)),
  ];
  if (begun?.some((each) => each) !== true) return tx.send(WAITING, values, 'accept_insert_queue');
  tx.send(HELD, [...values, plainArray(begun)], 'accept_insert_queue_held');
};

const WAITING = `
  insert into delivery_queue (tenant_id, message_id, destination, due_at, created_at, expires_at)
  select t.tenant_id, t.message_id, t.destination, t.created_at, t.created_at, t.expires_at
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::timestamptz[]) as t (tenant_id,
      message_id, destination, created_at, expires_at)
     returning null`;

const HELD = `
  insert into delivery_queue (tenant_id, message_id, destination, due_at, created_at, expires_at, attempt,
    leased_until)
  select t.tenant_id, t.message_id, t.destination, case when t.held then ${LEASE_END} else t.created_at end,
         t.created_at, t.expires_at, case when t.held then ${FIRST_ATTEMPT} else 0 end,
         case when t.held then ${LEASE_END} end
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::boolean[]) as t
      (tenant_id, message_id, destination, created_at, expires_at, held)
     returning null`;
