import type { Queryable } from '../platform/db.ts';

export interface LogRow {
  readonly logId: string;
  readonly origin: string;
  readonly publicKey: Uint8Array;
  readonly privateKeySealed: Uint8Array;
}

const LOG_COLUMNS =
  'log_id as "logId", origin, public_key as "publicKey", private_key_sealed as "privateKeySealed"';

/** Makes the log unless its origin has one: of two processes that start at once, one makes it and both use it. */
export async function insertLog(q: Queryable, log: LogRow, createdAt: Date): Promise<void> {
  await q.execute(
    `insert into logs (log_id, origin, public_key, private_key_sealed, created_at)
     values ($1, $2, $3, $4, $5)
     on conflict (origin) do nothing`,
    [log.logId, log.origin, log.publicKey, log.privateKeySealed, createdAt.toISOString()],
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
  return q.query<LogRow>(`select ${LOG_COLUMNS} from logs order by log_id`);
}

/**
 * Logs that have leaves waiting and no checkpoint younger than `since`; an installation that changed its origin has more
 * than one log. A checkpoint from the future (the clock went back) holds nothing up.
 */
export async function findLogsToSequence(q: Queryable, since: Date, now: Date): Promise<string[]> {
  const rows = await q.query<{ logId: string }>(
    `select l.log_id as "logId" from logs l
      where exists (select from pending_leaves p where p.log_id = l.log_id)
        and not exists (select from checkpoints c
                         where c.log_id = l.log_id and c.tree_size = l.tree_size and c.created_at > $1 and c.created_at <= $2)
      order by l.log_id`,
    [since.toISOString(), now.toISOString()],
    'find_logs_to_sequence',
  );
  return rows.map((row) => row.logId);
}

export interface TileId {
  readonly level: number;
  readonly index: number;
}

export interface TileRow extends TileId {
  readonly hashes: Uint8Array;
}

/** The widest form of each of these tiles that is stored; one that is not stored is left out. */
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
