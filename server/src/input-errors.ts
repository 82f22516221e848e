import { EvidenceError } from '@acuse/evidence/errors';
import { MailInputError } from '@acuse/mail/input-error';
import { apiError } from './errors.ts';

export function asApiError<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof EvidenceError)
      throw apiError('invalid_body', `The body contains what JSON text cannot carry: ${error.detail}.`, {
        cause: error,
      });
    if (!(error instanceof MailInputError)) throw error;
    const code =
      error.about === 'address'
        ? 'invalid_address'
        : error.about === 'size'
          ? 'payload_too_large'
          : 'invalid_body';
    throw apiError(code, `${error.message}.`, { cause: error });
  }
}
