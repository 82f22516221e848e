import { type AddressItem, isGroup, mailboxesOf } from '@acuse/mail/address-list';
import { compareKey, type Mailbox, MailboxError } from '@acuse/mail/mailbox';
import type { HeaderField } from '@acuse/mail/mime-tree';
import { parseMessage } from '@acuse/mail/parse';
import { asApiError } from '../input-errors.ts';
import type { Submission } from './submission.ts';

/** A message/rfc822 that was read: one submission for each recipient that the envelope names. */
export interface Rfc822Message {
  /** Its header as submitted. */
  readonly header: readonly HeaderField[];
  /** For a recipient of the envelope, with the display name that To or Cc has for it. */
  submissionFor(recipient: Mailbox): Submission;
  /** For the one mailbox in To. Throws invalid_address where To or Cc name more. */
  submissionForTo(): Submission;
}

const ONE_EACH = 'a message goes to one recipient, in To: send one message per recipient';

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
      messageId: parsed.submittedMessageId,
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
    submissionForTo: () => submissionFor(asApiError(() => onlyRecipient(headerTo, headerCc))),
  };
}

export function readRfc822(raw: Uint8Array): Rfc822Message {
  return rfc822Message(readRfc822Parts(raw));
}

function onlyRecipient(headerTo: readonly AddressItem[], headerCc: readonly AddressItem[]): Mailbox {
  const [only, ...others] = headerTo;
  if (only === undefined) throw new MailboxError('to', 'empty', 'give exactly one mailbox');
  if (isGroup(only) || others.length > 0) throw new MailboxError('to', 'list', ONE_EACH);
  if (headerCc.length > 0) throw new MailboxError('cc', 'list', ONE_EACH);
  return only;
}
