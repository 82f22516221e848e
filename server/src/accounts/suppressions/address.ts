import { compareKey, MailboxError, parseAddress } from '@acuse/mail/mailbox';
import { apiError } from '../../errors.ts';

export function readAddress(
  text: string,
  code: 'invalid_address' | 'invalid_parameter' = 'invalid_address',
): string {
  try {
    const mailbox = parseAddress(text);
    // Legal, but would suppress nobody.
    if (mailbox.localPart === '*')
      throw apiError(code, 'A suppression list takes addresses, not patterns: give one address.');
    return compareKey(mailbox);
  } catch (error) {
    if (error instanceof MailboxError) throw apiError(code, error.message);
    throw error;
  }
}
