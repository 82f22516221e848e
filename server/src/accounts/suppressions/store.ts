import type { Queryable, Tx } from '../../platform/database/db.ts';
import { first } from '../../platform/database/rows.ts';
import type { CreatedRange, IdRange } from '../../platform/http/created-query.ts';
import type { Note } from '../../platform/journal/note.ts';
import type { SuppressionList } from './refusal.ts';
import { isAlwaysSuppressed } from './sandbox-addresses.ts';

export type SuppressionSource = 'manual' | 'bounce' | 'complaint';

export interface Suppression {
  suppressionId: string;
  address: string;
  reason: string;
  source: SuppressionSource;
  messageId: string | null;
  createdAt: Date;
}

const COLUMNS = `suppression_id as "suppressionId", address, reason, source, message_id as "messageId", created_at as "createdAt"`;

export async function insertSuppression(tx: Tx, tenantId: string, entry: Suppression): Promise<boolean> {
  const touched = await tx.execute(
    `insert into suppressions (tenant_id, suppression_id, address, reason, source, message_id, created_at)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict (tenant_id, address) do nothing`,
    [
      tenantId,
      entry.suppressionId,
      entry.address,
      entry.reason,
      entry.source,
      entry.messageId,
      entry.createdAt,
    ],
    'insert_suppression',
  );
  // Automatic entries must not wait for the journal: sent mail would be sent again.
  if (touched === 1) tx.note(noteOf(tenantId, entry), entry.source === 'manual' ? 'before' : 'after');
  return touched === 1;
}

function noteOf(tenantId: string | null, entry: GlobalSuppression & Partial<Suppression>): Note {
  const { address, reason, source = 'manual', messageId = null } = entry;
  return { kind: 'suppressed', tenant_id: tenantId, address, reason, source, message_id: messageId };
}

/** `left`: addresses without room. */
export async function insertSuppressions(
  tx: Tx,
  tenantId: string,
  entries: readonly Suppression[],
  room: number,
): Promise<{ added: number; left: Set<string> }> {
  const rows = await tx.query<{ address: string; added: boolean }>(
    `with given as (
       select * from unnest($2::uuid[], $3::text[], $4::text[], $5::timestamptz[]) with ordinality
         as t (suppression_id, address, reason, created_at, place)
        where not exists (select 1 from suppressions s where s.tenant_id = $1 and s.address = t.address)
     ), chosen as (
       select * from given order by place limit greatest($6::integer, 0)
     ), added as (
       insert into suppressions (tenant_id, suppression_id, address, reason, source, created_at)
       select $1, suppression_id, address, reason, 'manual', created_at from chosen
       on conflict (tenant_id, address) do nothing returning address
     )
     select address, true as added from added
     union all
     select address, false from given where place not in (select place from chosen)`,
    [
      tenantId,
      entries.map((it) => it.suppressionId),
      entries.map((it) => it.address),
      entries.map((it) => it.reason),
      entries.map((it) => it.createdAt.toISOString()),
      room,
    ],
    'insert_suppressions',
  );
  const added = new Set(rows.filter((row) => row.added).map(({ address }) => address));
  for (const entry of entries) if (added.has(entry.address)) tx.note(noteOf(tenantId, entry));
  const left = rows.filter((row) => !row.added).map(({ address }) => address);
  return { added: rows.length - left.length, left: new Set(left) };
}

export function findSuppression(tx: Tx, tenantId: string, address: string): Promise<Suppression | null> {
  return first<Suppression>(tx, `select ${COLUMNS} from suppressions where tenant_id = $1 and address = $2`, [
    tenantId,
    address,
  ]);
}

/** Null: not suppressed. At sandbox.test only manual entries count. */
export async function findSuppressing(
  db: Queryable,
  tenantId: string,
  address: string,
): Promise<SuppressionList | null> {
  if (isAlwaysSuppressed(address)) return 'sandbox';
  const [row] = await db.query<{ list: SuppressionList | null }>(
    `select case when exists (select 1 from suppressions s where tenant_id = $1 and address = $2
                                 and (s.source = 'manual' or s.address not like '%@sandbox.test')) then 'tenant'
                 when exists (select 1 from global_suppressions where address = $2) then 'global' end as list`,
    [tenantId, address],
    'find_suppressing',
  );
  return row!.list;
}

/** Reads at most `limit` index entries. */
export async function hasSuppressions(tx: Tx, tenantId: string, limit: number): Promise<boolean> {
  const rows = await tx.query('select 1 from suppressions where tenant_id = $1 offset $2 limit 1', [
    tenantId,
    limit - 1,
  ]);
  return rows.length > 0;
}

