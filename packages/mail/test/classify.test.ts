import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { leastCost } from '@acuse/testkit/processor-cost';
import { describe, expect, it } from 'vitest';
import { type AttemptFact, type Classification, classify } from '../src/reply/classify.ts';
import { ENHANCED_CODES } from '../src/reply/enhanced-codes.ts';
import { formatReply, parseReply } from '../src/reply/parse.ts';
import type { SmtpStage } from '../src/smtp/types.ts';

function refusal(text: string, stage: SmtpStage = 'rcpt'): Classification {
  const reply = parseReply(text);
  if (reply === null) throw new Error(`not a reply: ${text}`);
  return classify({ kind: 'refused', stage, reply });
}

describe('parsing a reply', () => {
  it('reads codes, continuation lines and the enhanced status of each line', () => {
    expect(parseReply('250 ok\r\n')).toEqual({ code: 250, enhanced: null, text: 'ok' });
    expect(parseReply('250\r\n')).toEqual({ code: 250, enhanced: null, text: '' });
    expect(parseReply('550-5.1.1 no such\r\n550 5.1.1 user\r\n')).toEqual({
      code: 550,
      enhanced: '5.1.1',
      text: 'no such\nuser',
    });
    expect(parseReply('550-first\n550 5.7.1 second')).toEqual({
      code: 550,
      enhanced: '5.7.1',
      text: 'first\nsecond',
    });
  });

  it('does not believe a status of another class than the code', () => {
    expect(parseReply('550 4.2.1 odd')).toEqual({ code: 550, enhanced: null, text: '4.2.1 odd' });
  });

  it('refuses what is no complete reply', () => {
    for (const text of ['', '25 ok', '199 x', '600 x', '250-more', '250 ok\r\n250 again', 'ok', '2500 x']) {
      expect(parseReply(text)).toBeNull();
    }
  });

  it('writes it on one line', () => {
    expect(formatReply({ code: 550, enhanced: '5.1.1', text: 'a\n b ' })).toBe('550 5.1.1 a b');
    expect(formatReply({ code: 421, enhanced: null, text: '' })).toBe('421');
  });
});

describe('a refusal of the address', () => {
  it.each([
    ['550 5.1.1 <a@b>: User unknown', 'mailbox_unknown'],
    ['550 5.1.2 bad host', 'domain_unknown'],
    ['553 5.1.3 syntax', 'address_syntax'],
    ['551 5.1.6 gone', 'mailbox_moved'],
    ['556 5.1.10 null MX', 'domain_refuses_mail'],
    ['550 5.2.1 mailbox disabled', 'mailbox_disabled'],
    ['550 No such user here', 'mailbox_unknown'],
    ['553 sorry, no mailbox here by that name (#5.1.1)', 'mailbox_unknown'],
    ['551 User moved; please try <x@y>', 'mailbox_moved'],
    ['550 <a@b>: Recipient address rejected: User unknown in virtual alias table', 'mailbox_unknown'],
    ['550 5.0.0 unknown user', 'mailbox_unknown'],
    // Exim's default words for it, from a server that answers for the domain.
    ['550 Unrouteable address', 'mailbox_unknown'],
    [
      "550-5.1.1 The email account that you tried to reach does not exist. Please try\r\n550 5.1.1 double-checking the recipient's email address for typos",
      'mailbox_unknown',
    ],
  ])('%s is hard and suppresses', (text, reason) => {
    expect(refusal(text)).toMatchObject({ outcome: 'bounced', bounceType: 'hard', reason, suppress: true });
  });

  it('is deferred and suppresses nobody while it is 4xx, whatever it says', () => {
    for (const text of ['450 4.1.1 user unknown', '450 <a@b>: User unknown', '451 4.2.1 mailbox disabled']) {
      expect(refusal(text)).toMatchObject({ outcome: 'deferred', bounceType: null, suppress: false });
    }
  });

  it.each([
    '552 1 Requested mail action aborted, mailbox not found',
    '554 delivery error: dd Not a valid recipient',
    "554 delivery error: dd This user doesn't have a yahoo.com account",
    '554 30 Sorry, your message cannot be delivered. This mailbox is disabled (554.30).',
    '554 delivery error: dd This account has been disabled or discontinued [#102].',
    '554 no such user',
    '501 No such user here',
    '554 Invalid recipient: user unknown',
  ])('in plain words counts under other codes, at RCPT and at the dot: %s', (reply) => {
    for (const stage of ['rcpt', 'dot'] as const) {
      const verdict = classify({ kind: 'refused', stage, reply: parseReply(reply)! });
      expect(verdict).toMatchObject({ bounceType: 'hard', suppress: true });
    }
  });

  it.each([
    '554 mailbox unavailable',
    '554 rejected recipient list by policy',
    '501 Bad address syntax',
    '501 invalid parameter in recipient command',
    '554 5.7.1 Recipient address rejected: Access denied',
    '554 Transaction failed: recipient over quota',
    '554 Message refused: spam, unknown sender',
    '552 message size exceeds the mailbox limit',
    '500 no such user',
  ])('in other words does not: %s', (reply) => {
    expect(refusal(reply)).toMatchObject({ suppress: false });
    expect(refusal(reply).bounceType).not.toBe('hard');
  });

  it('in words alone needs 550, 551 or 553, or a plain statement', () => {
    expect(refusal('550 mailbox full for unknown reasons')).toMatchObject({
      bounceType: 'soft',
      suppress: false,
    });
  });
});

