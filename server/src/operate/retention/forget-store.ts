import type { Queryable, Tx } from '../../platform/database/db.ts';
import type { SweepPage, SweptMessage } from './sweep-store.ts';

/** The sweep of expired records of plain messages. */

export interface LockedRecord extends Pick<SweptMessage, 'message_id' | 'fate'> {
  readonly idempotency_key: string;
  /** Day of its acceptance, UTC. */
  readonly day: string;
}

/** One page, by id. Skips locked rows. */
export function lockRecords(tx: Tx, page: SweepPage): Promise<LockedRecord[]> {
  return tx.query<LockedRecord>(
    `with page as materialized (
       select message_id, certified, created_at from messages
        where tenant_id = $1 and message_id > $2 and message_id < $3
        order by message_id limit $5
     ), doomed as materialized (
       select m.message_id, m.idempotency_key
         from page p join messages m on m.tenant_id = $1 and m.message_id = p.message_id
        where not p.certified and p.created_at < $4
          and m.status in ('sent', 'bounced', 'cancelled', 'complained')
          and not exists (select 1 from message_contents c
                where c.tenant_id = $1 and c.message_id = p.message_id)
          for update of m skip locked
     )
     select p.message_id, coalesce(d.idempotency_key, '') as idempotency_key,
            to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD') as day,
            case when d.message_id is not null then 'deleted' when p.certified then 'none' else 'left' end as fate
       from page p left join doomed d on d.message_id = p.message_id
      order by p.message_id`,
    [page.tenantId, page.after, page.before, page.cutoff.toISOString(), page.limit],
    'forget_lock_records',
  );
}

export function deleteShares(tx: Tx, tenantId: string, messageIds: readonly string[]): void {
  tx.send(
    'delete from shares where tenant_id = $1 and message_id = any ($2::uuid[])',
    [tenantId, messageIds],
    'forget_shares',
  );
}

/** Removes the notes that content was deleted. */
export function deleteTraces(tx: Tx, tenantId: string, messageIds: readonly string[]): void {
  tx.send(
    'delete from content_deletions where tenant_id = $1 and message_id = any ($2::uuid[])',
    [tenantId, messageIds],
    'forget_traces',
  );
}

export function countDeleted(tx: Tx, tenantId: string, days: readonly string[]): void {
  const counts = new Map<string, number>();
  for (const day of [...days].sort()) counts.set(day, (counts.get(day) ?? 0) + 1);
  tx.send(
    `insert into deleted_records as d (tenant_id, day, records)
     select $1, t.day, t.records from unnest($2::date[], $3::bigint[]) as t (day, records)
     on conflict (tenant_id, day) do update set records = d.records + excluded.records`,
    [tenantId, [...counts.keys()], [...counts.values()]],
    'forget_count',
  );
}

/** When an installation begins to delete records. */
export async function findRecordsBeginAt(q: Queryable): Promise<Date> {
  const [row] = await q.query<{ begins_at: Date }>(
    'select begins_at from plain_record_deletion',
    [],
    'retention_records_begin',
  );
  if (row === undefined)
    throw new Error('plain_record_deletion has no row: this database is not one of Acuse');
  return row.begins_at;
}

/** Null: the installation's. */
export async function findRecordDays(q: Queryable, tenantId: string): Promise<number | null> {
  const [row] = await q.query<{ days: number | null }>(
    'select plain_record_days as days from tenants where tenant_id = $1',
    [tenantId],
    'retention_record_days',
  );
  return row?.days ?? null;
}
