import type { Queryable } from '../../platform/database/db.ts';

/** Reads what a month's archive must have. Ids are ordered by time, so a month is a range of them. */
export interface IdRange {
  readonly tenantId: string;
  readonly after: string;
  /** Inclusive. */
  readonly to: string;
}

export interface MonthStanding {
  readonly waiting: number;
  readonly unsealed: number;
  /** Accepted for a log that ended before it sealed them. */
  readonly neverSealed: number;
}

/** Why a month is not closed: what waits to be sent, and leaves without a constancia. */
export async function readMonthStanding(q: Queryable, range: IdRange): Promise<MonthStanding> {
  const parameters = [range.tenantId, range.after, range.to];
  const [sends, leaves] = await Promise.all([
    q.query<{ waiting: number }>(
      `select count(*)::integer as waiting
         from messages
        where tenant_id = $1 and message_id > $2 and message_id <= $3
          and certified and next_attempt_at is not null`,
      parameters,
      'count_waiting_of_month',
    ),
    q.query<Omit<MonthStanding, 'waiting'>>(
      `select (count(*) filter (where g.ended_at is null))::integer as unsealed,
              (count(*) filter (where g.ended_at is not null and c.ordinal = 0))::integer as "neverSealed"
         from leaf_contents c
         left join leaves l on l.tenant_id = c.tenant_id and l.leaf_id = c.leaf_id
         left join certificates t on t.log_id = l.log_id and t.tree_size = l.tree_size
         left join pending_leaves p on p.tenant_id = c.tenant_id and p.leaf_id = c.leaf_id
         left join logs g on g.log_id = coalesce(l.log_id, p.log_id)
        where c.tenant_id = $1 and c.message_id > $2 and c.message_id <= $3 and t.certificate_id is null`,
      parameters,
      'count_unsealed_of_month',
    ),
  ]);
  return { ...sends[0]!, ...leaves[0]! };
}

export interface SealedState {
  readonly messageId: string;
  /** Canonical hashes of the message and of its outcomes, in order. */
  readonly hashes: readonly Uint8Array[];
  readonly erased: boolean;
}

export function readSealedStates(q: Queryable, range: IdRange, limit: number): Promise<SealedState[]> {
  return q.query<SealedState>(
    `select c.message_id as "messageId", array_agg(c.canonical_hash order by c.ordinal) as hashes,
            coalesce(bool_or(d.cause = 'erasure'), false) as erased
       from leaf_contents c
       join leaves l on l.tenant_id = c.tenant_id and l.leaf_id = c.leaf_id
       join certificates t on t.log_id = l.log_id and t.tree_size = l.tree_size
       left join content_deletions d on d.tenant_id = c.tenant_id and d.message_id = c.message_id
      where c.tenant_id = $1 and c.message_id > $2 and c.message_id <= $3
      group by c.message_id
     having bool_or(c.ordinal = 0)
      order by c.message_id
      limit $4`,
    [range.tenantId, range.after, range.to, limit],
    'read_sealed_states',
  );
}

/** Id of the account's first certified message; undefined: it has none. */
export async function findFirstCertified(q: Queryable, tenantId: string): Promise<string | undefined> {
  const [row] = await q.query<{ messageId: string }>(
    `select message_id as "messageId"
       from leaf_contents where tenant_id = $1
      order by message_id
      limit 1`,
    [tenantId],
    'find_first_certified',
  );
  return row?.messageId;
}
