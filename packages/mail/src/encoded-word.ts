import { LINE_WRAP_CHARS } from './limits.ts';

/** Characters of one encoded-word. RFC 2047 §2 */
const ENCODED_WORD_MAX_CHARS = 75;
const FRAME_CHARS = '=?UTF-8?Q??='.length;

/** Stands for itself in a Q word anywhere, inside a phrase too. RFC 2047 §5 (3) */
const Q_LITERAL = /[A-Za-z0-9!*+/-]/;

/**
 * Text as encoded-words, Q or B, whichever is shorter, each a whole number of characters, to be joined by a
 * fold or a space. The first fits on a line after `firstColumn` characters (at most 48), the others on lines
 * of their own after one space. Empty text gives no words. RFC 2047 §2
 */
export function encodedWords(text: string, firstColumn: number): string[] {
  const encode = isShorterInQ(text) ? splitQ : splitB;
  return encode(text, payloadRoom(firstColumn), payloadRoom(1));
}

function payloadRoom(column: number): number {
  return Math.min(ENCODED_WORD_MAX_CHARS, LINE_WRAP_CHARS - column) - FRAME_CHARS;
}

function isShorterInQ(text: string): boolean {
  const bytes = Buffer.from(text);
  let escaped = 0;
  for (const byte of bytes) if (!isQLiteral(byte)) escaped++;
  return bytes.length + 2 * escaped <= Math.ceil(bytes.length / 3) * 4;
}

function isQLiteral(byte: number): boolean {
  return byte === 0x20 || (byte < 0x80 && Q_LITERAL.test(String.fromCharCode(byte)));
}

function splitQ(text: string, firstRoom: number, room: number): string[] {
  const words: string[] = [];
  let payload = '';
  for (const char of text) {
    const encoded = encodeQ(char);
    if (payload.length + encoded.length > (words.length === 0 ? firstRoom : room)) {
      words.push(`=?UTF-8?Q?${payload}?=`);
      payload = '';
    }
    payload += encoded;
  }
  if (payload !== '') words.push(`=?UTF-8?Q?${payload}?=`);
  return words;
}

function encodeQ(char: string): string {
  if (char === ' ') return '_';
  if (Q_LITERAL.test(char)) return char;
  let encoded = '';
  for (const byte of Buffer.from(char)) encoded += `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  return encoded;
}

function splitB(text: string, firstRoom: number, room: number): string[] {
  const words: string[] = [];
  let chunk = '';
  let chunkBytes = 0;
  for (const char of text) {
    const charBytes = Buffer.byteLength(char);
    const chars = Math.ceil((chunkBytes + charBytes) / 3) * 4;
    if (chars > (words.length === 0 ? firstRoom : room)) {
      words.push(`=?UTF-8?B?${Buffer.from(chunk).toString('base64')}?=`);
      chunk = '';
      chunkBytes = 0;
    }
    chunk += char;
    chunkBytes += charBytes;
  }
  if (chunk !== '') words.push(`=?UTF-8?B?${Buffer.from(chunk).toString('base64')}?=`);
  return words;
}
