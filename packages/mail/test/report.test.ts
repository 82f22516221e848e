import { describe, expect, it } from 'vitest';
import { buildComplaint, isObjection } from '../src/report/arf.ts';
import { classifyReport } from '../src/report/classify-report.ts';
import { buildDsn, type DsnInput, type DsnRecipient } from '../src/report/dsn.ts';
import type { DeliveryReport } from '../src/report/read-dsn.ts';
import { type ReturnedMail, readReturnedMail } from '../src/report/read-report.ts';

const bytes = (text: string) => new TextEncoder().encode(text.replace(/\r?\n/g, '\r\n'));
const read = (text: string): ReturnedMail => readReturnedMail(bytes(text));

function report(text: string | Uint8Array): DeliveryReport {
  const mail = readReturnedMail(typeof text === 'string' ? bytes(text) : text);
  if (mail.kind !== 'report') throw new Error(`read as ${mail.kind}`);
  return mail.report;
}

const original = bytes(`Service-Evidence: v=1; id=abc
Message-ID: <m1@sender.test>
From: Ana <ana@sender.test>
To: beto@dest.test
Subject: hola

body that is never returned
`);

function dsn(recipient: Partial<DsnRecipient>, more: Partial<DsnInput> = {}): Uint8Array {
  return buildDsn({
    id: '0192f0c1-0000-7000-8000-000000000001',
    reportingMta: 'out.acuse.test',
    from: 'Mail Delivery System <mailer-daemon@out.acuse.test>',
    to: 'ana@sender.test',
    date: new Date('2026-01-02T03:04:05Z'),
    arrivalDate: new Date('2026-01-02T03:00:00Z'),
    envelopeId: 'msg+1=x',
    original,
    recipients: [
      {
        finalRecipient: 'beto@dest.test',
        action: 'failed',
        status: '5.1.1',
        remoteMta: 'mx.dest.test',
        reply: { code: 550, enhanced: '5.1.1', text: 'no such\nuser' },
        lastAttemptAt: new Date('2026-01-02T03:04:00Z'),
        ...recipient,
      },
    ],
    ...more,
  });
}

describe('a report of ours', () => {
  it('is read back as it was written', () => {
    const read = report(dsn({}));
    expect(read).toMatchObject({
      reportingMta: 'out.acuse.test',
      originalEnvelopeId: 'msg+1=x',
      declared: true,
      original: { messageId: '<m1@sender.test>', to: ['beto@dest.test'] },
    });
    expect(read.recipients).toHaveLength(1);
    expect(read.recipients[0]).toMatchObject({
      finalRecipient: 'beto@dest.test',
      action: 'failed',
      status: '5.1.1',
      replyCode: 550,
      diagnosticCode: '550 5.1.1 no such user',
      remoteMta: 'mx.dest.test',
      standard: true,
    });
    expect(classifyReport(read.recipients[0]!)).toMatchObject({ bounceType: 'hard', suppress: true });
  });

  it('returns the header and not the body, with CRLF and short lines', () => {
    const text = new TextDecoder().decode(dsn({}));
    expect(text).toContain('Service-Evidence: v=1; id=abc\r\n');
    expect(text).not.toContain('body that is never returned');
    expect(text.replace(/\r\n/g, '')).not.toMatch(/[\r\n]/);
    for (const line of text.split('\r\n')) expect(line.length).toBeLessThanOrEqual(998);
    expect(text).toMatch(/^Auto-Submitted: auto-replied\r$/m);
    expect(text).toContain('Original-Envelope-Id: msg+2B1+3Dx\r\n');
  });

  it.each([
    ['relayed', '2.0.0', 'sent'],
    ['delivered', '2.1.5', 'sent'],
    ['delayed', '4.4.1', 'deferred'],
    ['failed', '5.7.1', 'bounced'],
  ] as const)('%s is read as %s', (action, status, outcome) => {
    const made = dsn({
      action,
      status,
      reply: { code: 250, enhanced: null, text: 'ok' },
      willRetryUntil: new Date(),
    });
    const one = report(made).recipients[0]!;
    expect(one).toMatchObject({ action, status });
    expect(classifyReport(one).outcome).toBe(outcome);
  });

  it('keeps hostile replies inside their field', () => {
    const text = new TextDecoder().decode(
      dsn({ reply: { code: 550, enhanced: null, text: 'a\r\nAction: delivered\r\n\r\n--=_report_x\0 ñ' } }),
    );
    expect(text.match(/^Action:/gm)).toHaveLength(1);
    expect(text).toMatch(/550 a Action: delivered --=_report_x {1,2}\?/);
    expect(
      report(dsn({ reply: { code: 550, enhanced: null, text: 'x\r\n\r\nFinal-Recipient: rfc822; v@w' } }))
        .recipients,
    ).toHaveLength(1);
  });

  it('carries UTF-8 addresses in the forms of RFC 6533', () => {
    const made = dsn({ finalRecipient: 'josé@dest.test' });
    expect(new TextDecoder().decode(made)).toContain('Content-Type: message/global-delivery-status\r\n');
    expect(new TextDecoder().decode(made)).toContain('Final-Recipient: utf-8; josé@dest.test\r\n');
  });

  it('with an id that could break out of the boundary is a fault of the caller', () => {
    expect(() => dsn({}, { id: 'x"\r\n--' })).toThrow(TypeError);
    expect(() => dsn({}, { recipients: [] })).toThrow(TypeError);
  });
});

