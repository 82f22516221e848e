import type { Queryable, Tx } from '../platform/database/db.ts';
import { isDistributed } from '../platform/database/distributed.ts';
import { readInOrderByOnePlan } from '../platform/database/read-in-order.ts';
import { FIRST_ID } from '../platform/ids.ts';
import type { AskSpan, Found } from '../platform/queue/scans.ts';
import { isDue } from './due.ts';

/**
 * Endpoints with due deliveries, at a cost of the due rows up to a bound. One page has those due longest; if
 * there are more, a second page has the newest, and the rest are asked in turn. Outside the sandbox, its
 * accounts' deliveries wait.
 */

export interface EndpointWork {
  tenant_id: string;
  webhook_id: string;
  /** False: off or deleted, so that its deliveries must fail. */
  enabled: boolean;
}

export type EndpointTurn = EndpointWork & { due: boolean };

/** Due deliveries read: the oldest, and the newest if there are more. */
export const OLDEST_MAX = 1_000;
export const NEWEST_MAX = 300;

export type Key = Pick<EndpointWork, 'tenant_id' | 'webhook_id'>;

const DUE_AT = "timezone('UTC', q.due_at)";
/** $1: now; $2: the start, as a row comparison (see delivery's due-store.ts). */
const DUE_SINCE = `(${DUE_AT}, q.tenant_id) >= (timezone('UTC', coalesce($2::timestamptz, '-infinity')),
          '${FIRST_ID}')
        and ${DUE_AT} <= timezone('UTC', greatest($1::timestamptz, now())) and ${isDue('$1', 'q.')}`;
/** `among`: only these accounts, so that Citus asks no other node. */
const OF_THE_SANDBOX = (tenant: string, among: string | null) =>
  `exists (select 1 from tenants t where t.tenant_id = ${tenant} and t.sandbox${
    among === null ? '' : ` and t.tenant_id = any (${among}::uuid[])`
  })`;

/** Rows due before `from` are skipped. */
export async function findDueEndpoints(
  tx: Tx,
  sandbox: boolean,
  now: Date,
  from: Date | null,
): Promise<Found<EndpointWork>> {
  // As in delivery's due-store.ts.
  readInOrderByOnePlan(tx);
  const [row] = await tx.query<Omit<Found<EndpointWork>, 'owners'> & { found: EndpointWork[] | null }>(
    `with oldest as materialized (
       select q.tenant_id, q.webhook_id, q.due_at from webhook_queue q where ${DUE_SINCE}
        order by ${DUE_AT} limit ${OLDEST_MAX}
     ), counted as materialized (select count(*) = ${OLDEST_MAX} as more, min(due_at) as oldest from oldest
     ), newest as materialized (
       select q.tenant_id, q.webhook_id from webhook_queue q where (select more from counted) and ${DUE_SINCE}
        order by ${DUE_AT} desc limit ${NEWEST_MAX}
     ), found as (
       select due.tenant_id, due.webhook_id, coalesce(e.enabled, false) as enabled
         from (select tenant_id, webhook_id from oldest union select tenant_id, webhook_id from newest) due
         join tenants t on t.tenant_id = due.tenant_id${sandbox ? '' : ' and not t.sandbox'}
         left join webhook_endpoints e on e.tenant_id = t.tenant_id and e.webhook_id = due.webhook_id
     )
     select looked.*, extract(epoch from clock_timestamp() - statement_timestamp())::float8 * 1000 as "tookMs"
       from (select counted.more, counted.oldest, (select json_agg(found) from found) as found
               from counted offset 0) looked`,
    [now.toISOString(), from?.toISOString() ?? null],
    sandbox ? 'webhook_find_due_endpoints' : 'webhook_find_due_endpoints_outside_sandbox',
  );
  const { found, ...look } = row!;
  return { owners: found ?? [], ...look };
}

/**
 * Endpoints in order, limited before joins where possible: Citus joins nothing laterally to a limited set.
 */
function pageOf(where: string, limit: string, distributed: boolean): { endpoints: string; limit: string } {
  const some = `select tenant_id, webhook_id, enabled from webhook_endpoints where ${where}`;
  if (distributed) return { endpoints: `(${some})`, limit: `limit ${limit}` };
  return { endpoints: `(${some} order by tenant_id, webhook_id limit ${limit})`, limit: '' };
}

const keyOf = (after: Key | null) => [after?.tenant_id ?? FIRST_ID, after?.webhook_id ?? FIRST_ID];

/** The next enabled endpoints, and whether each has due deliveries. */
export async function askEndpoints(
  db: Queryable,
  { sandbox, now, from, among }: AskSpan & { readonly sandbox: boolean },
  after: Key | null,
  limit: number,
): Promise<EndpointTurn[]> {
  const of = (tenant: string) => (among === null ? '' : `and ${tenant} = any ($7::uuid[])`);
  const next = `(tenant_id, webhook_id) > ($4, $5) ${of('tenant_id')}`;
  const page = pageOf(next, '$6', await isDistributed(db));
  return db.query<EndpointTurn>(
    `select e.tenant_id, e.webhook_id, e.enabled, due.tenant_id is not null as due
       from ${page.endpoints} e
       left join lateral (
         select q.tenant_id from webhook_queue q
          where q.tenant_id = e.tenant_id and q.webhook_id = e.webhook_id
            and q.due_at >= coalesce($2::timestamptz, '-infinity') and ${isDue('$1', 'q.')}
            and ($3 or not ${OF_THE_SANDBOX('e.tenant_id', among === null ? null : '$7')})
            ${of('q.tenant_id')} limit 1
       ) due on e.enabled
      order by e.tenant_id, e.webhook_id ${page.limit}`,
    [
      ...[now.toISOString(), from?.toISOString() ?? null, sandbox, ...keyOf(after), limit],
      ...(among === null ? [] : [among]),
    ],
    among === null ? 'webhook_ask_endpoints' : undefined,
  );
}

/** The next disabled endpoints, and whether each has waiting deliveries. */
export async function askClosedEndpoints(
  db: Queryable,
  { sandbox, among }: Pick<AskSpan, 'among'> & { readonly sandbox: boolean },
  after: Key | null,
  limit: number,
): Promise<(Key & { waits: boolean })[]> {
  const of = (tenant: string) => (among === null ? '' : `and ${tenant} = any ($5::uuid[])`);
  const next = `not enabled and (tenant_id, webhook_id) > ($2, $3) ${of('tenant_id')}`;
  const page = pageOf(next, '$4', await isDistributed(db));
  return db.query<Key & { waits: boolean }>(
    `select e.tenant_id, e.webhook_id, waits.tenant_id is not null as waits
       from ${page.endpoints} e
       left join lateral (
         select q.tenant_id from webhook_queue q
          where q.tenant_id = e.tenant_id and q.webhook_id = e.webhook_id
            and ($1 or not ${OF_THE_SANDBOX('e.tenant_id', among === null ? null : '$5')})
            ${of('q.tenant_id')} limit 1
       ) waits on true
      order by e.tenant_id, e.webhook_id ${page.limit}`,
    [sandbox, ...keyOf(after), limit, ...(among === null ? [] : [among])],
    among === null ? 'webhook_ask_closed_endpoints' : undefined,
  );
}
