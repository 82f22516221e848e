/** Strict readers: unknown fields are refused. */
import type { Opening } from './commitment.ts';
import { EvidenceError } from './errors.ts';
import type { Json } from './jcs.ts';

export type JsonObject = { readonly [key: string]: Json };

export const HEX_32_BYTES = /^[0-9a-f]{64}$/;
export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** RFC 3339, UTC, milliseconds. */
export const TIME =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** A time of the calendar, which has no 30 February and no year 0. */
export function readTime(value: Json | undefined, check: string, name: string): string {
  const text = readString(value, check, name, TIME);
  if (text.startsWith('0000') || new Date(text).toISOString() !== text)
    throw new EvidenceError(check, `${name} is not a time`);
  return text;
}

/** `required` and, of `optional`, any: no other key. */
export function readObject(
  value: Json | undefined,
  check: string,
  required: readonly string[],
  optional: readonly string[] = [],
): JsonObject {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new EvidenceError(check, 'an object is missing');
  const missing = required.find((key) => !Object.hasOwn(value, key));
  if (missing !== undefined) throw new EvidenceError(check, `${missing} is missing`);
  const unknown = Object.keys(value).find((key) => !required.includes(key) && !optional.includes(key));
  if (unknown !== undefined)
    throw new EvidenceError(check, `has the unknown field ${JSON.stringify(unknown.slice(0, 40))}`);
  return value as JsonObject;
}

export function readString(value: Json | undefined, check: string, name: string, shape = /^/): string {
  if (typeof value !== 'string' || !shape.test(value)) throw new EvidenceError(check, `${name} is malformed`);
  return value;
}

export function readNullable<T>(value: Json | undefined, read: (value: Json) => T): T | null {
  return value === null || value === undefined ? null : read(value);
}

export function readInteger(value: Json | undefined, check: string, name: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new EvidenceError(check, `${name} is not a whole number`);
  return value;
}

export function readBoolean(value: Json | undefined, check: string, name: string): boolean {
  if (typeof value !== 'boolean') throw new EvidenceError(check, `${name} is not true or false`);
  return value;
}

export function readArray(
  value: Json | undefined,
  check: string,
  name: string,
  max: number,
): readonly Json[] {
  if (!Array.isArray(value) || value.length > max)
    throw new EvidenceError(check, `${name} is not a list of at most ${max}`);
  return value as readonly Json[];
}

export function readOneOf<T extends string>(
  value: Json | undefined,
  check: string,
  name: string,
  allowed: readonly T[],
): T {
  if (!(allowed as readonly (Json | undefined)[]).includes(value))
    throw new EvidenceError(check, `${name} is none of ${allowed.join(', ')}`);
  return value as T;
}

/** `{salt, sha256}` and no other fields. */
export function readOpening(value: Json | undefined, check: string): Opening {
  return readOpeningFields(readObject(value, check, ['salt', 'sha256']), check);
}

export function readOpeningFields(object: JsonObject, check: string): Opening {
  return {
    salt: readString(object['salt'], check, 'salt', HEX_32_BYTES),
    sha256: readString(object['sha256'], check, 'sha256', HEX_32_BYTES),
  };
}
