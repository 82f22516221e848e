// Shared by the writers of all languages: how a value is laid out, and how a text becomes a literal.

/** Characters of a line that is not broken. */
const LINE_MAX_CHARS = 72;

/** A value that a language has no literal for: the call is then not shown in it. */
export class Unwritable extends Error {}

/**
 * Items between brackets: on one line while it is short, else an item a line.
 * @param {[string, string]} brackets
 * @param {(indent: string) => string[]} parts written for the indent of a line of their own
 * @param {{indent: string, unit: string, spaced?: boolean, trailing?: boolean}} how
 */
export function bracketed([open, close], parts, { indent, unit, spaced = false, trailing = true }) {
  const inner = `${indent}${unit}`;
  const items = parts(inner);
  if (items.length === 0) return `${open}${close}`;
  const space = spaced ? ' ' : '';
  const line = `${open}${space}${items.join(', ')}${space}${close}`;
  if (line.length <= LINE_MAX_CHARS && !line.includes('\n')) return line;
  const lines = items.map((item, at) => `${inner}${item}${trailing || at < items.length - 1 ? ',' : ''}\n`);
  return `${open}\n${lines.join('')}${indent}${close}`;
}

/** True for what JSON calls an object. */
export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Characters that nobody sees in code: controls, bidirectional, zero-width; halves of a surrogate pair. */
const UNSEEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\p{Cs}/gu;

/**
 * A text between its quotes. `escapes`: character → escape; `unseen` writes that of a code point that has
 * none there. A half of a surrogate pair, which is no text, becomes U+FFFD.
 */
export function escaped(text, escapes, unseen) {
  return text
    .replace(/[\\"'`$#]/g, (sign) => escapes[sign] ?? sign)
    .replace(UNSEEN, (sign) => {
      const code = sign.codePointAt(0);
      if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
      return escapes[sign] ?? unseen(code);
    });
}

export const hex = (code, digits) => code.toString(16).padStart(digits, '0');

/** `\u00ad` */
export const unicodeEscape = (code) => `\\u${hex(code, 4)}`;

/** Escapes that most languages have. */
export const COMMON = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A block with its lines one level in. */
export function indented(text, unit) {
  return text.replace(/^(?=.)/gm, unit);
}

export const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const capital = (name) => name[0].toUpperCase() + name.slice(1);
export const camel = (name) => name.replace(/[-_](\w)/g, (_, letter) => letter.toUpperCase());

/** A call: on one line while it is short or an argument has lines of its own, else an argument a line. */
export function called(name, values, { unit, trailing = true, empty = '()' }) {
  if (values.length === 0) return name + empty;
  const plain = `${name}(${values.join(', ')})`;
  if (plain.length <= LINE_MAX_CHARS || plain.includes('\n') || values.length === 1) return plain;
  return name + bracketed(['(', ')'], () => values, { indent: '', unit, trailing });
}
