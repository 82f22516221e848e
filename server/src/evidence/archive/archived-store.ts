import type { Queryable, Tx } from '../../platform/database/db.ts';
import type { IdRange } from './archive-store.ts';
import type { Commitment } from './archived-content.ts';

/** Months whose contents were dropped from the database, and what their messages' leaves commit to. */

const COMMITMENT = `m.message_id as "messageId", c.canonical_hash as "canonicalHash", c.manifest, c.openings,
  m.reverse_path as "reversePath", m.recipient_address as "recipientAddress"`;

export interface ArchivedRow extends Commitment {
  /** Null: nothing says where. */
  readonly place: string | null;
}

/** Undefined: its content is in no archive alone. `month`: YYYY-MM, of its id. */
export async function findArchived(
  q: Queryable,
  tenantId: string,
  messageId: string,
  month: string,
): Promise<ArchivedRow | undefined> {
  const [row] = await q.query<ArchivedRow>(
    `select ${COMMITMENT}, a.place
       from messages m
       join leaf_contents c on c.tenant_id = m.tenant_id and c.message_id = m.message_id and c.ordinal = 0
       left join archived_months a on a.tenant_id = m.tenant_id and a.month = $3::date
      where m.tenant_id = $1 and m.message_id = $2 and m.archived_submission_bytes is not null`,
    [tenantId, messageId, `${month}-01`],
    'find_archived',
  );
  return row;
}

export function readCommitments(q: Queryable, range: IdRange): Promise<Commitment[]> {
  return q.query<Commitment>(
    `select ${COMMITMENT}
       from messages m
       join leaf_contents c on c.tenant_id = m.tenant_id and c.message_id = m.message_id and c.ordinal = 0
      where m.tenant_id = $1 and m.message_id > $2 and m.message_id <= $3 and m.erased_at is null`,
    [range.tenantId, range.after, range.to],
    'read_commitments',
  );
}

export interface ArchivedMonth {
  readonly tenantId: string;
  readonly month: string;
  readonly place: string;
}

type Month = Pick<ArchivedMonth, 'tenantId' | 'month'>;

export async function findArchivedPlace(
  q: Queryable,
  { tenantId, month }: Month,
): Promise<string | undefined> {
  const [row] = await q.query<{ place: string }>(
    'select place from archived_months where tenant_id = $1 and month = $2::date',
    [tenantId, `${month}-01`],
    'find_archived_place',
  );
  return row?.place;
}

/** False: another place has it. */
export async function claimArchivedMonth(
  tx: Tx,
  { tenantId, month, place }: ArchivedMonth,
  now: Date,
): Promise<boolean> {
  const rows = await tx.query(
    `insert into archived_months as a (tenant_id, month, place, dropped_at) values ($1, $2::date, $3, $4)
     on conflict (tenant_id, month) do update set dropped_at = excluded.dropped_at
      where a.place = excluded.place
     returning 1`,
    [tenantId, `${month}-01`, place, now.toISOString()],
    'claim_archived_month',
  );
  return rows.length === 1;
}

/** False: another run moved it. */
export async function moveArchivedMonth(
  tx: Tx,
  { tenantId, month, place }: ArchivedMonth,
  from: string,
): Promise<boolean> {
  const rows = await tx.query(
    `update archived_months set place = $3
      where tenant_id = $1 and month = $2::date and place = $4
     returning 1`,
    [tenantId, `${month}-01`, place, from],
    'move_archived_month',
  );
  return rows.length === 1;
}

/** The newest of each place come first. */
export function listArchivedMonths(q: Queryable, limit: number): Promise<ArchivedMonth[]> {
  return q.query<ArchivedMonth>(
    `select tenant_id as "tenantId", to_char(month, 'YYYY-MM') as month, place
       from archived_months
      order by month desc, tenant_id
      limit $1`,
    [limit],
    'list_archived_months',
  );
}