describe('reports by others', () => {
  it('of qmail', () => {
    const read = report(`Return-Path: <>
From: MAILER-DAEMON@mx.test
To: b+token@bounce.test
Subject: failure notice

Hi. This is the qmail-send program at mx.test.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<beto@dest.test>:
192.0.2.1 does not like recipient.
Remote host said: 550 5.1.1 <beto@dest.test>... User unknown
Giving up on 192.0.2.1.

<full@dest.test>:
192.0.2.1 failed after I sent the message.
Remote host said: 552 5.2.2 over quota

--- Below this line is a copy of the message.

Return-Path: <b+token@bounce.test>
Message-ID: <m2@sender.test>
To: beto@dest.test, full@dest.test
Subject: x

text
`);
    expect(read.original).toMatchObject({ messageId: '<m2@sender.test>', returnPath: 'b+token@bounce.test' });
    expect(read.recipients.map((one) => [one.finalRecipient, one.replyCode, one.status, one.step])).toEqual([
      ['beto@dest.test', 550, '5.1.1', 'rcpt'],
      ['full@dest.test', 552, '5.2.2', 'data'],
    ]);
    expect(read.recipients.map((one) => classifyReport(one).bounceType)).toEqual(['hard', 'soft']);
  });

  it('of Exim, in plain text', () => {
    const read = report(`From: Mail Delivery System <Mailer-Daemon@mx.test>
To: b+token@bounce.test
Auto-Submitted: auto-replied
X-Failed-Recipients: beto@dest.test
Subject: Mail delivery failed: returning message to sender

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  beto@dest.test
    host mx.dest.test [192.0.2.1]
    SMTP error from remote mail server after RCPT TO:<beto@dest.test>:
    550 No such user here

------ This is a copy of the message, including all the headers. ------

Message-ID: <m3@sender.test>
`);
    expect(read.recipients).toHaveLength(1);
    expect(classifyReport(read.recipients[0]!)).toMatchObject({
      bounceType: 'hard',
      reason: 'mailbox_unknown',
      suppress: true,
    });
  });

  it('do not suppress on words that answered DATA, nor on a policy refusal', () => {
    const postfix = (said: string) => `From: MAILER-DAEMON@mx.test (Mail Delivery System)
To: b+token@bounce.test
Subject: Undelivered Mail Returned to Sender
Content-Type: multipart/report; report-type=delivery-status; boundary="b1"

--b1

<beto@dest.test>: host mx.dest.test[192.0.2.1] said: ${said}

--b1
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.test

Final-Recipient: rfc822; beto@dest.test
Original-Recipient: rfc822;beto@dest.test
Action: failed
Status: 5.0.0
Remote-MTA: dns; mx.dest.test
Diagnostic-Code: smtp; ${said}

--b1--
`;
    const one = (said: string) => classifyReport(report(postfix(said)).recipients[0]!);
    expect(one('550 unknown user (in reply to end of DATA command)')).toMatchObject({
      bounceType: 'soft',
      suppress: false,
    });
    expect(one('550 unknown user (in reply to RCPT TO command)')).toMatchObject({
      bounceType: 'hard',
      suppress: true,
    });
    expect(one('550 5.7.1 unknown user (in reply to RCPT TO command)')).toMatchObject({ suppress: false });
    expect(one('550 5.1.1 blocked using zen.spamhaus.org (in reply to RCPT TO command)')).toMatchObject({
      bounceType: 'policy',
      suppress: false,
    });
    expect(one('450 4.1.1 user unknown (in reply to RCPT TO command)')).toMatchObject({
      bounceType: 'hard',
      suppress: false,
    });
  });

  it('in which time ran out are expired, and delays are no bounces', () => {
    const timedOut = report(`From: MAILER-DAEMON@mx.test
To: b+token@bounce.test
Subject: Returned mail
Content-Type: multipart/report; report-type=delivery-status; boundary=b1

--b1

gone
--b1
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.test

Final-Recipient: rfc822; beto@dest.test
Action: failed
Status: 4.4.1
Diagnostic-Code: x-postfix; connect to mx.dest.test: Connection timed out
--b1--
`);
    expect(classifyReport(timedOut.recipients[0]!)).toMatchObject({
      outcome: 'bounced',
      bounceType: 'expired',
    });
    const delayed = report(`From: mailer-daemon@mx.test
To: b+token@bounce.test
Subject: Delivery Status Notification (Delay)

THIS IS A WARNING MESSAGE ONLY. Delivery to the following recipient has been delayed:

     beto@dest.test
`);
    expect(classifyReport(delayed.recipients[0]!).outcome).toBe('deferred');
  });
});