export async function countSuppressions(tx: Tx, tenantId: string, limit: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::integer as count from (select 1 from suppressions where tenant_id = $1 limit $2) counted`,
    [tenantId, limit],
    'count_suppressions',
  );
  return row!.count;
}

const FILTERED = `select ${COLUMNS} from suppressions
     where tenant_id = $1 and suppression_id >= $2 and suppression_id < $3
       and ($4::timestamptz is null or created_at >= $4) and ($5::timestamptz is null or created_at < $5)`;

/** A statement per filter, for its index. */
export function listSuppressions(
  tx: Tx,
  tenantId: string,
  { address, source, createdAfter, createdBefore }: SuppressionFilter,
  { from, below }: IdRange,
  limit: number,
): Promise<Suppression[]> {
  const times = [createdAfter?.toISOString() ?? null, createdBefore?.toISOString() ?? null];
  const given = [tenantId, from, below, ...times, limit];
  if (address !== null)
    return tx.query<Suppression>(
      `${FILTERED} and address = $7 and ($8::text is null or source = $8)
        order by suppression_id desc limit $6`,
      [...given, address, source],
      'list_suppressions_of_address',
    );
  if (source !== null)
    return tx.query<Suppression>(
      `${FILTERED} and source = $7 order by suppression_id desc limit $6`,
      [...given, source],
      'list_suppressions_of_source',
    );
  return tx.query<Suppression>(
    `${FILTERED} order by suppression_id desc limit $6`,
    given,
    'list_suppressions',
  );
}

interface SuppressionFilter extends CreatedRange {
  readonly address: string | null;
  readonly source: SuppressionSource | null;
}

export async function deleteSuppression(tx: Tx, tenantId: string, suppressionId: string): Promise<boolean> {
  const [gone] = await tx.query<{ address: string }>(
    'delete from suppressions where tenant_id = $1 and suppression_id = $2 returning address',
    [tenantId, suppressionId],
  );
  if (gone !== undefined) tx.note({ kind: 'unsuppressed', tenant_id: tenantId, address: gone.address });
  return gone !== undefined;
}

export interface GlobalSuppression {
  address: string;
  reason: string;
  createdAt: Date;
}

export async function insertGlobalSuppression(tx: Tx, entry: GlobalSuppression): Promise<boolean> {
  const touched = await tx.execute(
    'insert into global_suppressions (address, reason, created_at) values ($1, $2, $3) on conflict (address) do nothing',
    [entry.address, entry.reason, entry.createdAt],
  );
  if (touched === 1) tx.note(noteOf(null, entry));
  return touched === 1;
}

export async function insertGlobalSuppressions(
  tx: Tx,
  entries: readonly GlobalSuppression[],
): Promise<number> {
  const rows = await tx.query<{ address: string }>(
    `insert into global_suppressions (address, reason, created_at)
     select address, reason, created_at
       from unnest($1::text[], $2::text[], $3::timestamptz[]) as t (address, reason, created_at)
     on conflict (address) do nothing returning address`,
    [
      entries.map((it) => it.address),
      entries.map((it) => it.reason),
      entries.map((it) => it.createdAt.toISOString()),
    ],
  );
  const added = new Set(rows.map(({ address }) => address));
  for (const entry of entries) if (added.has(entry.address)) tx.note(noteOf(null, entry));
  return rows.length;
}

export interface GlobalSuppressionFilter extends CreatedRange {
  /** Part of the address; the empty text matches any. */
  readonly part: string;
}

/** By address, those after `after`. */
export function listGlobalSuppressions(
  db: Queryable,
  filter: GlobalSuppressionFilter,
  after: string,
  limit: number,
): Promise<GlobalSuppression[]> {
  return db.query<GlobalSuppression>(
    `select address, reason, created_at as "createdAt" from global_suppressions
      where address > $1 and ($3 = '' or strpos(address, $3) > 0)
        and ($4::timestamptz is null or created_at >= $4)
        and ($5::timestamptz is null or created_at < $5)
      order by address limit $2`,
    [
      ...[after, limit, filter.part],
      ...[filter.createdAfter?.toISOString() ?? null, filter.createdBefore?.toISOString() ?? null],
    ],
  );
}

export async function deleteGlobalSuppression(tx: Tx, address: string): Promise<boolean> {
  const gone = await tx.execute('delete from global_suppressions where address = $1', [address]);
  if (gone === 1) tx.note({ kind: 'unsuppressed', tenant_id: null, address });
  return gone === 1;
}
