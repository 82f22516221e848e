import type { Db, DbAndClock } from '../../platform/database/db.ts';
import { FIRST_ID, firstIdAt, timeOf } from '../../platform/ids.ts';
import { DELIVERY_LIFETIME_MS } from '../prepare.ts';
import type { MessageStatus } from '../status.ts';
import { SegmentWords } from './segment.ts';
import {
  addSegment,
  countKept,
  deleteSegment,
  findDueSegment,
  findNewestSegment,
  findNth,
  readToIndex,
  remakeSegment,
  type Segment,
  writeWords,
} from './store.ts';

/**
 * Collects the words of an account's messages, a segment at a time (docs/decisions/0063). Accounts with fewer
 * messages have none: a search reads those messages themselves.
 */
const SEGMENT_MESSAGES = 8_192;
/** Younger messages may still be committed (ms). */
const SETTLED_MS = 15 * 60_000;
/** Each is some milliseconds of work, after which others get the processor. */
const READ_ROWS = 512;

const OPEN: readonly MessageStatus[] = ['scheduled', 'queued', 'deferred'];

/** Asked between segments. */
export interface Pace {
  mayGoOn(): boolean;
  rest(tookMs: number): Promise<void>;
}

/** Returns how many segments were made, and whether there is more to do. */
export async function collectWords(
  deps: DbAndClock,
  tenantId: string,
  pace: Pace,
  segmentMessages = SEGMENT_MESSAGES,
): Promise<{ segments: number; more: boolean }> {
  for (let segments = 0; ; segments++) {
    if (!pace.mayGoOn()) return { segments, more: true };
    const beganMs = deps.clock.monotonicMs();
    const made = (await remakeNext(deps, tenantId)) || (await makeNext(deps, tenantId, segmentMessages));
    if (!made) return { segments, more: false };
    await pace.rest(deps.clock.monotonicMs() - beganMs);
  }
}

async function makeNext({ db, clock }: DbAndClock, tenantId: string, messages: number): Promise<boolean> {
  const now = clock.now();
  const afterId = (await findNewestSegment(db, tenantId))?.lastId ?? FIRST_ID;
  const before = firstIdAt(new Date(now.getTime() - SETTLED_MS));
  const lastId = await findNth(db, tenantId, { after: afterId, before }, messages);
  if (lastId === null) return false;
  const segment = { afterId, lastId };
  const { chunks, kept, againAt } = await collect(db, tenantId, segment, now);
  return db.transact(async (tx) => {
    // Erased since it was read: it is read again.
    if ((await countKept(tx, tenantId, segment)) !== kept) return true;
    if (!(await addSegment(tx, tenantId, segment, againAt))) return false;
    writeWords(tx, tenantId, afterId, chunks);
    return true;
  });
}

async function remakeNext({ db, clock }: DbAndClock, tenantId: string): Promise<boolean> {
  const now = clock.now();
  const due = await findDueSegment(db, tenantId, now);
  if (due === null) return false;
  const { chunks, kept, againAt } = await collect(db, tenantId, due, now);
  return db.transact(async (tx) => {
    if ((await countKept(tx, tenantId, due)) !== kept) return true;
    if (!(await remakeSegment(tx, tenantId, due, againAt))) return false;
    if (kept === 0) deleteSegment(tx, tenantId, due.afterId);
    else writeWords(tx, tenantId, due.afterId, chunks);
    return true;
  });
}

type Bounds = Pick<Segment, 'afterId' | 'lastId'>;

async function collect(db: Db, tenantId: string, { afterId, lastId }: Bounds, now: Date) {
  const words = new SegmentWords(afterId);
  let kept = 0;
  let open = false;
  for (let after = afterId; ; ) {
    const rows = await readToIndex(db, tenantId, { after, upTo: lastId }, READ_ROWS);
    for (const row of rows) {
      words.add(row.message_id, row);
      open ||= OPEN.includes(row.status);
      kept++;
    }
    if (rows.length < READ_ROWS) break;
    after = rows.at(-1)!.message_id;
  }
  // The reply to what waits has a queue's id by then.
  const delivered = Math.max(now.getTime(), timeOf(lastId).getTime()) + DELIVERY_LIFETIME_MS;
  return { chunks: words.chunks(), kept, againAt: open ? new Date(delivered) : null };
}
