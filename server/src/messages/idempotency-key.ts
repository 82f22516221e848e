import { apiError } from '../errors.ts';

export const IDEMPOTENCY_KEY_MAX_CHARS = 255;
const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

export function readIdempotencyKey(given: string | string[] | undefined): string {
  if (given === undefined || given === '') throw apiError('missing_idempotency_key');
  if (typeof given !== 'string' || given.length > IDEMPOTENCY_KEY_MAX_CHARS || !PRINTABLE_ASCII.test(given))
    throw apiError('invalid_idempotency_key');
  return given;
}
