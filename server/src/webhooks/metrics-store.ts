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

export interface TroubledEndpoint {
  readonly tenant_id: string;
  readonly webhook_id: string;
  readonly url: string;
  readonly enabled: boolean;
  readonly disabled_reason: 'gone' | 'failing' | 'manual' | null;
  readonly failing_since: Date | null;
}

/**
 * Endpoints that fail, or were switched off because they did, over all accounts; newest first, below
 * `before`.
 */
export function listTroubledEndpoints(
  q: Queryable,
  before: string | null,
  limit: number,
): Promise<TroubledEndpoint[]> {
  return q.query<TroubledEndpoint>(
    `select tenant_id, webhook_id, url, enabled, disabled_reason, failing_since from webhook_endpoints
      where (failing_since is not null or disabled_reason in ('gone', 'failing'))
        and ($1::uuid is null or webhook_id < $1)
      order by webhook_id desc limit $2`,
    [before, limit],
  );
}
