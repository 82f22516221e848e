import type { Queryable } from '../../platform/database/db.ts';
import { cosignedNote } from './cosigned-note.ts';
import type { SecondKeyColumns } from './second-key-store.ts';

export interface LogRow extends SecondKeyColumns {
  readonly logId: string;
  readonly origin: string;
  readonly publicKey: Uint8Array;
  /** Empty: ended, key destroyed. */
  readonly privateKeySealed: Uint8Array;
  /** The successor; null: not ended. */
  readonly successorId: string | null;
  /** For a successor: since when. */
  readonly begunAt: Date | null;
}

export type NewLog = Omit<LogRow, 'successorId' | 'begunAt' | keyof SecondKeyColumns>;

const LOG_COLUMNS = `log_id as "logId", origin, public_key as "publicKey", private_key_sealed as "privateKeySealed",
   successor_id as "successorId", mldsa44_public_key as "mldsa44PublicKey",
   mldsa44_seed_sealed as "mldsa44SeedSealed", mldsa44_from as "mldsa44From",
   (select max(before.ended_at) from logs before where before.successor_id = logs.log_id) as "begunAt"`;

/** Concurrent starts create one and share it. */
export async function insertLog(
  q: Queryable,
  log: NewLog & { readonly sandbox: boolean },
  createdAt: Date,
): Promise<void> {
  await q.execute(
    `insert into logs (log_id, origin, public_key, private_key_sealed, created_at, sandbox)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (origin) do nothing`,
    [log.logId, log.origin, log.publicKey, log.privateKeySealed, createdAt.toISOString(), log.sandbox],
  );
}

export async function findLogByOrigin(q: Queryable, origin: string): Promise<LogRow | undefined> {
  const [row] = await q.query<LogRow>(`select ${LOG_COLUMNS} from logs where origin = $1`, [origin]);
  return row;
}

export async function findLog(q: Queryable, logId: string): Promise<LogRow | undefined> {
  const [row] = await q.query<LogRow>(`select ${LOG_COLUMNS} from logs where log_id = $1`, [logId]);
  return row;
}

export async function listLogs(q: Queryable): Promise<LogRow[]> {
  return q.query<LogRow>(`select ${LOG_COLUMNS} from logs where ended_at is null order by log_id`);
}

/**
 * Logs with waiting leaves or an unpublished checkpoint, and none younger than `since`. A checkpoint from the
 * future (the clock went back) does not block.
 */
export async function findLogsToSequence(q: Queryable, since: Date, now: Date): Promise<string[]> {
  const logs = await q.query<{ logId: string; isPublished: boolean }>(
    `select l.log_id as "logId", l.published_size = l.tree_size as "isPublished"
       from logs l
       left join checkpoints c on c.log_id = l.log_id and c.tree_size = l.tree_size and c.created_at > $1
        and c.created_at <= $2
      where c.log_id is null and l.ended_at is null and l.stopped_at is null order by l.log_id`,
    [since.toISOString(), now.toISOString()],
    'find_logs_to_sequence',
  );
  const found: string[] = [];
  // Separately, because with Citus waiting leaves are on other nodes.
  for (const { logId, isPublished } of logs)
    if (!isPublished || (await hasPending(q, logId))) found.push(logId);
  return found;
}

async function hasPending(q: Queryable, logId: string): Promise<boolean> {
  const rows = await q.query(
    'select 1 from pending_leaves where log_id = $1 limit 1',
    [logId],
    'has_pending',
  );
  return rows.length > 0;
}

interface TileId {
  readonly level: number;
  readonly index: number;
}

export interface TileRow extends TileId {
  readonly hashes: Uint8Array;
}