describe('a refusal of the sender or the message', () => {
  it.each([
    ['550 5.7.1 <a@b>: User unknown; blocked using zen.spamhaus.org', 'blocklisted'],
    ['550 5.1.1 <a@b>: blocked using zen.spamhaus.org', 'blocklisted'],
    ['554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using bl.spamcop.net', 'blocklisted'],
    ['550 5.7.606 Access denied, banned sending IP [192.0.2.1]', 'blocklisted'],
    [
      "550 5.7.26 Unauthenticated email from x is not accepted due to domain's DMARC policy",
      'authentication',
    ],
    ['550 5.7.25 The IP address sending this message does not have a PTR record', 'reverse_dns'],
    ['554 5.7.1 <a@b>: Relay access denied', 'relay_denied'],
    ['550 5.7.1 Message content rejected, UBE', 'spam'],
    ['554 5.7.9 Message not accepted for policy reasons', 'policy'],
    ['550 Sender address rejected: not allowed', 'sender_refused'],
    ['550 5.1.8 Sender address rejected: Domain not found', 'sender_refused'],
    [
      '552 5.7.0 This message was blocked because its content presents a potential security issue',
      'content_policy',
    ],
    ['550 This message was classified as SPAM', 'spam'],
  ])('%s is policy and suppresses nobody', (text, reason) => {
    expect(refusal(text)).toMatchObject({
      outcome: 'bounced',
      bounceType: 'policy',
      reason,
      suppress: false,
    });
  });

  it('any 5.7.x that names the mailbox is still no bad address', () => {
    for (const text of [
      '550 5.7.1 user unknown',
      '554 5.7.1 Recipient address rejected: Access denied',
      '550 5.7.0 no such user',
    ]) {
      const verdict = refusal(text);
      expect(verdict.suppress).toBe(false);
      expect(verdict.bounceType).not.toBe('hard');
    }
  });

  it('at MAIL is never about the recipient', () => {
    for (const text of ['550 user unknown', '550 No such user', '553 invalid address', '550 rejected']) {
      expect(refusal(text, 'mail')).toMatchObject({
        bounceType: 'policy',
        reason: 'sender_refused',
        suppress: false,
      });
    }
  });

  it('at banner, EHLO, STARTTLS or AUTH is about the session: another host or hour may take the message', () => {
    for (const stage of ['banner', 'ehlo', 'starttls', 'auth'] as const) {
      expect(refusal('554 5.7.1 you are blocked', stage)).toMatchObject({
        outcome: 'deferred',
        suppress: false,
      });
    }
    expect(refusal('554 no SMTP service here', 'banner').outcome).toBe('deferred');
  });
});

describe('other refusals', () => {
  it.each([
    ['552 5.2.2 over quota', 'mailbox_full'],
    ['552 mailbox full', 'mailbox_full'],
    ['552 5.3.4 too big', 'message_too_large'],
    ['552 Message size exceeds fixed limit', 'message_too_large'],
    ['554 5.4.6 too many hops', 'routing_loop'],
    [
      '550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents',
      'mailbox_busy',
    ],
    ['500 5.5.2 syntax error', 'protocol_error'],
    ['554 transaction failed', 'system_error'],
    ['550', 'mailbox_refused'],
  ])('%s is soft', (text, reason) => {
    expect(refusal(text)).toMatchObject({ outcome: 'bounced', bounceType: 'soft', reason, suppress: false });
  });

  it.each([
    ['450 4.2.0 Greylisted, try again in 300 seconds', 'greylisted'],
    ['421 4.7.0 [TSS04] Messages temporarily deferred', 'rate_limited'],
    ['452 4.2.2 over quota', 'mailbox_full'],
    ['451 4.7.650 The mail server has been temporarily rate limited due to IP reputation', 'reputation'],
    ['450 4.1.8 Sender address rejected: Domain not found', 'sender_refused'],
  ])('%s is deferred with its reason', (text, reason) => {
    expect(refusal(text)).toMatchObject({ outcome: 'deferred', bounceType: null, reason, suppress: false });
  });

  it('give a status where the server gave none', () => {
    expect(refusal('550 no such user').enhancedStatus).toBe('5.1.1');
    expect(refusal('550 blocked by spamhaus').enhancedStatus).toBe('5.7.1');
    expect(refusal('450 greylisted').enhancedStatus).toBe('4.0.0');
  });
});

