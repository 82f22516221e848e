import { plainArray, textArray } from '../../platform/database/array-text.ts';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import { changed } from '../../platform/database/rows.ts';
import type { MessageStatus } from '../status.ts';
import type { Chunk } from './segment.ts';
import type { Searched } from './words.ts';

/** Segments of an account's messages, and their words. */

export interface Segment {
  readonly afterId: string;
  readonly lastId: string;
  /** False: all of its messages must be read. */
  readonly made: boolean;
}

const SEGMENT = 'after_id as "afterId", last_id as "lastId", made';

/** Segments with ids from `from` to `below`, newest first. */
export function listSegments(
  tx: Tx,
  tenantId: string,
  { from, below }: { readonly from: string; readonly below: string },
  limit: number,
): Promise<Segment[]> {
  return tx.query<Segment>(
    `select ${SEGMENT} from search_segments
      where tenant_id = $1 and after_id < $3 and last_id >= $2 order by after_id desc limit $4`,
    [tenantId, from, below, limit],
    'search_segments',
  );
}

export async function findNewestSegment(q: Queryable, tenantId: string): Promise<Segment | null> {
  const [row] = await q.query<Segment>(
    `select ${SEGMENT} from search_segments where tenant_id = $1 order by after_id desc limit 1`,
    [tenantId],
    'search_newest_segment',
  );
  return row ?? null;
}

/** Rows read to look a word up; if all match, there are more. */
export const CHUNKS_MAX = 8;

export interface FoundChunks {
  readonly afterId: string;
  readonly chunks: readonly (readonly string[])[];
}

/** The given segments that have words with each of the beginnings. */
export async function findChunks(
  tx: Tx,
  tenantId: string,
  afterIds: readonly string[],
  beginnings: readonly string[],
): Promise<FoundChunks[]> {
  const given: unknown[] = [tenantId, plainArray(afterIds)];
  const found = beginnings.map((beginning, n) => {
    given.push(beginning);
    const word = `$${given.length}::text`;
    const chunks = `select w.words from search_words w
         where w.tenant_id = $1 and w.after_id = s.after_id and w.last_word >= ${word} order by w.last_word`;
    const has = `position(E'\\n' || ${word} in c.words) > 0`;
    // If a segment has such words, they begin in the first of these rows.
    return `cross join lateral (select from (${chunks} limit 1) c where ${has}) has${n}
      cross join lateral (select array_agg(c.words) as words
        from (${chunks} limit ${CHUNKS_MAX}) c where ${has}) f${n}`;
  });
  const columns = beginnings.map((_, n) => `f${n}.words as f${n}`);
  const rows = await tx.query<{ afterId: string } & Record<`f${number}`, string[]>>(
    `select s.after_id as "afterId", ${columns.join(', ')}
       from unnest($2::uuid[]) with ordinality s (after_id, n) ${found.join(' ')} order by s.n`,
    given,
    `search_chunks_${beginnings.length}`,
  );
  return rows.map((row) => ({ afterId: row.afterId, chunks: beginnings.map((_, n) => row[`f${n}`]!) }));
}

interface IndexedRow extends Searched {
  readonly message_id: string;
  readonly status: MessageStatus;
}

export function readToIndex(
  q: Queryable,
  tenantId: string,
  { after, upTo }: { readonly after: string; readonly upTo: string },
  limit: number,
): Promise<IndexedRow[]> {
  return q.query<IndexedRow>(
    `select message_id, header_to, subject, status,
            case when last_reply ->> 'code' like '2%' then jsonb_build_object('code', last_reply -> 'code',
              'text', last_reply ->> 'text') end as last_reply
       from messages where tenant_id = $1 and message_id > $2 and message_id <= $3 and erased_at is null
      order by message_id limit $4`,
    [tenantId, after, upTo, limit],
    'search_read',
  );
}

/** The id of the `count`th message after `afterId`. Null: there are fewer. */
export async function findNth(
  q: Queryable,
  tenantId: string,
  { after, before }: { readonly after: string; readonly before: string },
  count: number,
): Promise<string | null> {
  const [row] = await q.query<{ message_id: string }>(
    `select message_id from messages where tenant_id = $1 and message_id > $2 and message_id < $3
      order by message_id offset $4::bigint - 1 limit 1`,
    [tenantId, after, before, count],
    'search_nth',
  );
  return row?.message_id ?? null;
}

/** Waits for erasures in the account, and those after it wait for this transaction. */
export async function countKept(
  q: Tx,
  tenantId: string,
  { afterId, lastId }: Pick<Segment, 'afterId' | 'lastId'>,
): Promise<number> {
  await q.query('select 1 from tenants where tenant_id = $1 for no key update', [tenantId], 'search_lock');
  const [row] = await q.query<{ count: number }>(
    `select count(*)::int as count from messages
      where tenant_id = $1 and message_id > $2 and message_id <= $3 and erased_at is null`,
    [tenantId, afterId, lastId],
    'search_count',
  );
  return row!.count;
}

/** False: another process was first. */
export function addSegment(
  tx: Tx,
  tenantId: string,
  { afterId, lastId }: Pick<Segment, 'afterId' | 'lastId'>,
  againAt: Date | null,
): Promise<boolean> {
  return changed(
    tx,
    `insert into search_segments (tenant_id, after_id, last_id, made, again_at) values ($1, $2, $3, true, $4)
     on conflict (tenant_id, after_id) do nothing`,
    [tenantId, afterId, lastId, againAt?.toISOString() ?? null],
    'search_add',
  );
}

interface DueSegment extends Segment {
  readonly againAt: Date;
}

export async function findDueSegment(q: Queryable, tenantId: string, now: Date): Promise<DueSegment | null> {
  const [row] = await q.query<DueSegment>(
    `select ${SEGMENT}, again_at as "againAt" from search_segments
      where tenant_id = $1 and again_at <= $2 order by again_at limit 1`,
    [tenantId, now.toISOString()],
    'search_due',
  );
  return row ?? null;
}

/** False: it changed since. */
export function remakeSegment(
  tx: Tx,
  tenantId: string,
  { afterId, againAt: seen }: DueSegment,
  againAt: Date | null,
): Promise<boolean> {
  return changed(
    tx,
    `update search_segments set made = true, again_at = $4
      where tenant_id = $1 and after_id = $2 and again_at = $3`,
    [tenantId, afterId, seen.toISOString(), againAt?.toISOString() ?? null],
    'search_remake',
  );
}

/** One without messages. */
export function deleteSegment(tx: Tx, tenantId: string, afterId: string): void {
  tx.send('delete from search_words where tenant_id = $1 and after_id = $2', [tenantId, afterId]);
  tx.send('delete from search_segments where tenant_id = $1 and after_id = $2', [tenantId, afterId]);
}

export function writeWords(tx: Tx, tenantId: string, afterId: string, chunks: readonly Chunk[]): void {
  tx.send(
    'delete from search_words where tenant_id = $1 and after_id = $2',
    [tenantId, afterId],
    'search_clear',
  );
  tx.send(
    `insert into search_words (tenant_id, after_id, last_word, words)
     select $1::uuid, $2::uuid, * from unnest($3::text[], $4::text[]) returning null`,
    [
      tenantId,
      afterId,
      textArray(chunks.map(({ lastWord }) => lastWord)),
      textArray(chunks.map(({ words }) => words)),
    ],
    'search_write',
  );
}
