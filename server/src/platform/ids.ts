import { randomFillSync } from 'node:crypto';

/**
 * UUIDv7 (RFC 9562 §5.7) made here, never in the database: ordered by time, so that indexes grow at one end.
 */

const POOL_BYTES = 4096;
const pool = Buffer.allocUnsafe(POOL_BYTES);
let poolAt = POOL_BYTES;

interface Series {
  ms: number;
  text: string;
  count: number;
}

/**
 * Clocks within this distance (ms) share a series, so that ids stay in order when the clock steps back. A
 * clock further off gets its own series, because ranges of ids rely on their time. RFC 9562 §6.2
 */
const APART_MS = 60_000;

/** The current series, and one for a distant clock: the process's and the database's may differ. */
let latest: Series = { ms: 0, text: '', count: 0 };
let other: Series = { ms: 0, text: '', count: 0 };

/** A new UUIDv7; ids of one millisecond and process stay in order (12-bit counter). */
export function newId(nowMs: number = Date.now()): string {
  if (!isNear(latest, nowMs)) [latest, other] = [other, latest];
  if (nowMs > latest.ms || !isNear(latest, nowMs)) begin(latest, nowMs);
  // More than 4096 ids in a millisecond: use the next one to keep the order.
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

/** Greater than `id`, even if a faster clock made it. */
export function newIdAfter(id: string): string {
  const own = newId();
  if (own > id) return own;
  // A separate series: the process's keeps its own time.
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

export function timeOf(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}

/** Lower bound of UUIDv7s made at `time` or later, for ranges by age. */
export function firstIdAt(time: Date): string {
  const ms = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${ms.slice(0, 8)}-${ms.slice(8)}-0000-0000-000000000000`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Lower case, 36 characters. */
export function isId(text: string): boolean {
  return UUID.test(text);
}

/** Normalises to lower case. Null: no UUID. RFC 9562 §4 */
export function readId(text: string): string | null {
  const id = text.toLowerCase();
  return isId(id) ? id : null;
}

/** Sorts before every id. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';
/** Sorts after every id. */
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
