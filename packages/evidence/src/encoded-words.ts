/**
 * The one reader of encoded-words in header fields: for what is submitted, and for what people are shown.
 * File names in evidence are read as the format has them, which hashes rest on (mime-header.ts).
 */
import { concat } from './bytes.ts';
import { decodeBase64, textDecoder } from './mime-header.ts';

/** Octets that neighbouring words of one charset spell, as text. Throws what its caller catches. */
export type DecodeWord = (octets: Uint8Array, charset: string) => string;

/** Spaces inside a Q word are not allowed, and frequent. RFC 2047 §2 */
const WORD = /=\?([^?*\s]+)(?:\*[^?\s]*)?\?(?:([Bb])\?([^?\s]*)|([Qq])\?([^?\r\n]*))\?=/g;
const BLANK = /^[ \t\r\n]*$/;

type Word = { charset: string; isBase64: boolean; body: string };
type Run = { charset: string; words: Word[] };

/**
 * White space between words is not shown, and neighbours of one charset are decoded together: programs cut
 * where the line ends, in the middle of a character too. RFC 2047 §6.2
 */
export function readEncodedWords(text: string, decode: DecodeWord = decodeForDisplay): string {
  if (!text.includes('=?')) return text;
  let out = '';
  let run: Run | null = null;
  let end = 0;
  for (const match of text.matchAll(WORD)) {
    const between = text.slice(end, match.index);
    const isNeighbour = run !== null && BLANK.test(between);
    const word = wordOf(match);
    if (run === null || !isNeighbour || run.charset !== word.charset) {
      if (run !== null) out += decodeRun(run, decode);
      if (!isNeighbour) out += between;
      run = { charset: word.charset, words: [] };
    }
    run.words.push(word);
    end = match.index + match[0].length;
  }
  if (run !== null) out += decodeRun(run, decode);
  return out + text.slice(end);
}

function wordOf(match: RegExpMatchArray): Word {
  const [, charset, base64, b = '', , q = ''] = match;
  const isBase64 = base64 !== undefined;
  return { charset: charset!.toLowerCase(), isBase64, body: isBase64 ? b : q };
}

function decodeRun({ charset, words }: Run, decode: DecodeWord): string {
  const pieces: Uint8Array[] = [];
  let base64 = '';
  for (const [at, { isBase64, body }] of words.entries()) {
    if (!isBase64) {
      pieces.push(decodeQ(body));
      continue;
    }
    base64 += body;
    // Cut in the middle of a group of four, which the next word ends.
    const goesOn = base64.length % 4 !== 0 && !base64.endsWith('=') && words[at + 1]?.isBase64 === true;
    if (goesOn) continue;
    pieces.push(decodeBase64(new TextEncoder().encode(base64)));
    base64 = '';
  }
  const octets = concat(...pieces);
  return decode(charset.startsWith('iso-2022-') ? withoutIdleEscapes(octets) : octets, charset);
}

const ESCAPE = 0x1b;

/**
 * Each word begins and ends in ASCII, so that the escape to it is followed at once by the next word's escape:
 * decoders of the Encoding Standard take that for an attack. RFC 2047 §3
 */
function withoutIdleEscapes(octets: Uint8Array): Uint8Array {
  const isIdle = (at: number) =>
    octets[at] === ESCAPE &&
    octets[at + 1] === 0x28 &&
    (octets[at + 2] === 0x42 || octets[at + 2] === 0x4a) &&
    octets[at + 3] === ESCAPE;
  const kept: number[] = [];
  for (let at = 0; at < octets.length; at++) {
    if (isIdle(at)) at += 2;
    else kept.push(octets[at]!);
  }
  return Uint8Array.from(kept);
}

/**
 * No line ends and no white space to drop, unlike in a body: a space at a word's end counts. RFC 2047 §4.2
 */
function decodeQ(body: string): Uint8Array {
  const octets = new TextEncoder().encode(body);
  const out = new Uint8Array(octets.length);
  let at = 0;
  for (let i = 0; i < octets.length; i++) {
    const octet = octets[i]!;
    const escaped = octet === 0x3d ? hexPair(octets[i + 1], octets[i + 2]) : -1;
    if (escaped >= 0) i += 2;
    out[at++] = escaped >= 0 ? escaped : octet === 0x5f ? 0x20 : octet;
  }
  return out.subarray(0, at);
}

function hexPair(high: number | undefined, low: number | undefined): number {
  if (high === undefined || low === undefined) return -1;
  const text = String.fromCharCode(high, low);
  return /^[0-9A-Fa-f]{2}$/.test(text) ? Number.parseInt(text, 16) : -1;
}

/** By the Encoding Standard's labels; an unknown label as UTF-8. */
function decodeForDisplay(octets: Uint8Array, charset: string): string {
  return (textDecoder(charset) ?? new TextDecoder('utf-8', { ignoreBOM: true })).decode(octets);
}
