import { type DecodeWord, readEncodedWords } from '@acuse/evidence/encoded-words';
import { decodeOctets, shownLabel } from './charset.ts';
import { MailInputError } from './input-error.ts';
import type { Warnings } from './warning.ts';

/** The encoded-words of a submitted field as text. Throws MailInputError. */
export type ReadWords = (run: string) => string;

/**
 * The reader of one field. An unknown charset is guessed, with a warning; octets outside the named charset
 * are refused, because nobody can know what they mean. RFC 2047 §6.2
 */
export function wordsOf(field: string, warnings: Warnings): ReadWords {
  const decode: DecodeWord = (octets, label) => {
    const decoded = decodeOctets(octets, label);
    if (decoded === 'invalid') {
      const fix = `an encoded-word is not valid in its charset, ${shownLabel(label)}: name the one that it is in`;
      throw new MailInputError('body', field, 'text_encoding', fix);
    }
    if (decoded === 'unreadable') {
      const fix = `the charset ${shownLabel(label)} of an encoded-word cannot be read: use UTF-8`;
      throw new MailInputError('body', field, 'charset', fix);
    }
    if (decoded.guessed) {
      const message = `${shownLabel(label)} in ${field} is not a charset; the text was taken as ${decoded.charset}: use UTF-8.`;
      warnings.add({ code: 'charset_guessed', field, message });
    }
    return decoded.text;
  };
  return (run) => readEncodedWords(run, decode);
}

/**
 * A text given as text that is nothing but encoded-words: a program encoded it before, and nobody is called
 * so. As it is where it cannot be decoded.
 */
export function readWhollyEncoded(text: string): string {
  if (!text.includes('=?')) return text;
  const words = text.trim().split(/\s+/);
  if (!words.every((word) => ONE_WORD.test(word))) return text;
  let isSound = true;
  const read = readEncodedWords(text.trim(), (octets, label) => {
    const decoded = decodeOctets(octets, label);
    if (typeof decoded !== 'string' && !decoded.guessed) return decoded.text;
    isSound = false;
    return '';
  });
  return isSound ? read : text;
}

const ONE_WORD = /^=\?[^\s?]+\?[bq]\?[^\s?]+\?=$/i;

/** Decodes a name for display only: never refused, and without U+FFFD. */
export function shownWords(text: string): string {
  return readEncodedWords(text, (octets, label) => {
    const decoded = decodeOctets(octets, label);
    if (typeof decoded !== 'string') return decoded.text;
    const guessed = decodeOctets(octets, '');
    return typeof guessed === 'string' ? '' : guessed.text;
  });
}
