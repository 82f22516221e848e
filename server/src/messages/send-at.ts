import { apiError } from '../errors.ts';

/** RFC 3339 with an offset. Pure. */

/** Content and keys are kept for this long (ms). */
export const SEND_AT_AHEAD_MAX_MS = 30 * 24 * 60 * 60 * 1_000;
/** Tolerance for past times (ms), below any time-zone step, so that a wrong offset is refused. */
export const SEND_AT_PAST_MAX_MS = 5 * 60 * 1_000;
export const SEND_AT_MAX_CHARS = 40;

/** RFC 3339 §5.6: T and Z in either case, a fraction of any length. */
const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,20}))?(?:([Zz])|([+-])(\d\d):(\d\d))$/;

const MINUTE_MS = 60_000;

/**
 * Truncated to milliseconds. A leap second (23:59:60 UTC; RFC 3339 §5.7) is the next second. Null: invalid.
 */
export function parseTime(text: string): Date | null {
  const found = text.length > SEND_AT_MAX_CHARS ? null : RFC_3339.exec(text);
  if (found === null) return null;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [fraction, zulu, sign, offsetHour, offsetMinute] = found.slice(7) as (string | undefined)[];
  const offsetMinutes = zulu === undefined ? Number(offsetHour) * 60 + Number(offsetMinute) : 0;
  if (
    hour > 23 ||
    minute > 59 ||
    second > 60 ||
    Number(offsetHour ?? 0) > 23 ||
    Number(offsetMinute ?? 0) > 59
  )
    return null;
  const midnight = new Date(0);
  midnight.setUTCFullYear(year, month - 1, day);
  // Such a day would roll over.
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return null;
  const ms = Number((fraction ?? '').padEnd(3, '0').slice(0, 3));
  const localMs = midnight.getTime() + ((hour * 60 + minute) * 60 + second) * 1_000 + ms;
  const atMs = localMs - (sign === '-' ? -1 : 1) * offsetMinutes * MINUTE_MS;
  if (second === 60 && (atMs - ms) % (24 * 60 * MINUTE_MS) !== 0) return null;
  return new Date(atMs);
}

export function readSendAt(text: string): Date {
  const time = parseTime(text);
  if (time === null) throw malformed();
  return time;
}

function malformed(): Error {
  return apiError(
    'invalid_body',
    'send_at must be a time with its offset from UTC (RFC 3339), such as 2026-11-20T09:30:00-06:00 or 2026-11-20T15:30:00Z.',
  );
}

/** Null: at once. Throws send_at_out_of_range. */
export function scheduleOf(sendAt: Date, now: Date, acceptedAt: Date): Date | null {
  const latest = new Date(acceptedAt.getTime() + SEND_AT_AHEAD_MAX_MS);
  if (sendAt > latest)
    throw apiError(
      'send_at_out_of_range',
      `send_at ${sendAt.toISOString()} is too far ahead: at most 30 days after the message is accepted, ${latest.toISOString()}.`,
    );
  if (sendAt.getTime() < now.getTime() - SEND_AT_PAST_MAX_MS)
    throw apiError(
      'send_at_out_of_range',
      `send_at ${sendAt.toISOString()} is in the past; it is ${now.toISOString()}. Check its offset from UTC, or leave send_at out to send at once.`,
    );
  return sendAt > now ? sendAt : null;
}
