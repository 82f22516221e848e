import { isUtf8 } from 'node:buffer';
import { westernText } from '@acuse/evidence/mime-header';

/**
 * Octets as text, by their named charset, or by a guess if none is named; docs/submitted-messages.md
 * describes it to senders.
 */
export type DecodedText = {
  readonly text: string;
  /** The charset of the octets, as a label for the message that goes out. */
  readonly charset: string;
  /** The label named no charset, and this is what it must have been. */
  readonly guessed: boolean;
};

/** Labels under which mailers send what turns out to be UTF-8. */
const ASCII_LABELS = new Set(['', 'us-ascii', 'ascii', 'ansi_x3.4-1968']);

/**
 * Charsets that exist and that we cannot read: a guess would give other words. In some of them even ASCII
 * characters mean something else.
 */
const UNREADABLE = /^(?:(?:x-|unicode-1-1-)?utf-?7$|utf-?32|iso-2022-|hz-|(?:cp|ibm|dos|ebcdic)-?\d)/;

type Decoder = InstanceType<typeof TextDecoder>;

/** Named in error messages, as given. */
const SHOWN_LABEL_CHARS = 40;

/**
 * UTF-8, else Windows-1252, where the label is absent, ASCII, or names no charset (`unknown-8bit`,
 * `x-unknown`, `default`). `invalid`: octets outside the charset that was named, so that nobody can know what
 * was meant. `unreadable`: a charset that we have no table of.
 */
export function decodeOctets(octets: Uint8Array, given: string): DecodedText | 'invalid' | 'unreadable' {
  const label = cleanLabel(given);
  if (ASCII_LABELS.has(label)) return guess(octets, false);
  const decoder = decoderOf(label) ?? decoderOf(otherSpelling(label));
  // A byte order mark says what the charset has said already; kept, it would be a character of the text.
  if (decoder === null) return UNREADABLE.test(label) ? 'unreadable' : guess(octets, true);
  if (decoder.encoding === 'utf-8' && !isUtf8(octets)) return 'invalid';
  try {
    const decoded = decoder.decode(octets);
    const text = decoder.encoding === 'windows-1252' ? westernText(decoded) : decoded;
    return { text, charset: charsetOf(label, decoder), guessed: false };
  } catch {
    return 'invalid';
  }
}

/** As given where every reader knows it. */
function charsetOf(label: string, decoder: Decoder): string {
  return decoderOf(label) === null ? decoder.encoding : label;
}

/** `iso_8859-1`, `utf_8`, `latin-1`, `cp-1252`, `8859-1`. */
function otherSpelling(label: string): string {
  const dashed = label.replace(/[_ ]/g, '-');
  const [, part] = /^(?:iso-?)?(8859-\d{1,2})$/.exec(dashed) ?? [];
  if (part !== undefined) return `iso-${part}`;
  return /^(?:utf-8|utf8)(?:-sig|mb[34])?$/.test(dashed) ? 'utf-8' : dashed.replace(/^(cp|latin)-/, '$1');
}

/** True for a charset that we read and that is more than ASCII. */
export function namesCharset(given: string): boolean {
  const label = given.trim().toLowerCase();
  return !ASCII_LABELS.has(label) && decoderOf(label) !== null;
}

/** The name as given, for people. */
export function shownLabel(given: string): string {
  return JSON.stringify(given.slice(0, SHOWN_LABEL_CHARS));
}

/** `'utf-8'`, `"utf-8"` inside quotes, `utf-8;`: what programs put around the name. */
function cleanLabel(given: string): string {
  return given
    .trim()
    .toLowerCase()
    .replace(/^['"]+/, '')
    .replace(/['";,]{1,8}$/, '')
    .trim();
}

function decoderOf(label: string): Decoder | null {
  try {
    return new TextDecoder(label, { fatal: true });
  } catch {
    return null;
  }
}

function guess(octets: Uint8Array, isNamed: boolean): DecodedText {
  if (isUtf8(octets)) {
    const text = new TextDecoder('utf-8').decode(octets);
    const isAscii = octets.every((octet) => octet < 0x80);
    return { text, charset: isAscii ? 'us-ascii' : 'utf-8', guessed: isNamed && !isAscii };
  }
  const text = westernText(Buffer.from(octets.buffer, octets.byteOffset, octets.length).toString('latin1'));
  return { text, charset: 'windows-1252', guessed: true };
}
