import type { Queryable } from '../../platform/database/db.ts';

export interface RecentEvent {
  readonly eventId: string;
  readonly messageId: string;
}

/** Newest first, from id `from` on; accepted messages count as events. */
export function listRecentEvents(
  q: Queryable,
  tenantId: string,
  from: string,
  limit: number,
): Promise<RecentEvent[]> {
  return q.query(
    `select event_id as "eventId", message_id as "messageId"
       from ((select event_id, message_id from events
               where tenant_id = $1 and event_id >= $2 order by event_id desc limit $3)
             union all
             (select message_id, message_id from messages
               where tenant_id = $1 and message_id >= $2 order by message_id desc limit $3)) recent
      order by event_id desc limit $3`,
    [tenantId, from, limit],
    'list_recent_events',
  );
}

export interface RecentEntry {
  readonly entryId: string;
  readonly action: string;
}

export function listRecentEntries(
  q: Queryable,
  tenantId: string,
  from: string,
  limit: number,
): Promise<RecentEntry[]> {
  return q.query(
    `select event_id as "entryId", action from account_events
      where tenant_id = $1 and event_id >= $2 order by event_id desc limit $3`,
    [tenantId, from, limit],
    'list_recent_entries',
  );
}

/** Digests of what changes without audit entries. */
export interface Movements {
  readonly domains: string;
  readonly suppressions: string;
  readonly webhooks: string;
}

/**
 * Domain states, the newest suppression and delivery progress. Retries of old deliveries are found by
 * periodic reads.
 */
export async function readMovements(
  q: Queryable,
  tenantId: string,
  limits: { readonly domains: number; readonly deliveries: number },
): Promise<Movements> {
  const [row] = await q.query<Movements>(
    `select
       (select coalesce(md5(string_agg(concat_ws(' ', d.domain_id, d.status, d.checked_at), ',')), '') from
         (select domain_id, status, checked_at from domains where tenant_id = $1
           order by domain_id limit $2) d
       ) as domains,
       (select coalesce(max(s.suppression_id::text), '') from
         (select suppression_id from suppressions where tenant_id = $1 order by suppression_id desc limit 1) s
       ) as suppressions,
       (select coalesce(md5(string_agg(concat_ws(' ', w.delivery_id, w.status, w.attempts), ',')), '') from
         (select d.delivery_id, case when q.delivery_id is not null then 'pending' when d.failed then 'failed'
              else 'delivered' end as status, (select max(a.attempt) from webhook_attempts a
               where a.tenant_id = $1 and a.delivery_id = d.delivery_id) as attempts
            from webhook_deliveries d
            left join webhook_queue q on q.tenant_id = $1 and q.delivery_id = d.delivery_id
           where d.tenant_id = $1 order by d.delivery_id desc limit $3) w
       ) as webhooks`,
    [tenantId, limits.domains, limits.deliveries],
    'read_movements',
  );
  return row!;
}
