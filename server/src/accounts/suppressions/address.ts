import { compareKey, MailboxError, parseAddress } from '@acuse/mail/mailbox';
import { apiError } from '../../errors.ts';

/** An address as suppression lists compare it. Throws invalid_address, or the code that is given. */
export function readAddress(
  text: string,
  code: 'invalid_address' | 'invalid_parameter' = 'invalid_address',
): string {
  try {
    const mailbox = parseAddress(text);
    // A legal local part, and never what was meant: it would suppress nobody.
    if (mailbox.localPart === '*')
      throw apiError(code, 'A suppression list takes addresses, not patterns: give one address.');
    return compareKey(mailbox);
  } catch (error) {
    if (error instanceof MailboxError) throw apiError(code, error.message);
    throw error;
  }
}
