import { formatReply, type SmtpReply } from '../reply/parse.ts';
import { xtext } from '../smtp/commands.ts';
import type { DsnAction } from './delivery-status.ts';
import { asciiField, field, headerBlockOf, mailDate, writeReport } from './write-report.ts';

/** Octets of the original header that a report returns. */
const MAX_RETURNED_HEADER_BYTES = 65_536;

/**
 * The outcome for one recipient, for a report of ours. `status` is RFC 3463 §2; `reply` or `diagnostic` says
 * why. RFC 3464 §2.3
 */
export interface DsnRecipient {
  readonly finalRecipient: string;
  readonly originalRecipient?: string;
  readonly action: DsnAction;
  readonly status: string;
  readonly remoteMta?: string;
  readonly reply?: SmtpReply;
  /** Where no server replied: what the network, the DNS or we said. */
  readonly diagnostic?: string;
  readonly lastAttemptAt?: Date;
  readonly willRetryUntil?: Date;
  readonly finalLogId?: string;
}

/** A report of ours. `original` is the message; its header is returned, never its body. */
export interface DsnInput {
  readonly id: string;
  readonly reportingMta: string;
  readonly from: string;
  readonly to: string;
  readonly date: Date;
  readonly arrivalDate: Date;
  readonly envelopeId?: string;
  readonly original: Uint8Array;
  readonly recipients: readonly DsnRecipient[];
}

const NOT_ASCII = /[^\x00-\x7f]/;

const SUBJECTS: Readonly<Record<DsnAction, string>> = {
  failed: 'Undelivered Mail Returned to Sender',
  delayed: 'Delayed Mail (still being retried)',
  delivered: 'Successful Mail Delivery Report',
  relayed: 'Successful Mail Delivery Report',
  expanded: 'Successful Mail Delivery Report',
};

/**
 * Writes a delivery status notification. UTF-8 addresses make it an internationalized one. RFC 3464 §2, RFC
 * 6522 §3, RFC 6533 §4
 */
export function buildDsn(input: DsnInput): Uint8Array {
  const action = input.recipients[0]?.action;
  if (action === undefined) throw new TypeError('a report has at least one recipient');
  const header = headerBlockOf(input.original, MAX_RETURNED_HEADER_BYTES);
  const global = input.recipients.some((one) =>
    NOT_ASCII.test(`${one.finalRecipient}${one.originalRecipient ?? ''}`),
  );
  return writeReport(
    {
      id: input.id,
      host: input.reportingMta,
      from: input.from,
      to: input.to,
      subject: SUBJECTS[action],
      date: input.date,
      reportType: 'delivery-status',
      autoSubmitted: 'auto-replied',
    },
    [
      { type: 'text/plain; charset=utf-8', description: 'Notification', body: explanation(input) },
      {
        type: global ? 'message/global-delivery-status' : 'message/delivery-status',
        description: 'Delivery report',
        body: statusBody(input, global),
      },
      {
        type: NOT_ASCII.test(header) ? 'message/global-headers' : 'text/rfc822-headers',
        description: 'Undelivered message headers',
        body: header,
      },
    ],
  );
}

function statusBody(input: DsnInput, global: boolean): string {
  const write = global ? field : asciiField;
  const message = [
    write('Reporting-MTA', `dns; ${input.reportingMta}`),
    write('Original-Envelope-Id', input.envelopeId === undefined ? null : xtext(input.envelopeId)),
    write('Arrival-Date', mailDate(input.arrivalDate)),
  ].join('');
  return [message, ...input.recipients.map((recipient) => recipientFields(recipient, write))].join('\r\n');
}

function recipientFields(recipient: DsnRecipient, write: typeof field): string {
  const { reply, diagnostic, originalRecipient } = recipient;
  const typed = (address: string) => `${NOT_ASCII.test(address) ? 'utf-8' : 'rfc822'}; ${address}`;
  const code = reply === undefined ? undefined : `smtp; ${formatReply(reply)}`;
  const own = diagnostic === undefined ? undefined : `x-acuse; ${diagnostic}`;
  return [
    write('Original-Recipient', originalRecipient === undefined ? null : typed(originalRecipient)),
    write('Final-Recipient', typed(recipient.finalRecipient)),
    write('Action', recipient.action),
    write('Status', recipient.status),
    write('Remote-MTA', recipient.remoteMta === undefined ? null : `dns; ${recipient.remoteMta}`),
    write('Diagnostic-Code', code ?? own ?? null),
    write(
      'Last-Attempt-Date',
      recipient.lastAttemptAt === undefined ? null : mailDate(recipient.lastAttemptAt),
    ),
    write('Final-Log-ID', recipient.finalLogId ?? null),
    write(
      'Will-Retry-Until',
      recipient.willRetryUntil === undefined ? null : mailDate(recipient.willRetryUntil),
    ),
  ].join('');
}

const SENTENCES: Readonly<Record<DsnAction, string>> = {
  failed: 'could not be delivered. No further attempt will be made.',
  delayed: 'has not been delivered yet. Delivery is still being tried; you need not send it again.',
  delivered: 'was delivered.',
  relayed: 'was handed to the mail server of the recipient, which took charge of it.',
  expanded: 'was delivered and sent on to further addresses.',
};

function explanation(input: DsnInput): string {
  const lines = [`This is the mail system at ${input.reportingMta}.`, ''];
  for (const recipient of input.recipients) {
    lines.push(`Your message to <${recipient.finalRecipient}>`, SENTENCES[recipient.action]);
    if (recipient.remoteMta !== undefined) lines.push(`Mail server: ${recipient.remoteMta}`);
    const said = recipient.reply === undefined ? recipient.diagnostic : formatReply(recipient.reply);
    if (said !== undefined) lines.push(`Its answer: ${said}`);
    if (recipient.willRetryUntil !== undefined)
      lines.push(`Tried until: ${mailDate(recipient.willRetryUntil)}`);
    lines.push('');
  }
  return lines.map((line) => `${line.replace(/[\x00-\x1f\x7f]+/g, ' ').slice(0, 900)}\r\n`).join('');
}
