import canonicalize from 'canonicalize';
import { decodeUtf8, equalBytes, isWellFormed, utf8 } from './bytes.ts';
import { EvidenceError } from './errors.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Levels of arrays and objects; our documents nest four deep. */
export const MAX_JSON_DEPTH = 32;

/**
 * The canonical JSON text. Throws EvidenceError `jcs` for what JSON or I-JSON cannot carry: lone surrogates, non-finite
 * numbers, undefined, functions, class instances, nesting over MAX_JSON_DEPTH. RFC 8785
 */
export function jcs(value: unknown): string {
  assertJson(value, 0);
  return canonicalize(value) as string;
}

/** RFC 8785 as UTF-8 bytes. */
export function jcsBytes(value: unknown): Uint8Array {
  return utf8(jcs(value));
}

/**
 * The value of bytes that are exactly their own canonical form, so that equal values have equal bytes and no key stands
 * twice. Throws EvidenceError `check` otherwise.
 */
export function parseCanonical(bytes: Uint8Array, check: string): Json {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new EvidenceError(check, 'not UTF-8');
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (cause) {
    throw new EvidenceError(check, 'not JSON', { cause });
  }
  let canonical: Uint8Array;
  try {
    canonical = jcsBytes(value);
  } catch (cause) {
    throw new EvidenceError(check, 'not canonical JSON (RFC 8785)', { cause });
  }
  if (!equalBytes(canonical, bytes)) throw new EvidenceError(check, 'not in canonical form (RFC 8785)');
  return value;
}

function assertJson(value: unknown, depth: number): void {
  switch (typeof value) {
    case 'string':
      if (!isWellFormed(value)) throw new EvidenceError('jcs', 'a string has a lone surrogate');
      return;
    case 'number':
      if (!Number.isFinite(value)) throw new EvidenceError('jcs', 'a number is not finite');
      return;
    case 'boolean':
      return;
    case 'object':
      if (value !== null) assertContainer(value, depth + 1);
      return;
    default:
      throw new EvidenceError('jcs', `JSON has no ${typeof value}`);
  }
}

function assertContainer(value: object, depth: number): void {
  if (depth > MAX_JSON_DEPTH) throw new EvidenceError('jcs', `nested deeper than ${MAX_JSON_DEPTH}`);
  if (Array.isArray(value)) {
    // By index, for `every` and `forEach` skip the holes of a sparse array.
    for (let i = 0; i < value.length; i++) assertJson(value[i], depth);
    return;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throw new EvidenceError('jcs', 'only plain objects are JSON');
  for (const key in value) {
    assertJson(key, depth);
    assertJson((value as Record<string, unknown>)[key], depth);
  }
}
