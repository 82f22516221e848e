import type { Queryable } from '../platform/database/db.ts';
import { COUNTED_MAX } from '../platform/database/shared-read.ts';

export interface WebhookBacklog {
  readonly due: number;
  readonly held: number;
  readonly waiting: number;
  readonly overdueSeconds: number;
}

const DUE_AT = "timezone('UTC', q.due_at)";
const NOW = "timezone('UTC', now())";

/** Pending deliveries by state, each counted up to `limit`. */
export async function readBacklog(q: Queryable, limit = COUNTED_MAX): Promise<WebhookBacklog> {
  const [row] = await q.query<WebhookBacklog>(
    `with due as materialized (
       select count(*)::integer as deliveries, min(due_at) as oldest
         from (select q.due_at from webhook_queue q where ${DUE_AT} <= ${NOW} order by ${DUE_AT} limit $1) d
     ), later as materialized (
       select count(*)::integer as deliveries, (count(*) filter (where lease_id is not null))::integer as held
         from (select q.lease_id from webhook_queue q where ${DUE_AT} > ${NOW} order by ${DUE_AT} limit $1) l
     )
     select due.deliveries as due, later.held, later.deliveries - later.held as waiting,
            greatest(0, coalesce(extract(epoch from now() - due.oldest), 0))::double precision as "overdueSeconds"
       from due cross join later`,
    // Unnamed: a plan made for an empty queue would be kept.
    [limit],
  );
  return row!;
}

interface TroubledEndpoint {
  readonly tenant_id: string;
  readonly webhook_id: string;
  readonly url: string;
  readonly enabled: boolean;
  readonly disabled_reason: 'gone' | 'failing' | 'manual' | null;
  readonly failing_since: Date | null;
}

/** Failing or automatically disabled endpoints of all accounts, newest first. */
export function listTroubledEndpoints(q: Queryable, limit: number): Promise<TroubledEndpoint[]> {
  return q.query<TroubledEndpoint>(
    `select tenant_id, webhook_id, url, enabled, disabled_reason, failing_since from webhook_endpoints
      where failing_since is not null or disabled_reason in ('gone', 'failing')
      order by webhook_id desc limit $1`,
    [limit],
  );
}
