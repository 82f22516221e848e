/** Bodies of requests, made once: every attempt sends the same bytes. */
import { ConfigurationError } from './errors.ts';

/** Leaves out undefined values. Throws ConfigurationError for a value that JSON cannot express. */
export function jsonBody(value: object): Uint8Array {
  return new TextEncoder().encode(jsonText(value));
}

export function jsonText(value: object): string {
  if (typeof value !== 'object' || value === null)
    throw new ConfigurationError('The body of a request is an object.');
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new ConfigurationError('The request cannot be written as JSON.', {}, { cause });
  }
}

/** Text as UTF-8, bytes as they are. */
export function rawBody(value: string | Uint8Array): Uint8Array {
  if (typeof value === 'string') return new TextEncoder().encode(value);
  if (value instanceof Uint8Array) return value;
  throw new ConfigurationError('The body of this request is a string or a Uint8Array.');
}
