import type { Queryable } from '../platform/database/db.ts';

export interface RecentEvent {
  readonly eventId: string;
  readonly messageId: string;
}

/** Events with an id of `from` or later, the newest first. */
export function listRecentEvents(
  q: Queryable,
  tenantId: string,
  from: string,
  limit: number,
): Promise<RecentEvent[]> {
  return q.query(
    `select event_id as "eventId", message_id as "messageId" from events
      where tenant_id = $1 and event_id >= $2 order by event_id desc limit $3`,
    [tenantId, from, limit],
    'list_recent_events',
  );
}
