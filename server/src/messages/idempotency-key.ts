import { apiError } from '../errors.ts';

const PRINTABLE_ASCII = /^[\x20-\x7e]{1,255}$/;

/** 1 to 255 printable ASCII characters. Throws missing_idempotency_key, invalid_idempotency_key. */
export function readIdempotencyKey(given: string | string[] | undefined): string {
  if (given === undefined || given === '') throw apiError('missing_idempotency_key');
  if (typeof given !== 'string' || !PRINTABLE_ASCII.test(given)) throw apiError('invalid_idempotency_key');
  return given;
}
