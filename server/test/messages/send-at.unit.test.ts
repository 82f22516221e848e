import { describe, expect, test } from 'vitest';
import {
  readSendAt,
  SEND_AT_AHEAD_MAX_MS,
  SEND_AT_PAST_MAX_MS,
  scheduleOf,
} from '../../src/messages/send-at.ts';

describe('a send_at', () => {
  test.each([
    ['2026-11-20T15:30:00Z', '2026-11-20T15:30:00.000Z'],
    ['2026-11-20t15:30:00z', '2026-11-20T15:30:00.000Z'],
    ['2026-11-20T09:30:00-06:00', '2026-11-20T15:30:00.000Z'],
    ['2026-11-20T21:15:00+05:45', '2026-11-20T15:30:00.000Z'],
    ['2026-11-20T15:30:00-00:00', '2026-11-20T15:30:00.000Z'],
    // A day's end elsewhere is another day here.
    ['2026-12-31T23:30:00-06:00', '2027-01-01T05:30:00.000Z'],
    ['2028-02-29T00:00:00+14:00', '2028-02-28T10:00:00.000Z'],
    // The hour that a change of clocks has twice, or leaves out, is told by its offset.
    ['2026-11-01T01:30:00-05:00', '2026-11-01T06:30:00.000Z'],
    ['2026-11-01T01:30:00-06:00', '2026-11-01T07:30:00.000Z'],
    ['2026-03-08T02:30:00-06:00', '2026-03-08T08:30:00.000Z'],
    ['2026-11-20T15:30:00.1Z', '2026-11-20T15:30:00.100Z'],
    ['2026-11-20T15:30:00.123999999Z', '2026-11-20T15:30:00.123Z'],
    // Leap seconds, RFC 3339 §5.8: as the second after them.
    ['1990-12-31T23:59:60Z', '1991-01-01T00:00:00.000Z'],
    ['1990-12-31T15:59:60.25-08:00', '1991-01-01T00:00:00.250Z'],
    ['0099-01-01T00:00:00Z', '0099-01-01T00:00:00.000Z'],
  ])('%s is %s', (text, at) => {
    expect(readSendAt(text).toISOString()).toBe(at);
  });

  test.each([
    '',
    'tomorrow',
    '1795188600',
    '2026-11-20',
    '2026-11-20T15:30:00',
    '2026-11-20 15:30:00Z',
    '2026-11-20T15:30Z',
    '2026-11-20T15:30:00+0600',
    '2026-11-20T15:30:00+24:00',
    '2026-11-20T15:30:00+06:60',
    '2026-11-20T15:30:00.Z',
    '2026-11-20T24:00:00Z',
    '2026-11-20T15:60:00Z',
    '2026-11-20T15:30:61Z',
    '2026-11-20T15:30:60Z',
    '2026-12-31T23:59:60-06:00',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-02-29T00:00:00Z',
    '2026-11-31T00:00:00Z',
    '2026-11-00T00:00:00Z',
    '+2026-11-20T15:30:00Z',
    '２０２６-11-20T15:30:00Z',
    `2026-11-20T15:30:00.${'0'.repeat(100)}Z`,
    '2026-11-20T15:30:00Z\n',
  ])('%j is none', (text) => {
    expect(() => readSendAt(text)).toThrow(/RFC 3339/);
  });

  test('may be 30 days ahead of the acceptance, and five minutes back', () => {
    const now = new Date('2026-11-20T15:30:00Z');
    const after = (ms: number) => new Date(now.getTime() + ms);
    const asked = (ms: number, accepted = now) => scheduleOf(after(ms), now, accepted);
    expect(asked(SEND_AT_AHEAD_MAX_MS)).toEqual(after(SEND_AT_AHEAD_MAX_MS));
    expect(() => asked(SEND_AT_AHEAD_MAX_MS + 1_000)).toThrow(/at most 30 days/);
    expect(() => asked(SEND_AT_AHEAD_MAX_MS + 1)).toThrow(/2026-12-20T15:30:00\.000Z/);
    expect(() => asked(SEND_AT_AHEAD_MAX_MS, after(-1_000))).toThrow(/at most 30 days/);
    expect(asked(1)).toEqual(after(1));
    expect([asked(0), asked(-1), asked(-SEND_AT_PAST_MAX_MS)]).toEqual([null, null, null]);
    expect(() => asked(-SEND_AT_PAST_MAX_MS - 1)).toThrow(/in the past; it is 2026-11-20T15:30:00\.000Z/);
  });
});
