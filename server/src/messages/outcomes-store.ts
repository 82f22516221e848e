import type { Tx } from '../platform/database/db.ts';
import { readInOrder } from '../platform/database/read-in-order.ts';
import type { IdRange } from '../platform/http/created-query.ts';

export interface OutcomeCounts {
  ingested: number;
  sent: number;
  deferred: number;
  bounced: number;
  complained: number;
}

export type OutcomePart = 'step' | 'destination' | 'sending_domain' | 'tag';

export interface OutcomeRow extends OutcomeCounts {
  readonly part: OutcomePart;
  /** A step: its start, without a time zone. A destination: '' once erased. */
  readonly name: string;
  /** How many names the part has. */
  readonly names: number;
}

export interface OutcomeQuestion {
  readonly ids: IdRange;
  readonly from: Date;
  readonly to: Date;
  readonly step: 'hour' | 'day';
  readonly destination: string | null;
  readonly sendingDomain: string | null;
  readonly tag: string | null;
  /** Messages read at most. */
  readonly scanned: number;
  /** Most names of each part; all steps are named. */
  readonly named: number;
}

const COUNTS = `count(*)::integer as ingested,
  (count(*) filter (where sent))::integer as sent, (count(*) filter (where deferred))::integer as deferred,
  (count(*) filter (where bounced))::integer as bounced,
  (count(*) filter (where complained))::integer as complained`;

/** Outcomes so far of the messages that were accepted in a time, newest first up to a bound. */
export async function countOutcomes(
  tx: Tx,
  tenantId: string,
  { ids, from, to, step, destination, sendingDomain, tag, scanned, named }: OutcomeQuestion,
): Promise<OutcomeRow[]> {
  readInOrder(tx);
  return tx.query<OutcomeRow>(
    `with read as (
       select created_at, sent_at is not null as sent, deferred_at is not null as deferred,
              bounced_at is not null as bounced, complained_at is not null as complained, tags,
              split_part(recipient_key, '@', -1) as destination,
              lower(split_part(sender_address, '@', -1)) as sending_domain
         from messages
        where tenant_id = $1 and message_id >= $2 and message_id < $3
        order by message_id desc limit $4
     ), counted as materialized (
       select * from read
        where created_at >= $5::timestamptz and created_at < $6::timestamptz
          and ($7::text is null or destination = $7) and ($8::text is null or sending_domain = $8)
          and ($9::text is null or $9 = any (tags))
     ), parts as (
       select 'step' as part,
              to_char(date_trunc($10, created_at at time zone 'UTC'), 'YYYY-MM-DD"T"HH24:MI:SS') as name, ${COUNTS}
         from counted group by 2
       union all
       select 'destination', destination, ${COUNTS} from counted group by 2
       union all
       select 'sending_domain', sending_domain, ${COUNTS} from counted group by 2
       union all
       select 'tag', t.tag, ${COUNTS} from counted cross join lateral unnest(tags) as t (tag) group by 2
     )
     select part, name, names, ingested, sent, deferred, bounced, complained
       from (select *, count(*) over (partition by part)::integer as names,
                    row_number() over (partition by part order by ingested desc, name) as place
               from parts) ranked
      where part = 'step' or place <= $11
      order by part, place`,
    [
      tenantId,
      ids.from,
      ids.below,
      scanned,
      from.toISOString(),
      to.toISOString(),
      destination,
      sendingDomain,
      tag,
      step,
      named,
    ],
    'count_outcomes',
  );
}

/** When the message was accepted at which such a count stopped. Null: it has read all. */
export async function findOutcomesEnd(
  tx: Tx,
  tenantId: string,
  ids: IdRange,
  scanned: number,
): Promise<Date | null> {
  const [row] = await tx.query<{ created_at: Date }>(
    `select m.created_at
       from (select message_id from messages where tenant_id = $1 and message_id >= $2 and message_id < $3
              order by message_id desc offset $4::bigint - 1 limit 1) last
       join messages m on m.tenant_id = $1 and m.message_id = last.message_id`,
    [tenantId, ids.from, ids.below, scanned],
    'find_outcomes_end',
  );
  return row?.created_at ?? null;
}
