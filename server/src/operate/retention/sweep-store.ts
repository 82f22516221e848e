import type { Queryable, Tx } from '../../platform/database/db.ts';
import { changed, first } from '../../platform/database/rows.ts';

/** The sweep of expired plain content. */

export async function tenantsToSweep(db: Queryable, now: Date): Promise<string[]> {
  const rows = await db.query<{ tenant_id: string }>(
    `select t.tenant_id from tenants t left join retention_sweeps s on s.tenant_id = t.tenant_id
      where s.tenant_id is null or s.due_at <= $1`,
    [now.toISOString()],
    'retention_tenants',
  );
  return rows.map((row) => row.tenant_id);
}

export interface ClaimedSweep {
  readonly tenantId: string;
  readonly attempt: number;
  readonly sweptTo: string | null;
  readonly recordsTo: string | null;
}

/** Null: another process has it, or just finished. */
export function claimSweep(
  db: Queryable,
  tenantId: string,
  now: Date,
  leasedUntil: Date,
): Promise<ClaimedSweep | null> {
  return first<ClaimedSweep>(
    db,
    `insert into retention_sweeps as s (tenant_id, due_at, attempt) values ($1, $3, 1)
     on conflict (tenant_id) do update set due_at = excluded.due_at,
       attempt = s.attempt + 1 where s.due_at <= $2
     returning s.tenant_id as "tenantId", s.attempt, s.swept_to as "sweptTo", s.records_to as "recordsTo"`,
    [tenantId, now.toISOString(), leasedUntil.toISOString()],
    'retention_claim',
  );
}

/** Returns the tenants still ours. */
export async function extendSweeps(
  db: Queryable,
  held: readonly ClaimedSweep[],
  leasedUntil: Date,
): Promise<Set<string>> {
  const rows = await db.query<{ tenant_id: string }>(
    `update retention_sweeps s set due_at = $3
       from unnest($1::uuid[], $2::integer[]) as h (tenant_id, attempt)
      where s.tenant_id = h.tenant_id and s.attempt = h.attempt
     returning s.tenant_id`,
    [held.map(({ tenantId }) => tenantId), held.map(({ attempt }) => attempt), leasedUntil.toISOString()],
    'retention_extend',
  );
  return new Set(rows.map((row) => row.tenant_id));
}

/** False: lost lease. Deletions stay; the next sweep continues. */
export function recordSweep(tx: Tx, sweep: ClaimedSweep, dueAt: Date): Promise<boolean> {
  return changed(
    tx,
    `update retention_sweeps set swept_to = greatest(swept_to, $3), records_to = greatest(records_to, $5),
       due_at = $4 where tenant_id = $1 and attempt = $2`,
    [sweep.tenantId, sweep.attempt, sweep.sweptTo, dueAt.toISOString(), sweep.recordsTo],
    'retention_record',
  );
}

/** Null: from the first. */
type SweptTo = Pick<ClaimedSweep, 'sweptTo' | 'recordsTo'>;

export async function findSweptTo(db: Queryable, tenantId: string): Promise<SweptTo> {
  const [row] = await db.query<SweptTo>(
    `select swept_to as "sweptTo", records_to as "recordsTo" from retention_sweeps where tenant_id = $1`,
    [tenantId],
  );
  return row ?? { sweptTo: null, recordsTo: null };
}

/** Never moves back. */
export async function advanceSweep(
  db: Queryable,
  tenantId: string,
  { sweptTo, recordsTo }: SweptTo,
  now: Date,
): Promise<void> {
  await db.execute(
    `insert into retention_sweeps as s (tenant_id, due_at, swept_to, records_to) values ($1, $3, $2, $4)
     on conflict (tenant_id) do update set swept_to = greatest(s.swept_to, excluded.swept_to),
       records_to = greatest(s.records_to, excluded.records_to)`,
    [tenantId, sweptTo, now.toISOString(), recordsTo],
  );
}

export interface SweepPage {
  readonly tenantId: string;
  /** Exclusive. */
  readonly after: string;
  readonly before: string;
  readonly cutoff: Date;
  readonly now: Date;
  readonly limit: number;
}

export interface SweptMessage {
  readonly message_id: string;
  /** `left`: still waiting, younger than its id, or locked. */
  readonly fate: 'deleted' | 'left' | 'none';
  readonly bytes: number;
}

/** Deletes one page and records it in the same transaction, by id. Skips locked rows. */
export async function sweepPage(tx: Tx, page: SweepPage): Promise<SweptMessage[]> {
  const rows = await tx.query<SweptMessage>(
    `with page as materialized (
       select message_id, certified, status, created_at from messages
        where tenant_id = $1 and message_id > $2 and message_id < $3
        order by message_id limit $5
     ), doomed as materialized (
       select c.message_id, octet_length(c.raw) + octet_length(c.submission) as bytes
         from page p join message_contents c on c.tenant_id = $1 and c.message_id = p.message_id
        where not p.certified and p.created_at < $4
          and p.status in ('sent', 'bounced', 'cancelled', 'complained')
          for update of c skip locked
     ), deleted as (
       delete from message_contents c using doomed d where c.tenant_id = $1 and c.message_id = d.message_id
     )
     select p.message_id, coalesce(d.bytes, 0) as bytes,
            case when d.message_id is not null then 'deleted'
                 when not p.certified and c.message_id is not null then 'left' else 'none' end as fate
       from page p
       left join doomed d on d.message_id = p.message_id
       left join message_contents c on c.tenant_id = $1 and c.message_id = p.message_id
      order by p.message_id`,
    [page.tenantId, page.after, page.before, page.cutoff.toISOString(), page.limit],
    'retention_sweep_page',
  );
  const deleted = rows.filter(({ fate }) => fate === 'deleted');
  if (deleted.length > 0) recordDeleted(tx, page, deleted);
  return rows;
}

function recordDeleted(tx: Tx, { tenantId, now }: SweepPage, deleted: readonly SweptMessage[]): void {
  tx.send(
    `insert into content_deletions (tenant_id, message_id, cause, deleted_at)
     select $1, t.message_id, 'retention', $3 from unnest($2::uuid[]) as t (message_id)
     on conflict (tenant_id, message_id) do nothing`,
    [tenantId, deleted.map((row) => row.message_id), now.toISOString()],
    'retention_record_deleted',
  );
}