describe('what is no delivery report', () => {
  it('a vacation notice, by header, subject or null return path', () => {
    expect(
      read('From: beto@dest.test\nAuto-Submitted: auto-replied\nSubject: Re: x\n\nI am away.\n'),
    ).toEqual({
      kind: 'auto-reply',
      sign: 'auto-submitted',
    });
    expect(read('From: beto@dest.test\nX-Autoreply: yes\nSubject: x\n\nbeto@dest.test is away\n').kind).toBe(
      'auto-reply',
    );
    for (const subject of [
      'Out of Office: hola',
      'Automatic reply: x',
      'Respuesta automática: x',
      'Abwesenheitsnotiz',
    ]) {
      expect(
        read(`Return-Path: <>\nFrom: beto@dest.test\nSubject: ${subject}\n\nask other@dest.test\n`).kind,
      ).toBe('auto-reply');
    }
  });

  it('a read receipt', () => {
    const mdn = read(`Return-Path: <>
From: beto@dest.test
Subject: Read: hola
Content-Type: multipart/report; report-type=disposition-notification; boundary=b

--b

Your message to beto@dest.test was read.
--b
Content-Type: message/disposition-notification

Final-Recipient: rfc822;beto@dest.test
Disposition: manual-action/MDN-sent-manually; displayed
--b--
`);
    expect(mdn).toMatchObject({
      kind: 'receipt',
      receipt: {
        ...{ disposition: 'displayed', mode: 'manual-action/mdn-sent-manually' },
        ...{ finalRecipient: 'beto@dest.test', originalRecipient: null },
      },
    });
  });

  it('a person who answers, names addresses and gives no reason', () => {
    expect(
      read(
        'Return-Path: <>\nFrom: beto@dest.test\nTo: b+t@bounce.test\nSubject: Re: hola\n\nPlease ask carla@dest.test\n',
      ).kind,
    ).toBe('unrecognized');
    expect(read('').kind).toBe('unrecognized');
    expect(read('\n\n\n').kind).toBe('unrecognized');
  });
});

describe('complaints', () => {
  it('of ours are read back', () => {
    const made = buildComplaint({
      id: 'c-1',
      host: 'sandbox.test',
      from: 'fbl@sandbox.test',
      to: 'b+token@bounce.test',
      date: new Date('2026-01-02T03:04:05Z'),
      feedbackType: 'abuse',
      userAgent: 'Sandbox/1',
      originalMailFrom: 'b+token@bounce.test',
      originalRecipient: 'complained@sandbox.test',
      arrivalDate: new Date('2026-01-02T03:04:00Z'),
      reportedDomain: 'sender.test',
      original,
    });
    const mail = readReturnedMail(made);
    expect(mail).toMatchObject({
      kind: 'complaint',
      complaint: {
        feedbackType: 'abuse',
        userAgent: 'Sandbox/1',
        originalMailFrom: 'b+token@bounce.test',
        recipients: ['complained@sandbox.test'],
        messageId: '<m1@sender.test>',
      },
    });
    expect(mail.kind === 'complaint' && isObjection(mail.complaint)).toBe(true);
  });

  it('that take a complaint back, or report on authentication, are no objections', () => {
    for (const type of ['not-spam', 'auth-failure']) {
      const mail = read(`From: fbl@isp.test
Content-Type: multipart/report; report-type=feedback-report; boundary=b

--b

x
--b
Content-Type: message/feedback-report

Feedback-Type: ${type}
User-Agent: x
Version: 1
--b--
`);
      expect(mail.kind === 'complaint' && isObjection(mail.complaint)).toBe(false);
    }
  });
});
