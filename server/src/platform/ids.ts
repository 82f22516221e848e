import { randomFillSync } from 'node:crypto';

/**
 * Ids are UUIDv7 (RFC 9562 §5.7) made here, never by the database: ordered by time, so that indexes grow at
 * one end.
 */

const POOL_BYTES = 4096;
const pool = Buffer.allocUnsafe(POOL_BYTES);
let poolAt = POOL_BYTES;

/** The newest id of a clock, and how many of its millisecond there are. */
interface Series {
  ms: number;
  /** Of `ms`: `xxxxxxxx-xxxx-7`. */
  text: string;
  count: number;
}

/**
 * Clocks that are no further apart (ms) share a series, so that ids keep their order by both of them, and by
 * one that goes back. A clock further back was wrong before, or is another's: its ids have its own time, by
 * which ranges of ids go. RFC 9562 §6.2
 */
const APART_MS = 60_000;

/** The one in use, and one for a clock far from it: the process's may be far from the database's. */
let latest: Series = { ms: 0, text: '', count: 0 };
let other: Series = { ms: 0, text: '', count: 0 };

/**
 * A new UUIDv7 in its 36-character form; ids made by one process in one millisecond keep their order (12-bit
 * counter).
 */
export function newId(nowMs: number = Date.now()): string {
  if (!isNear(latest, nowMs)) [latest, other] = [other, latest];
  if (nowMs > latest.ms || !isNear(latest, nowMs)) begin(latest, nowMs);
  // More than 4096 ids in a millisecond: borrow from the next one rather than lose the order.
  else if (++latest.count > 0xfff) begin(latest, latest.ms + 1);
  return idOf(latest);
}

function idOf({ text, count }: Series): string {
  if (poolAt + 8 > POOL_BYTES) {
    randomFillSync(pool);
    poolAt = 0;
  }
  const rand = pool.toString('hex', poolAt, poolAt + 8);
  poolAt += 8;
  const variant = ((Number.parseInt(rand[0]!, 16) & 0x3) | 0x8).toString(16);
  return `${text}${count.toString(16).padStart(3, '0')}-${variant}${rand.slice(1, 4)}-${rand.slice(4, 16)}`;
}

/** Greater than this one, too, which a clock ahead of ours may have made. */
export function newIdAfter(id: string): string {
  const own = newId();
  if (own > id) return own;
  // Not of this process's series, which keeps its own time.
  const after: Series = { ms: 0, text: '', count: 0 };
  begin(after, timeOf(id).getTime() + 1);
  return idOf(after);
}

function isNear(series: Series, ms: number): boolean {
  return Math.abs(ms - series.ms) <= APART_MS;
}

function begin(series: Series, ms: number): void {
  const time = ms.toString(16).padStart(12, '0');
  series.ms = ms;
  series.count = 0;
  series.text = `${time.slice(0, 8)}-${time.slice(8)}-7`;
}

/** When a UUIDv7 was made, to the millisecond. */
export function timeOf(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}

/**
 * Not greater than any UUIDv7 made at `time` or later, greater than any made before: for ranges over ids by
 * their age.
 */
export function firstIdAt(time: Date): string {
  const ms = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${ms.slice(0, 8)}-${ms.slice(8)}-0000-0000-000000000000`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** True for the lower-case 36-character form that every id here has. */
export function isId(text: string): boolean {
  return UUID.test(text);
}

/** In the form that every id here has: callers may use upper case. Null for what is none. RFC 9562 §4 */
export function readId(text: string): string | null {
  const id = text.toLowerCase();
  return isId(id) ? id : null;
}
