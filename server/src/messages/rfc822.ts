import { mailboxesOf } from '@acuse/mail/address-list';
import { readBlindCopies } from '@acuse/mail/blind-copies';
import { compareKey, type Mailbox, MailboxError } from '@acuse/mail/mailbox';
import type { HeaderField } from '@acuse/mail/mime-tree';
import { parseMessage } from '@acuse/mail/parse';
import { asApiError } from '../input-errors.ts';
import { readAskingFields } from './acknowledgement.ts';
import { amongSeveral, bare, distinctRecipients, refuseTooMany } from './recipients.ts';
import type { Submission } from './submission.ts';

export interface Rfc822Message {
  readonly header: readonly HeaderField[];
  /** With the display name from To or Cc. */
  submissionFor(recipient: Mailbox): Submission;
  /** Throws invalid_address. */
  submissionForAll(): Submission;
}

export interface Rfc822Parts {
  readonly header: readonly HeaderField[];
  readonly submission: Omit<Submission, 'recipient'>;
}

/** Exactly one From mailbox; sent as parsed. Throws invalid_body, invalid_address, payload_too_large. */
export function readRfc822Parts(raw: Uint8Array): Rfc822Parts {
  const parsed = asApiError(() => parseMessage(raw));
  const asking = readAskingFields(parsed.submittedHeader);
  return {
    header: parsed.submittedHeader,
    submission: {
      headerFrom: parsed.headerFrom,
      headerTo: parsed.headerTo,
      headerCc: parsed.headerCc,
      replyTo: parsed.replyTo ?? [],
      content: {
        kind: 'given',
        subject: parsed.subject,
        text: null,
        html: null,
        tree: parsed.tree,
        date: parsed.submittedDate,
      },
      asking: asking ?? undefined,
      certified: null,
      headers: parsed.headers ?? [],
      attachments: [],
      tags: [],
      metadata: {},
      sendAt: null,
      messageId: parsed.submittedMessageId,
      warnings: parsed.warnings,
    },
  };
}

export function rfc822Message({ header, submission }: Rfc822Parts): Rfc822Message {
  const { headerTo, headerCc } = submission;
  const named = [...mailboxesOf(headerTo), ...mailboxesOf(headerCc)];
  function submissionFor(recipient: Mailbox): Submission {
    const key = compareKey(recipient);
    return {
      ...submission,
      recipient: named.find((mailbox) => compareKey(mailbox) === key) ?? recipient,
    };
  }
  return {
    header,
    submissionFor,
    submissionForAll: () =>
      asApiError(() => {
        const to = mailboxesOf(headerTo);
        const cc = mailboxesOf(headerCc);
        const bcc = mailboxesOf(readBlindCopies(header)).map(bare);
        if (to.length + cc.length + bcc.length === 0)
          throw new MailboxError('to', 'empty', 'give at least one address in To, Cc or Bcc');
        refuseTooMany(to.length + cc.length + bcc.length);
        return { ...submission, ...amongSeveral(distinctRecipients(to, cc, bcc)) };
      }),
  };
}

export function readRfc822(raw: Uint8Array): Rfc822Message {
  return rfc822Message(readRfc822Parts(raw));
}
