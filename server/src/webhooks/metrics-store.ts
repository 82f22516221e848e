import type { Queryable } from '../platform/database/db.ts';

export interface WebhookBacklog {
  readonly due: number;
  readonly held: number;
  readonly waiting: number;
  /** For how long the delivery that is due longest has been. */
  readonly overdueSeconds: number;
}

/** Deliveries still to be made, by what they wait for. Reads the whole queue. */
export async function readBacklog(q: Queryable): Promise<WebhookBacklog> {
  const [row] = await q.query<WebhookBacklog>(
    `select (count(*) filter (where due_at <= now()))::integer as due,
            (count(*) filter (where due_at > now() and lease_id is not null))::integer as held,
            (count(*) filter (where due_at > now() and lease_id is null))::integer as waiting,
            greatest(0, coalesce(extract(epoch from now() - min(due_at)), 0))::double precision as "overdueSeconds"
       from webhook_queue`,
    [],
    'read_webhook_backlog',
  );
  return row!;
}
