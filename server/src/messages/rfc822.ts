import { mailboxesOf } from '@acuse/mail/address-list';
import { readBlindCopies } from '@acuse/mail/blind-copies';
import { compareKey, type Mailbox, MailboxError } from '@acuse/mail/mailbox';
import type { HeaderField } from '@acuse/mail/mime-tree';
import { parseMessage } from '@acuse/mail/parse';
import { asApiError } from '../input-errors.ts';
import { amongSeveral, bare, distinctRecipients, refuseTooMany } from './recipients.ts';
import type { Submission } from './submission.ts';

/** A message/rfc822 that was read: one submission for each recipient that the envelope names. */
export interface Rfc822Message {
  /** Its header as submitted. */
  readonly header: readonly HeaderField[];
  /** For a recipient of the envelope, with the display name that To or Cc has for it. */
  submissionFor(recipient: Mailbox): Submission;
  /** For every mailbox in To, Cc and Bcc. Throws invalid_address. */
  submissionForAll(): Submission;
}

/** A message/rfc822 as read, for whomever it is. */
export interface Rfc822Parts {
  readonly header: readonly HeaderField[];
  readonly submission: Omit<Submission, 'recipient'>;
}

/**
 * Reads a message/rfc822: exactly one From mailbox; what was parsed is what is composed, signed and sent. It
 * carries no override of certified. Throws invalid_body, invalid_address, payload_too_large.
 */
export function readRfc822Parts(raw: Uint8Array): Rfc822Parts {
  const parsed = asApiError(() => parseMessage(raw));
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
