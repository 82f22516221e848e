import { SANDBOX_DOMAIN } from '../accounts/suppressions/sandbox-addresses.ts';

/**
 * Reports as foreign servers and mail programs write them. Pure. A complaint is ARF (RFC 5965 §2), a late
 * bounce a DSN (RFC 3464 §2), a read receipt an MDN (RFC 8098 §3).
 */
export interface ReportedMail {
  readonly reversePath: string;
  readonly forwardPath: string;
  readonly raw: Uint8Array;
  readonly at: Date;
  readonly id: string;
}

const MAX_HEADER_BYTES = 65_536;

export function complaintReport(mail: ReportedMail): Buffer {
  return multipart(mail, 'feedback-report', `Complaint about ${mail.forwardPath}`, [
    part(
      'text/plain; charset=us-ascii',
      `This is a complaint about a message to ${mail.forwardPath}, sent by the sandbox mailbox.`,
    ),
    part(
      'message/feedback-report',
      fields({
        'Feedback-Type': 'abuse',
        'User-Agent': 'sandbox-mailbox/1.0',
        Version: '1',
        'Original-Mail-From': `<${mail.reversePath}>`,
        'Original-Rcpt-To': `<${mail.forwardPath}>`,
        'Arrival-Date': rfc5322Date(mail.at),
      }),
    ),
    part('text/rfc822-headers', headerOf(mail.raw)),
  ]);
}

export function bounceReport(mail: ReportedMail): Buffer {
  return multipart(mail, 'delivery-status', 'Undelivered Mail Returned to Sender', [
    part(
      'text/plain; charset=us-ascii',
      `The message to ${mail.forwardPath} could not be delivered: no such mailbox.`,
    ),
    part(
      'message/delivery-status',
      [
        fields({ 'Reporting-MTA': `dns; mx.${SANDBOX_DOMAIN}`, 'Arrival-Date': rfc5322Date(mail.at) }),
        fields({
          'Original-Recipient': `rfc822; ${mail.forwardPath}`,
          'Final-Recipient': `rfc822; ${mail.forwardPath}`,
          Action: 'failed',
          Status: '5.1.1',
          'Diagnostic-Code': 'smtp; 550 5.1.1 The email account that you tried to reach does not exist',
        }),
      ].join('\r\n'),
    ),
    part('text/rfc822-headers', headerOf(mail.raw)),
  ]);
}

export function receiptReport(mail: ReportedMail): Buffer {
  const original = /^message-id:\s*(<[^<>\s]{1,990}>)/im.exec(headerOf(mail.raw))?.[1];
  return multipart(
    mail,
    'disposition-notification',
    'Read: your message',
    [
      part('text/plain; charset=us-ascii', `The message to ${mail.forwardPath} was displayed.`),
      part(
        'message/disposition-notification',
        fields({
          'Reporting-UA': `${SANDBOX_DOMAIN}; sandbox mailbox`,
          'Final-Recipient': `rfc822; ${mail.forwardPath}`,
          ...(original !== undefined && { 'Original-Message-ID': original }),
          Disposition: 'manual-action/MDN-sent-manually; displayed',
        }),
      ),
    ],
    `<${mail.forwardPath}>`,
  );
}

function multipart(
  mail: ReportedMail,
  reportType: string,
  subject: string,
  parts: readonly string[],
  from = `Mail Delivery System <MAILER-DAEMON@${SANDBOX_DOMAIN}>`,
): Buffer {
  const boundary = `=_sandbox_${mail.id}`;
  const header = fields({
    From: from,
    To: `<${mail.reversePath}>`,
    Subject: subject,
    Date: rfc5322Date(mail.at),
    'Message-ID': `<${mail.id}@${SANDBOX_DOMAIN}>`,
    'Auto-Submitted': 'auto-replied',
    'MIME-Version': '1.0',
    'Content-Type': `multipart/report; report-type=${reportType};\r\n boundary="${boundary}"`,
  });
  const body = parts.map((each) => `--${boundary}\r\n${each}\r\n`).join('');
  return Buffer.from(`${header}\r\n${body}--${boundary}--\r\n`, 'latin1');
}

function part(contentType: string, content: string): string {
  return `Content-Type: ${contentType}\r\n\r\n${content}`;
}

export function fields(values: Record<string, string>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}

function headerOf(raw: Uint8Array): string {
  const text = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, MAX_HEADER_BYTES)).toString(
    'latin1',
  );
  const end = text.indexOf('\r\n\r\n');
  return end === -1 ? text : text.slice(0, end + 2);
}

export function rfc5322Date(date: Date): string {
  return date.toUTCString().replace('GMT', '+0000');
}