describe('what no server said', () => {
  const cases: [AttemptFact, Partial<Classification>][] = [
    [
      { kind: 'accepted', reply: { code: 250, enhanced: '2.0.0', text: 'ok' } },
      { outcome: 'sent', bounceType: null, enhancedStatus: '2.0.0' },
    ],
    [
      { kind: 'connection-failed', stage: 'connect', error: { code: 'ECONNREFUSED', message: 'refused' } },
      { outcome: 'deferred', reason: 'host_unreachable', enhancedStatus: '4.4.1' },
    ],
    [
      { kind: 'connection-failed', stage: 'dot', error: { code: 'timeout', message: '' } },
      { outcome: 'deferred', reason: 'host_unreachable', enhancedStatus: '4.4.2' },
    ],
    [
      { kind: 'connection-failed', stage: 'tls', error: { code: 'tls_untrusted', message: '' } },
      { outcome: 'deferred', reason: 'tls_failure', enhancedStatus: '4.7.5' },
    ],
    [
      { kind: 'connection-failed', stage: 'mail', error: { code: 'bad_reply', message: '' } },
      { outcome: 'deferred', reason: 'protocol_error', enhancedStatus: '4.5.0' },
    ],
    [
      { kind: 'unsupported', extension: 'SIZE', enhancedStatus: '5.3.4', detail: 'too big' },
      { outcome: 'bounced', bounceType: 'soft', reason: 'message_too_large', suppress: false },
    ],
    [
      { kind: 'unsupported', extension: 'SMTPUTF8', enhancedStatus: '5.6.7', detail: '' },
      { outcome: 'bounced', bounceType: 'soft', suppress: false },
    ],
    [
      { kind: 'routing', problem: 'nxdomain', detail: '' },
      { outcome: 'bounced', bounceType: 'hard', enhancedStatus: '5.1.2', suppress: true },
    ],
    [
      { kind: 'routing', problem: 'null_mx', detail: '' },
      { outcome: 'bounced', bounceType: 'hard', enhancedStatus: '5.1.10', suppress: true },
    ],
    [
      { kind: 'routing', problem: 'no_host', detail: '' },
      { outcome: 'bounced', bounceType: 'hard', enhancedStatus: '5.4.4', suppress: false },
    ],
    [
      { kind: 'routing', problem: 'servfail', detail: '' },
      { outcome: 'deferred', enhancedStatus: '4.4.3' },
    ],
    [
      { kind: 'routing', problem: 'timeout', detail: '' },
      { outcome: 'deferred', enhancedStatus: '4.4.3' },
    ],
    [
      { kind: 'expired', last: null },
      { outcome: 'bounced', bounceType: 'expired', enhancedStatus: '5.4.7', suppress: false },
    ],
    [{ kind: 'suppressed' }, { outcome: 'bounced', bounceType: 'suppressed', suppress: false }],
  ];
  it.each(cases)('%j', (fact, expected) => {
    expect(classify(fact)).toMatchObject(expected);
  });

  it('keeps the last words of a message whose time ran out', () => {
    const last = refusal('451 4.7.1 Greylisted');
    expect(classify({ kind: 'expired', last })).toMatchObject({
      bounceType: 'expired',
      reason: 'greylisted',
      diagnostic: expect.stringContaining('Greylisted'),
    });
  });
});

describe('every registered code', () => {
  it.each(Object.keys(ENHANCED_CODES))('X.%s has a verdict without any words', (code) => {
    for (const stage of ['rcpt', 'data', 'dot'] as const) {
      const permanent = refusal(`550 5.${code}`, stage);
      expect(permanent.outcome).toBe('bounced');
      expect(permanent.reason).not.toBeNull();
      if (code.startsWith('7.')) expect(permanent.suppress).toBe(false);
      expect(refusal(`450 4.${code}`, stage)).toMatchObject({ outcome: 'deferred', suppress: false });
    }
  });
});

describe('refusals as mail systems word them', () => {
  const lines = readFileSync(join(import.meta.dirname, 'fixtures/refusals.txt'), 'utf8')
    .split('\n')
    .filter((line) => /^(?:hard|soft|policy) /.test(line));

  it(`each of ${lines.length} is of its kind, and none but the hard suppresses`, () => {
    const read = lines.map((line) => {
      const text = line.slice(line.indexOf(' ') + 1);
      const { bounceType, suppress } = refusal(text);
      expect(suppress && bounceType !== 'hard', text).toBe(false);
      return `${bounceType} ${text}`;
    });
    expect(read).toEqual(lines);
  });
});

/** The most that a server's answer may cost, in plain readings of 25 MiB. */
const COST_MAX = 10;

describe('hostile words', () => {
  it('cost little', () => {
    const pieces = [
      'user ',
      'a@b ',
      '<',
      ' unknown',
      '5.1.1 ',
      'ip ',
      'mailbox ',
      '.'.repeat(50),
      'x',
      '\n550-',
    ];
    for (const piece of pieces) {
      const cost = leastCost(COST_MAX, () => refusal(`550 ${piece.replace('\n', ' ').repeat(20_000)}`));
      expect(cost).toBeLessThan(COST_MAX);
    }
  });
});
