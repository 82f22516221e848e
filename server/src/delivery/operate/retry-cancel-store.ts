import type { MessageStatus } from '../../messages/status.ts';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import { first } from '../../platform/database/rows.ts';
import type { ClaimedRow } from '../claim/claim-store.ts';

export interface Place {
  readonly status: MessageStatus;
  readonly leased: boolean;
  readonly paused: boolean;
  /** Possibly sent before a restore of the database. */
  readonly unknown: boolean;
}

export function findPlace(db: Queryable, tenantId: string, messageId: string): Promise<Place | null> {
  return first<Place>(
    db,
    `select m.status, q.leased_until is not null as leased,
            exists (select 1 from paused_tenants p where p.tenant_id = m.tenant_id)
              or exists (select 1 from paused_destinations p where p.destination = q.destination) as paused,
            exists (select 1 from unknown_outcomes u
                     where u.tenant_id = m.tenant_id and u.message_id = m.message_id) as unknown
       from messages m left join delivery_queue q on q.tenant_id = m.tenant_id and q.message_id = m.message_id
      where m.tenant_id = $1 and m.message_id = $2`,
    [tenantId, messageId],
  );
}

export function findScheduled(
  db: Queryable,
  tenantId: string,
  messageId: string,
): Promise<ClaimedRow | null> {
  return first<ClaimedRow>(
    db,
    `select m.tenant_id, m.message_id, substring(m.recipient_address from '[^@]*$') as destination,
            0 as attempt, m.created_at, m.send_at as expires_at, m.header_to, m.sender_address,
            m.recipient_address, m.reverse_path, m.certified, m.size_bytes, m.sandbox,
            m.attempts as attempts_made, false as was_deferred, null as source_pool
       from scheduled_messages s join messages m using (tenant_id, message_id)
      where s.tenant_id = $1 and s.message_id = $2`,
    [tenantId, messageId],
  );
}

/** Makes a deferred message due; null: not deferred, leased or paused. */
export async function makeDue(tx: Tx, tenantId: string, messageId: string, now: Date): Promise<Date | null> {
  const [moved] = await tx.query<{ due_at: Date }>(
    `update delivery_queue q set due_at = least(q.due_at, $3)
       from messages m
      where q.tenant_id = $1 and q.message_id = $2 and m.tenant_id = q.tenant_id and m.message_id =
        q.message_id
        and m.status = 'deferred' and q.leased_until is null
        and not exists (select 1 from paused_tenants p where p.tenant_id = q.tenant_id)
        and not exists (select 1 from paused_destinations p where p.destination = q.destination)
     returning q.due_at`,
    [tenantId, messageId, now.toISOString()],
  );
  return moved?.due_at ?? null;
}
