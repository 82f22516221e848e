import type { Queryable } from '../../platform/database/db.ts';

export interface DayCounts {
  day: string;
  ingested: number;
  ingested_certified: number;
  sent: number;
  deferred: number;
  bounced: number;
  complained: number;
  sealed: number;
}

/** Summed days of account $1 and the additions since, in one statement. */
export const COUNTED_DAYS = `(
  select day, sum(ingested)::bigint as ingested, sum(ingested_certified)::bigint as ingested_certified,
         sum(sent)::bigint as sent, sum(deferred)::bigint as deferred, sum(bounced)::bigint as bounced,
         sum(complained)::bigint as complained, sum(sealed)::bigint as sealed
    from (select * from daily_counters where tenant_id = $1
          union all select * from counter_additions where tenant_id = $1) counted
   group by day)`;

export function readCounters(
  db: Queryable,
  tenantId: string,
  from: string,
  to: string,
): Promise<DayCounts[]> {
  return db.query<DayCounts>(
    `select day, ingested, ingested_certified, sent, deferred, bounced, complained, sealed
       from ${COUNTED_DAYS} d where day between $2::date and $3::date order by day`,
    [tenantId, from, to],
  );
}

export interface ReasonCount {
  readonly reason: string | null;
  readonly messages: number;
}

/** Why messages accepted from `fromId` on bounced: counts the latest `limit`. */
export function countBounceReasons(
  db: Queryable,
  tenantId: string,
  fromId: string,
  limit: number,
): Promise<ReasonCount[]> {
  return db.query<ReasonCount>(
    `select reason, count(*)::integer as messages
       from (select bounce_reason as reason from messages
              where tenant_id = $1 and ended_as = 'bounced' and message_id >= $2
              order by message_id desc limit $3) latest
      group by reason order by 2 desc, 1`,
    [tenantId, fromId, limit],
    'rates_count_bounce_reasons',
  );
}

export function countDeferralReasons(db: Queryable, tenantId: string, limit: number): Promise<ReasonCount[]> {
  return db.query<ReasonCount>(
    `select m.bounce_reason as reason, count(*)::integer as messages
       from (select message_id from delivery_queue where tenant_id = $1 limit $2) q
       join messages m on m.tenant_id = $1 and m.message_id = q.message_id
      where m.status = 'deferred' group by 1 order by 2 desc, 1`,
    [tenantId, limit],
    'rates_count_deferral_reasons',
  );
}

/** Days whose counters differ from the rows; seals count on genTime's day. */
export function findDrift(
  db: Queryable,
  tenantId: string,
): Promise<{ day: string; counter: string; counted: number; actual: number }[]> {
  return db.query(
    `with actual as (
       select day, counter, count(*) as n
         from (select (m.created_at at time zone 'UTC')::date as day, 'ingested' as counter
                 from messages m where m.tenant_id = $1
               union all
               select (m.created_at at time zone 'UTC')::date, 'ingested_certified'
                 from messages m where m.tenant_id = $1 and m.certified
               union all
               select (m.sent_at at time zone 'UTC')::date, 'sent'
                 from messages m where m.tenant_id = $1 and m.sent_at is not null
               union all
               select (m.deferred_at at time zone 'UTC')::date, 'deferred'
                 from messages m where m.tenant_id = $1 and m.deferred_at is not null
               union all
               select (m.bounced_at at time zone 'UTC')::date, 'bounced'
                 from messages m where m.tenant_id = $1 and m.bounced_at is not null
               union all
               select (m.complained_at at time zone 'UTC')::date, 'complained'
                 from messages m where m.tenant_id = $1 and m.complained_at is not null
               union all
               select ((e.data ->> 'sealed_at')::timestamptz at time zone 'UTC')::date, 'sealed'
                 from events e where e.tenant_id = $1 and e.type = 'email.sealed') entered
        group by day, counter
     ), counted as (
       select c.day, v.counter, v.n
         from ${COUNTED_DAYS} c
        cross join lateral (values ('ingested', c.ingested), ('ingested_certified', c.ingested_certified),
                                   ('sent', c.sent), ('deferred', c.deferred), ('bounced', c.bounced),
                                   ('complained', c.complained), ('sealed', c.sealed)) as v (counter, n)
     )
     select coalesce(a.day, c.day) as day, coalesce(a.counter, c.counter) as counter,
            coalesce(c.n, 0) as counted, coalesce(a.n, 0) as actual
       from actual a full join counted c on c.day = a.day and c.counter = a.counter
      where coalesce(a.n, 0) <> coalesce(c.n, 0)
      order by 1, 2`,
    [tenantId],
  );
}
