import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { type ReportedMessage, type ReportRecipe, writeOwnReport } from '../src/report/own-report.ts';

/** Hashes of these reports stand in logs: nothing here may ever be changed to make a test pass. */
const RAW = Buffer.from(
  'Service-Evidence: v=1; id=01990000-0000-7000-8000-000000000001\r\nFrom: Billing <billing@sender.example>\r\n' +
    'To: =?utf-8?q?Ana_P=C3=A9rez?= <ana+2041@receiver.example>\r\nSubject: Your invoice 2041\r\n\r\nbody\r\n',
);
const MESSAGE: ReportedMessage = {
  messageId: '01990000-0000-7000-8000-000000000001',
  senderAddress: 'billing@sender.example',
  recipientAddress: 'ana+2041@receiver.example',
  finishedAt: new Date('2026-03-04T05:06:08.123Z'),
  raw: RAW,
};
const RELAYED: ReportRecipe = {
  form: 1,
  action: 'relayed',
  host: 'mail.acuse.example',
  arrived_at: '2026-03-04T05:06:07.000Z',
  header_bytes: RAW.indexOf('\r\n\r\n') + 2,
  status: '2.0.0',
  remote_mta: 'mx.receiver.example',
  reply: { code: 250, enhanced: '2.0.0', text: 'Ok: queued as 4cXyZ' },
};
const { reply: _reply, remote_mta: _mta, ...NOBODY } = RELAYED;

test('form 1, byte for byte', () => {
  expect(Buffer.from(writeOwnReport(RELAYED, MESSAGE)).toString()).toBe(
    `From: Mail Delivery System <MAILER-DAEMON@mail.acuse.example>
To: billing@sender.example
Subject: Successful Mail Delivery Report
Date: Wed, 04 Mar 2026 05:06:08 +0000
Message-ID: <report-01990000-0000-7000-8000-000000000001-relayed@mail.acuse.example>
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
 boundary="=_report_01990000-0000-7000-8000-000000000001-relayed"

--=_report_01990000-0000-7000-8000-000000000001-relayed
Content-Type: text/plain; charset=utf-8
Content-Description: Notification
Content-Transfer-Encoding: 7bit

This is the mail system at mail.acuse.example.

Your message to <ana+2041@receiver.example>
was handed to the mail server of the recipient, which took charge of it.
Mail server: mx.receiver.example
Its answer: 250 2.0.0 Ok: queued as 4cXyZ


--=_report_01990000-0000-7000-8000-000000000001-relayed
Content-Type: message/delivery-status
Content-Description: Delivery report
Content-Transfer-Encoding: 7bit

Reporting-MTA: dns; mail.acuse.example
Original-Envelope-Id: 01990000-0000-7000-8000-000000000001
Arrival-Date: Wed, 04 Mar 2026 05:06:07 +0000

Original-Recipient: rfc822; ana+2041@receiver.example
Final-Recipient: rfc822; ana+2041@receiver.example
Action: relayed
Status: 2.0.0
Remote-MTA: dns; mx.receiver.example
Diagnostic-Code: smtp; 250 2.0.0 Ok: queued as 4cXyZ
Last-Attempt-Date: Wed, 04 Mar 2026 05:06:08 +0000

--=_report_01990000-0000-7000-8000-000000000001-relayed
Content-Type: text/rfc822-headers
Content-Description: Undelivered message headers
Content-Transfer-Encoding: 7bit

Service-Evidence: v=1; id=01990000-0000-7000-8000-000000000001
From: Billing <billing@sender.example>
To: =?utf-8?q?Ana_P=C3=A9rez?= <ana+2041@receiver.example>
Subject: Your invoice 2041

--=_report_01990000-0000-7000-8000-000000000001-relayed--
`.replaceAll('\n', '\r\n'),
  );
});

test.each<[string, ReportRecipe, Partial<ReportedMessage>, string]>([
  ['relayed', RELAYED, {}, 'b94584d649f99a5e3ef4df9e37b5b437e9b6a91b39eb5ff1256032cf9cf4cd9e'],
  [
    'failed, with a reply of several lines, 8-bit and controls',
    {
      ...RELAYED,
      action: 'failed',
      status: '5.1.1',
      reply: { code: 550, enhanced: '5.1.1', text: 'ñ\nno such\tuser\u0007' },
    },
    {},
    '6760893d22996f6ea37978acb784d28fdc7f2439ea7c4856c17fe6708033bd4d',
  ],
  [
    'failed, and nobody answered',
    { ...NOBODY, action: 'failed', status: '4.4.7', diagnostic: 'expired' },
    {},
    '7c0ce8df76a15be100180b654c9f421a9a4b932e67e79776533d8386293b8447',
  ],
  [
    'delayed',
    { ...RELAYED, action: 'delayed', status: '4.2.1', retry_until: '2026-03-09T05:06:07.000Z' },
    {},
    '2321e16ae9c4aa378384eee340753516beb52bd926c43a636eaa129a5dc43b82',
  ],
  [
    'to an address in UTF-8',
    RELAYED,
    { recipientAddress: 'josé@españa.example' },
    '5148596eaf461e3a78f3b0aac9f821d008e173e0c81a40158f51d990ef311358',
  ],
  [
    'of a message that was not read',
    { ...RELAYED, header_bytes: 0 },
    {},
    'b9f6898754026125b4476c4060470f6a789bb4364da8c903b46f666af3534552',
  ],
  [
    'quoting 8-bit header fields',
    { ...RELAYED, header_bytes: 13 },
    { raw: Buffer.from('Subject: ñ\r\n\r\n') },
    '923f26f56783238bac1444d0e11e4828dd9bd5bf6fcb1626a487c269afb09c6f',
  ],
])('form 1: %s', (_, recipe, message, sha256) => {
  const report = writeOwnReport(recipe, { ...MESSAGE, ...message });
  expect(createHash('sha256').update(report).digest('hex')).toBe(sha256);
});

test('only what is quoted of a message is in its report', () => {
  const report = Buffer.from(writeOwnReport(RELAYED, MESSAGE)).toString();
  expect(report).toContain('Subject: Your invoice 2041\r\n');
  expect(report).not.toContain('body\r\n');
  const gone = Buffer.from(writeOwnReport(RELAYED, { ...MESSAGE, raw: new Uint8Array(0) })).toString();
  expect(gone).not.toContain('invoice');
  expect(gone).toContain('Ok: queued as 4cXyZ');
});

test('a form that this version does not know is refused', () => {
  expect(() => writeOwnReport({ ...RELAYED, form: 2 } as unknown as ReportRecipe, MESSAGE)).toThrow(
    'a delivery report of form 2 is not known',
  );
});
