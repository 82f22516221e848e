import { compareKey, MailboxError, parseAddress } from '@acuse/mail/mailbox';
import { asApiError } from '../../input-errors.ts';

export interface EmailAddress {
  /** As it is written to. */
  readonly address: string;
  /** What two spellings of it share. */
  readonly key: string;
}

/** Throws invalid_address. */
export function readEmail(text: string): EmailAddress {
  const mailbox = asApiError(() => parseAddress(text, 'email'));
  return { address: mailbox.address, key: compareKey(mailbox) };
}

/** What somebody who signs in is looked up by; of what is no address it is of nobody. */
export function emailKeyOf(text: string): string {
  try {
    return compareKey(parseAddress(text, 'email'));
  } catch (error) {
    if (!(error instanceof MailboxError)) throw error;
    return text.trim().toLowerCase();
  }
}
