/** Idempotency keys. */
import { ConfigurationError } from './errors.ts';

/** `auto_` and a UUIDv4: made once per call, so that all its attempts are one send. */
export function newIdempotencyKey(): string {
  return `auto_${globalThis.crypto.randomUUID()}`;
}

/** The key, or a new one. Throws ConfigurationError for what the API would refuse. */
export function readIdempotencyKey(key: string | undefined): string {
  if (key === undefined) return newIdempotencyKey();
  if (typeof key !== 'string' || !/^[ -~]{1,255}$/.test(key))
    throw new ConfigurationError(
      'An idempotency key is 1 to 255 printable ASCII characters: use a UUID or an id of your own.',
    );
  return key;
}
