import { expect, test } from 'vitest';
import { createLearnedTraits, SEEN_BEFORE_BELIEVED } from '../../src/delivery/attempt/learned-traits.ts';
import type { SessionRecord } from '../../src/delivery/record/result.ts';

const session: SessionRecord = {
  mx: 'mx.a.test',
  address: '192.0.2.1',
  port: 25,
  local_address: null,
  earlier_messages: 0,
  tls_policy: 'opportunistic',
  tls: null,
  reply: null,
  stage: 'dot',
  error: null,
  transcript: [],
};
const taken = { ...session, reply: { code: 250, enhanced: '2.0.0', text: 'ok' } };
const tls = { version: 'TLSv1.3', cipher: 'x', certificate_sha256: null, authorized: true, error: null };
const failed = (stage: SessionRecord['stage'], code: string, change: Partial<SessionRecord> = {}) => ({
  ...session,
  ...{ stage, error: { code, message: code } },
  ...change,
});

/** Notes that come of the same attempt again and again, by how often it was seen. */
function taught(...attempts: SessionRecord[][]): (string | null)[] {
  const lessons = createLearnedTraits();
  return attempts.map((sessions) => {
    const [lesson] = lessons.from('a.test', sessions);
    return lesson === undefined ? null : `${lesson.note} ${lesson.value}`;
  });
}
const often = (sessions: SessionRecord[]) => Array.from({ length: SEEN_BEFORE_BELIEVED }, () => sessions);

test.each([
  ['answers one by one', [failed('rcpt', 'timeout'), taken], ['no_pipelining 1']],
  ['hangs up on the pipelined', [failed('data', 'connection_closed'), taken], ['no_pipelining 1']],
  ['another host answers', [failed('rcpt', 'timeout'), { ...taken, address: '192.0.2.2' }], [null]],
  ['refuses MAIL the second time', [failed('rcpt', 'timeout'), { ...taken, stage: 'mail' as const }], [null]],
])('pipelining: %s', (_, sessions, expected) => {
  expect(taught(sessions)).toEqual(expected);
});

test.each([
  ['TLS', [failed('tls', 'tls_failed'), taken], 'no_tls 1'],
  ['IPv6', [failed('connect', 'ETIMEDOUT', { address: '2001:db8::1' }), taken], 'no_ipv6 1'],
  [
    'the number of messages',
    [
      {
        ...taken,
        earlier_messages: 20,
        stage: 'mail' as const,
        reply: { code: 421, enhanced: null, text: '' },
      },
    ],
    'messages_per_connection 20',
  ],
])('%s is believed when it was seen three times in a row', (_, sessions, note) => {
  expect(taught(...often(sessions))).toEqual([null, null, note]);
});

test('what contradicts it begins the count anew', () => {
  const broken = [failed('tls', 'tls_failed'), taken];
  expect(taught(broken, broken, [{ ...taken, tls }], broken, broken)).toEqual(Array(5).fill(null));
  const dead = [failed('connect', 'ETIMEDOUT', { address: '2001:db8::1' }), taken];
  const alive = [{ ...taken, address: '2001:db8::1' }];
  expect(taught(dead, dead, alive, dead, dead)).toEqual(Array(5).fill(null));
});

test.each([
  ['TLS that a policy demands', [failed('tls', 'tls_failed', { tls_policy: 'mta-sts' }), taken]],
  [
    'IPv6 where IPv4 fails too',
    [failed('connect', 'ETIMEDOUT', { address: '2001:db8::1' }), failed('connect', 'x')],
  ],
  ['an idle session that ended', [failed('mail', 'connection_closed', { earlier_messages: 2 }), taken]],
])('nothing is learned of %s', (_, sessions) => {
  expect(taught(...often(sessions))).toEqual([null, null, null]);
});
