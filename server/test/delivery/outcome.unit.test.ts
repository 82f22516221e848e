import type { AttemptFact } from '@acuse/mail/reply/classify';
import { describe, expect, test } from 'vitest';
import { decide, type Fact, newsOf } from '../../src/delivery/record/outcome.ts';

const accepted = new Date('2026-01-01T00:00:00.000Z');
const expiresAt = new Date('2026-01-03T00:00:00.000Z');
const hours = (count: number) => new Date(accepted.getTime() + count * 3_600_000);

function judge(fact: Fact, now = hours(1), attempts = 1) {
  return decide({ fact, mx: 'mx.d.test', attempts, now, expiresAt, random: 0.5 });
}

const refused = (
  code: number,
  enhanced: string | null,
  text: string,
  stage: 'rcpt' | 'banner' | 'mail' = 'rcpt',
): AttemptFact => ({
  kind: 'refused',
  stage,
  reply: { code, enhanced, text },
});
const failed = (code: string, stage: 'connect' | 'dot' = 'connect'): AttemptFact => ({
  kind: 'connection-failed',
  stage,
  error: { code, message: code },
});

describe('outcomes', () => {
  test.each<[string, Fact, object, object]>([
    [
      'taken',
      { kind: 'accepted', reply: { code: 250, enhanced: '2.0.0', text: 'ok' } },
      { kind: 'sent' },
      { code: 250, enhanced: '2.0.0', text: 'ok', mx: 'mx.d.test' },
    ],
    [
      'no such user',
      refused(550, '5.1.1', 'no'),
      { kind: 'bounced', bounceType: 'hard', reason: 'mailbox_unknown', suppress: true },
      { code: 550, enhanced: '5.1.1' },
    ],
    [
      'blocklisted',
      refused(550, '5.7.1', 'listed at a block list'),
      { kind: 'bounced', bounceType: 'policy', reason: 'blocklisted', suppress: false },
      { code: 550 },
    ],
    [
      'full',
      refused(552, '5.2.2', 'full'),
      { kind: 'bounced', bounceType: 'soft', reason: 'mailbox_full', suppress: false },
      { code: 552 },
    ],
    [
      'later',
      refused(451, null, 'later'),
      { kind: 'deferred', reason: 'system_error', nextAttemptAt: new Date(hours(1).getTime() + 120_000) },
      { code: 451, enhanced: null },
    ],
    [
      'unreachable',
      failed('ECONNREFUSED'),
      { kind: 'deferred', reason: 'host_unreachable', nextAttemptAt: new Date(hours(1).getTime() + 120_000) },
      { code: null, enhanced: '4.4.1' },
    ],
    [
      'null MX',
      { kind: 'routing', problem: 'null_mx', detail: 'takes no mail' },
      { kind: 'bounced', bounceType: 'hard', reason: 'domain_refuses_mail', suppress: true },
      { code: null, enhanced: '5.1.10' },
    ],
    [
      'SERVFAIL',
      { kind: 'routing', problem: 'servfail', detail: 'dns' },
      { kind: 'deferred', reason: 'dns_failure', nextAttemptAt: new Date(hours(1).getTime() + 120_000) },
      { code: null },
    ],
    [
      'suppressed',
      { kind: 'suppressed' },
      { kind: 'bounced', bounceType: 'suppressed', reason: 'suppressed', suppress: false },
      { code: null, enhanced: '5.7.1' },
    ],
    [
      'our fault',
      { kind: 'fault', detail: 'disk' },
      { kind: 'deferred', reason: 'system_error', nextAttemptAt: new Date(hours(1).getTime() + 120_000) },
      { code: null, enhanced: '4.3.0', text: 'disk' },
    ],
  ])('%s', (_name, fact, outcome, reply) => {
    const decision = judge(fact);
    expect(decision.outcome).toEqual(outcome);
    expect(decision.reply).toMatchObject(reply);
  });

  test('what is put off past its time has expired, with the last words kept', () => {
    const decision = judge(refused(451, '4.2.2', 'full'), hours(48), 14);
    expect(decision.outcome).toEqual({
      kind: 'bounced',
      bounceType: 'expired',
      reason: 'mailbox_full',
      suppress: false,
    });
    expect(decision.reply).toMatchObject({ code: 451, enhanced: '4.2.2', text: 'full' });
    expect(decision.verdict.enhancedStatus).toBe('5.4.7');
  });

  test('just before, it gets a last attempt at its time', () => {
    expect(judge(failed('timeout'), hours(47.9), 14).outcome).toEqual({
      kind: 'deferred',
      reason: 'host_unreachable',
      nextAttemptAt: expiresAt,
    });
  });

  test('a message taken after its time is sent all the same', () => {
    expect(
      judge({ kind: 'accepted', reply: { code: 250, enhanced: null, text: 'ok' } }, hours(60)).outcome,
    ).toEqual({ kind: 'sent' });
  });
});

describe('news of a destination', () => {
  test.each<[string, Fact, string]>([
    ['a success', { kind: 'accepted', reply: { code: 250, enhanced: null, text: '' } }, 'ok'],
    ['a refusal of an address', refused(550, '5.1.1', 'no such user'), 'ok'],
    ['a refusal of a message', refused(554, '5.6.0', 'content'), 'ok'],
    ['greylisting', refused(451, '4.7.1', 'Greylisted, please try again later'), 'ok'],
    ['a full mailbox', refused(452, '4.2.2', 'mailbox full'), 'ok'],
    ['421', refused(421, '4.3.2', 'closing'), 'busy'],
    ['a rate limit', refused(451, '4.7.28', 'too many messages'), 'busy'],
    ['a refused greeting', refused(554, '5.7.1', 'go away', 'banner'), 'busy'],
    ['no connection', failed('ECONNREFUSED'), 'unreachable'],
    ['a lost connection', failed('connection_closed', 'dot'), 'unreachable'],
    ['our own breaking off', failed('aborted', 'dot'), 'none'],
    ['no route', { kind: 'routing', problem: 'servfail', detail: '' }, 'none'],
    ['our fault', { kind: 'fault', detail: '' }, 'none'],
  ])('%s: %s', (_name, fact, news) => {
    expect(newsOf(fact, judge(fact).verdict)).toBe(news);
  });
});
