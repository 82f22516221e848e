import { compareKey, MailboxError, parseAddress } from '@acuse/mail/mailbox';
import { asApiError } from '../../input-errors.ts';

export interface EmailAddress {
  readonly address: string;
  /** The same for two spellings of one address. */
  readonly key: string;
}

export function readEmail(text: string): EmailAddress {
  const mailbox = asApiError(() => parseAddress(text, 'email'));
  return { address: mailbox.address, key: compareKey(mailbox) };
}

/** The key to look up a person who signs in; a text that is not an address finds nobody. */
export function emailKeyOf(text: string): string {
  try {
    return compareKey(parseAddress(text, 'email'));
  } catch (error) {
    if (!(error instanceof MailboxError)) throw error;
    return text.trim().toLowerCase();
  }
}
