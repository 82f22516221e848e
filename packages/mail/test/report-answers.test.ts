import { describe, expect, it } from 'vitest';
import { isObjection } from '../src/report/arf.ts';
import { classifyReport, isDefinite } from '../src/report/classify-report.ts';
import { readReturnedMail } from '../src/report/read-report.ts';

/** Mail to a return path that says nothing definite, and complaints as JSON. */

const read = (text: string) => readReturnedMail(Buffer.from(text.replaceAll('\n', '\r\n')));
const mail = (from: string, subject: string, body: string, more = '') =>
  `From: ${from}\nTo: b+token@bounce.test\nSubject: ${subject}\n${more}\n${body}\n`;

const dsn = (fields: string, host = 'mx.dest.test') =>
  `From: MAILER-DAEMON@dest.test\nTo: b+token@bounce.test\nSubject: Undelivered\nMIME-Version: 1.0\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b\nContent-Type: text/plain\n\nFailed.\n--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; ${host}\n\nFinal-Recipient: rfc822; ana@dest.test\nAction: failed\n${fields}\n--b--\n`;
const only = (text: string) => {
  const returned = read(text);
  if (returned.kind !== 'report') throw new Error(returned.kind);
  expect(returned.report.recipients).toHaveLength(1);
  return returned.report.recipients[0]!;
};
const prose = mail(
  'MAILER-DAEMON@relay.test',
  'Mail delivery failed',
  'This is a permanent error. The following address failed:\n\n  <ana@dest.test>: 550 unknown user',
);

describe('says nothing definite', () => {
  it.each([
    [
      'held for review',
      mail(
        'postmaster@dest.test',
        'Message held',
        'Your message to ana@dest.test is held for review by the administrator.',
      ),
    ],
    [
      'held by a filter',
      mail(
        'postmaster@dest.test',
        'Undeliverable: quarantined',
        'Mail to <ana@dest.test> was quarantined: it violates our policy.',
      ),
    ],
    [
      'a challenge',
      mail(
        'MAILER-DAEMON@dest.test',
        'Please confirm',
        'ana@dest.test only accepts mail from approved senders. Follow the link.',
      ),
    ],
    [
      'an automatic notice',
      mail(
        'postmaster@dest.test',
        'Delivery failure',
        'The message to ana@dest.test could not be processed.',
      ),
    ],
    [
      'a person leaving',
      mail('postmaster@dest.test', 'Undeliverable', 'ana@dest.test is no longer with us.'),
    ],
  ])('%s', (_, text) => {
    const returned = read(text);
    if (returned.kind === 'report') expect(returned.report.recipients.map(isDefinite)).not.toContain(true);
  });

  it.each([
    [
      'a reply',
      mail('Ana <ana@dest.test>', 'Re: undelivered invoice', 'It failed: 550 user unknown, bob@dest.test'),
    ],
    [
      'an answer in a thread',
      mail(
        'Ana <ana@dest.test>',
        'delivery failure',
        '550 5.1.1 bob@dest.test unknown user',
        'In-Reply-To: <1@our.test>\n',
      ),
    ],
    ['an absence', mail('ana@dest.test', 'AW: Rechnung', 'I am away. bob@dest.test: mailbox full')],
  ])('is no report at all: %s', (_, text) => expect(read(text).kind).toBe('unrecognized'));
});

describe('an automatic answer', () => {
  const answered = 'Auto-Submitted: auto-replied\n';
  it.each([
    ['of Exchange, in Spanish', 'Respuesta automática: Factura', 'X-Auto-Response-Suppress: All\n'],
    ['of somebody who left', 'Ya no laboro en la empresa Re: Factura', answered],
    ['known by its subject alone', 'Fora do escritório Re: Factura', 'Return-Path: <>\n'],
    ['known by its subject alone, in German', 'Abwesend: Rechnung', 'Return-Path: <>\n'],
    ['of a help desk', '[Ticket#1201] Hemos recibido su mensaje: entrega fallida', answered],
    ['of a list with a moderator', 'Your message to Lista awaits moderator approval', answered],
  ])('%s is neither a bounce nor a complaint', (_, subject, more) => {
    const text = 'Ya no trabajo aquí. Esta dirección ya no existe; escriba a otro@dest.test. User unknown.';
    expect(read(mail('Ana <ana@dest.test>', subject, text, more))).toMatchObject({ kind: 'auto-reply' });
  });
});

