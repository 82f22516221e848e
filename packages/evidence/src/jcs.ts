import { decodeUtf8, equalBytes, isWellFormed, utf8 } from './bytes.ts';
import { EvidenceError } from './errors.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Levels of arrays and objects; our documents nest four deep. */
export const MAX_JSON_DEPTH = 32;

/**
 * The canonical JSON text. Throws EvidenceError `jcs` for what JSON or I-JSON cannot carry: lone surrogates,
 * non-finite numbers, undefined, functions, class instances, nesting over MAX_JSON_DEPTH. RFC 8785
 */
export function jcs(value: unknown): string {
  return write(value, 0);
}

/** RFC 8785 as UTF-8 bytes. */
export function jcsBytes(value: unknown): Uint8Array {
  return utf8(jcs(value));
}

/**
 * The value of bytes that are exactly their own canonical form, so that equal values have equal bytes and no
 * key stands twice. Throws EvidenceError `check` otherwise.
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

function write(value: unknown, depth: number): string {
  switch (typeof value) {
    case 'string':
      return writeString(value);
    case 'number':
      if (!Number.isFinite(value)) throw new EvidenceError('jcs', 'a number is not finite');
      // ECMAScript's own form is RFC 8785's, minus zero as 0 among it.
      return String(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      return value === null ? 'null' : writeContainer(value, depth + 1);
    default:
      throw new EvidenceError('jcs', `JSON has no ${typeof value}`);
  }
}

/** Most of what we write: hex, base64, times, ids. */
const NEEDS_NO_ESCAPE = /^[ !#-[\]-~]*$/;

function writeString(text: string): string {
  if (NEEDS_NO_ESCAPE.test(text)) return `"${text}"`;
  if (!isWellFormed(text)) throw new EvidenceError('jcs', 'a string has a lone surrogate');
  return JSON.stringify(text);
}

function writeContainer(value: object, depth: number): string {
  if (depth > MAX_JSON_DEPTH) throw new EvidenceError('jcs', `nested deeper than ${MAX_JSON_DEPTH}`);
  if (Array.isArray(value)) return writeArray(value, depth);
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throw new EvidenceError('jcs', 'only plain objects are JSON');
  let out = '';
  // By UTF-16 code units, which is how sort compares. RFC 8785 §3.2.3
  for (const key of Object.keys(value).sort()) {
    out += `${out === '' ? '' : ','}${writeString(key)}:${write((value as Record<string, unknown>)[key], depth)}`;
  }
  return `{${out}}`;
}

function writeArray(values: readonly unknown[], depth: number): string {
  let out = '';
  // By index, for `map` and `forEach` skip the holes of a sparse array.
  for (let i = 0; i < values.length; i++) out += `${i === 0 ? '' : ','}${write(values[i], depth)}`;
  return `[${out}]`;
}