/** The widest stored form of each tile; missing ones are omitted. */
export async function readTiles(q: Queryable, logId: string, tiles: readonly TileId[]): Promise<TileRow[]> {
  if (tiles.length === 0) return [];
  return q.query<TileRow>(
    `select t.level, t.tile_index as "index", t.hashes
       from unnest($2::smallint[], $3::bigint[]) as wanted (level, tile_index)
       join log_tiles t on t.log_id = $1 and t.level = wanted.level and t.tile_index = wanted.tile_index`,
    [logId, tiles.map((tile) => tile.level), tiles.map((tile) => tile.index)],
    'read_tiles',
  );
}

export interface NewestNote {
  readonly treeSize: number;
  /** With cosignatures. */
  readonly note: string;
}

export async function findNewestNote(q: Queryable, logId: string): Promise<NewestNote | undefined> {
  const [row] = await q.query<NewestNote>(
    `select c.tree_size as "treeSize", ${cosignedNote('c')} as note
       from checkpoints c where c.log_id = $1
        and c.tree_size <= (select published_size from logs where log_id = $1)
      order by c.tree_size desc limit 1`,
    [logId],
    'find_newest_note',
  );
  return row;
}

/** Published entries from `from` to before `to`; fewer at the end. */
export async function readEntries(
  q: Queryable,
  logId: string,
  from: number,
  to: number,
): Promise<Uint8Array[]> {
  const rows = await q.query<{ index: number; entry: Uint8Array }>(
    `select leaf_index as "index", canonical_hash as entry from leaves
      where log_id = $1 and leaf_index >= $2 and leaf_index < $3
      order by leaf_index`,
    [logId, from, to],
    'read_entries',
  );
  if (rows.length < to - from) {
    const lost = await readLostLeaves(q, logId, from, to);
    rows.push(...lost.map(({ leafIndex: index, canonicalHash: entry }) => ({ index, entry })));
    if (lost.length > 0) rows.sort((a, b) => a.index - b.index);
  }
  return rows.map((row) => row.entry);
}

/** A leaf known by its hash only: its message was lost. */
export interface LostLeaf {
  readonly leafIndex: number;
  readonly canonicalHash: Uint8Array;
  readonly treeSize: number;
}

export async function readLostLeaves(
  q: Queryable,
  logId: string,
  from: number,
  to: number,
): Promise<LostLeaf[]> {
  return q.query<LostLeaf>(
    `select leaf_index as "leafIndex", canonical_hash as "canonicalHash", tree_size as "treeSize"
       from lost_leaves where log_id = $1 and leaf_index >= $2 and leaf_index < $3
      order by leaf_index`,
    [logId, from, to],
    'read_lost_leaves',
  );
}

export async function countLostLeaves(q: Queryable): Promise<number> {
  const [row] = await q.query<{ lost: number }>('select count(*) as lost from lost_leaves', []);
  return Number(row?.lost ?? 0);
}

interface CheckpointRow {
  readonly treeSize: number;
  readonly previousTreeSize: number;
  readonly batchId: string;
  readonly note: string;
}

export async function findCheckpoint(
  q: Queryable,
  logId: string,
  treeSize: number,
): Promise<CheckpointRow | undefined> {
  const [row] = await q.query<CheckpointRow>(
    `select tree_size as "treeSize", previous_tree_size as "previousTreeSize", batch_id as "batchId", note
       from checkpoints where log_id = $1 and tree_size = $2`,
    [logId, treeSize],
    'find_checkpoint',
  );
  return row;
}

interface LogKeyRow extends Pick<LogRow, 'origin' | 'publicKey' | 'mldsa44PublicKey' | 'mldsa44From'> {
  readonly endNote: string | null;
  readonly isStopped: boolean;
}

export async function findLogKey(q: Queryable, logId: string): Promise<LogKeyRow | undefined> {
  const [row] = await q.query<LogKeyRow>(
    `select origin, public_key as "publicKey", end_note as "endNote",
            mldsa44_public_key as "mldsa44PublicKey", mldsa44_from as "mldsa44From",
            stopped_at is not null and ended_at is null as "isStopped"
       from logs where log_id = $1`,
    [logId],
    'find_log_key',
  );
  return row;
}