describe('says what happened', () => {
  it.each([
    'Status: 5.0.0\nDiagnostic-Code: smtp; 550 unknown user',
    'Status: 5.0.0\nDiagnostic-Code: smtp; 550 no such user here',
    'Diagnostic-Code: smtp; 550 unknown user',
    'Status: 5.0.0\nDiagnostic-Code: X-Unknown; User unknown in local recipient table',
  ])('an unknown user is hard, and suppressed: %s', (fields) => {
    const returned = read(dsn(fields));
    if (returned.kind !== 'report') throw new Error(returned.kind);
    expect(returned.report.recipients.map(isDefinite)).toEqual([true]);
    expect(returned.report.recipients.map(classifyReport)).toMatchObject([
      { bounceType: 'hard', reason: 'mailbox_unknown', suppress: true },
    ]);
  });
});

it.each([
  'Delivery attempts will continue to be made for 5 days.',
  'It has not yet been delivered to one or more of its recipients.',
])('a delay is no failure: %s', (words) => {
  const recipient = only(mail('MAILER-DAEMON@relay.test', 'Delivery notice', `<ana@dest.test>\n\n${words}`));
  expect(classifyReport(recipient)).toMatchObject({ outcome: 'deferred', bounceType: null });
});

describe('an unknown user that somebody else tells of', () => {
  it.each([
    [
      'in a field, with a status that says nothing',
      dsn('Status: 5.0.0\nDiagnostic-Code: smtp; 550 unknown user', 'relay.other.test'),
    ],
    ['in prose', prose],
  ])('is soft where no command is named, hard from a host that must know: %s', (_, text) => {
    const recipient = only(text);
    expect(classifyReport(recipient)).toMatchObject({
      bounceType: 'soft',
      reason: 'mailbox_refused',
      suppress: false,
    });
    expect(classifyReport({ ...recipient, byOwnHost: true })).toMatchObject({
      bounceType: 'hard',
      reason: 'mailbox_unknown',
      suppress: true,
    });
  });

  it.each([
    'Status: 5.0.0\nDiagnostic-Code: smtp; 550 unknown user (in reply to RCPT TO command)',
    'Status: 5.1.1\nDiagnostic-Code: smtp; 550 unknown user',
    'Status: 5.0.0\nDiagnostic-Code: smtp; 550 5.1.1 unknown user',
  ])('is hard where the report says so, whoever writes it: %s', (fields) => {
    expect(classifyReport(only(dsn(fields, 'relay.other.test')))).toMatchObject({
      bounceType: 'hard',
      suppress: true,
    });
  });

  it('without any status its words count, and suppress nobody', () => {
    const fields = 'Diagnostic-Code: smtp; 550 unknown user';
    expect(classifyReport(only(dsn(fields, 'relay.other.test')))).toMatchObject({
      bounceType: 'hard',
      suppress: false,
    });
  });

  it.each([
    'Status: 5.0.0\nDiagnostic-Code: smtp; 550 unknown user (in reply to end of DATA command)',
    'Status: 5.2.0\nDiagnostic-Code: smtp; 550 unknown user',
    "Status: 5.0.0\nDiagnostic-Code: smtp; 5.3.0 - Other mail system problem 550-'unknown user ana@dest.test'",
  ])('is soft, whoever writes it, where status or step say otherwise: %s', (fields) => {
    expect(classifyReport(only(dsn(fields)))).toMatchObject({ bounceType: 'soft', suppress: false });
  });

  it("a gateway's own users are a matter of its rules", () => {
    const fields =
      "Status: 5.0.0\nDiagnostic-Code: smtp; 550 'ana@dest.test' is not a registered gateway user";
    expect(classifyReport(only(dsn(fields)))).toMatchObject({ bounceType: 'policy', reason: 'relay_denied' });
  });
});

describe('complaints as JSON', () => {
  const ses = {
    notificationType: 'Complaint',
    complaint: {
      complainedRecipients: [{ emailAddress: 'ana@dest.test' }],
      timestamp: '2026-11-22T00:00:00.000Z',
      userAgent: 'AnyCompany Feedback Loop (V0.01)',
      complaintFeedbackType: 'abuse',
    },
    mail: { messageId: '1', source: 'b@bounce.test', destination: ['ana@dest.test'] },
  };
  const sns = { Type: 'Notification', MessageId: 'x', Message: JSON.stringify(ses), SignatureVersion: '1' };
  it.each<[string, string]>([
    ['Amazon SES', JSON.stringify(ses)],
    ['Amazon SES by SNS', JSON.stringify(sns, null, 2)],
    [
      'by SNS as text, with its footer',
      `${JSON.stringify(ses)}\n\n--\nIf you wish to stop receiving notifications`,
    ],
    ['SES events', JSON.stringify({ ...ses, notificationType: undefined, eventType: 'Complaint' })],
    [
      'SendGrid',
      JSON.stringify([
        { email: 'x@y.test', event: 'open' },
        { email: 'ana@dest.test', event: 'spamreport' },
      ]),
    ],
    ['Mailgun', JSON.stringify({ 'event-data': { event: 'complained', recipient: 'ana@dest.test' } })],
    ['Postmark', JSON.stringify({ RecordType: 'SpamComplaint', Email: 'ana@dest.test' })],
    [
      'SparkPost',
      JSON.stringify([{ msys: { message_event: { type: 'spam_complaint', rcpt_to: 'ana@dest.test' } } }]),
    ],
  ])('%s', (_, json) => {
    for (const type of ['text/plain', 'application/json']) {
      const returned = read(
        mail('no-reply@sns.test', 'Notification', json, `MIME-Version: 1.0\nContent-Type: ${type}\n`),
      );
      if (returned.kind !== 'complaint') throw new Error(returned.kind);
      expect(returned.complaint).toMatchObject({ feedbackType: 'abuse', recipients: ['ana@dest.test'] });
      expect(isObjection(returned.complaint)).toBe(true);
    }
  });

  it.each<[string, string]>([
    ['a delivery', JSON.stringify({ ...ses, notificationType: 'Delivery', complaint: undefined })],
    ['an open', JSON.stringify([{ email: 'ana@dest.test', event: 'open' }])],
    ['JSON cut short', JSON.stringify(ses).slice(0, -5)],
    ['no JSON', '{"notificationType":"Complaint" oops}'],
    ['brackets without end', '['.repeat(100_000)],
    ['deep nesting', `${'['.repeat(5_000)}${']'.repeat(5_000)}`],
  ])('no complaint: %s', (_, json) => {
    expect(read(mail('no-reply@sns.test', 'Notification', json)).kind).not.toBe('complaint');
  });

  it('not-spam is no objection', () => {
    const kind = { ...ses, complaint: { ...ses.complaint, complaintFeedbackType: 'not-spam' } };
    const returned = read(mail('no-reply@sns.test', 'Notification', JSON.stringify(kind)));
    expect(returned.kind === 'complaint' && isObjection(returned.complaint)).toBe(false);
  });
});

describe('a recipient whose name looks like xtext, and is what it says', () => {
  it.each(['+2024', '+54c', '+99', '+A1B2', '+C3', '+2B', '+3D', '+20', '+00', '+C3+28', '+FF+FF'])(
    'ana%s@dest.test',
    (tag) => {
      const address = `ana${tag}@dest.test`;
      const text = `From: MAILER-DAEMON@dest.test\nTo: b+token@bounce.test\nSubject: Undelivered\nMIME-Version: 1.0\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.dest.test\n\nOriginal-Recipient: rfc822; ${address}\nFinal-Recipient: rfc822; ${address}\nAction: failed\nStatus: 5.1.1\n--b--\n`;
      const named = { finalRecipient: address, originalRecipient: address };
      expect(read(text)).toMatchObject({ report: { recipients: [named] } });
    },
  );
});

describe('a recipient outside ASCII', () => {
  it.each([
    ['raw UTF-8', 'utf-8; märy@exämple.test'],
    ['RFC 6533 §3', 'utf-8; m\\x{E4}ry@exämple.test'],
    ['xtext of its octets', 'rfc822; m+C3+A4ry@exämple.test'],
  ])('%s', (_form, finalRecipient) => {
    const mail = readReturnedMail(
      new TextEncoder().encode(
        `From: MAILER-DAEMON@dest.test\nTo: b+token@bounce.test\nSubject: Undelivered\nMIME-Version: 1.0\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.dest.test\n\nFinal-Recipient: ${finalRecipient}\nAction: failed\nStatus: 5.1.1\n--b--\n`,
      ),
    );
    expect(mail).toMatchObject({ report: { recipients: [{ finalRecipient: 'märy@exämple.test' }] } });
  });
});
