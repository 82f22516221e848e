import { TokenScan } from './token-scan.ts';
import { tokenOf } from './verp.ts';

/**
 * Keeps the token of a return path out of everything that is shown. Whoever has the token can write reports
 * about the message, and a transcript is shown to many; servers repeat the address in their answers, in
 * spellings of their own. Time linear in the text.
 */

/** Put in place of a token; too short to be one. */
export const HIDDEN = 'redacted';

/**
 * Length of a token's pieces that are searched for: 40 of its bits, which nothing else has by chance.
 * Searched at every eighth character of a text, so that any 15 characters of a token are found at almost no
 * cost.
 */
const GRAM_CHARS = 8;
const PIECE_CHARS = 2 * GRAM_CHARS - 1;
/** Examined as one word. Brackets, quotes and commas end it, so that little besides the token is lost. */
const WORD = new RegExp(`[^\\s<>()[\\]{}"',;]{${PIECE_CHARS},}`, 'g');
const RUN = new RegExp(`[a-z2-7]{${PIECE_CHARS},}`, 'gi');
const ENCODED_OCTET = /[%+=]([0-9a-f]{2})/gi;
/** A piece in hex or base64. */
const HEX_RUN = new RegExp(`[0-9a-f]{${2 * PIECE_CHARS},}`, 'gi');
const BASE64_RUN = new RegExp(`[a-z0-9+/_-]{${Math.ceil((PIECE_CHARS * 4) / 3)},}`, 'gi');

export class TokenHider {
  readonly #scan = new TokenScan();
  readonly #tokens: string[] = [];
  #latest = '';
  /** Each run of GRAM_CHARS characters of a token; made when a text needs a closer search. */
  readonly #grams = new Set<string>();
  #cut = 0;

  /** Hides the token of this address from now on, if it has one. */
  add(address: string): void {
    const token = tokenOf(address);
    if (token === null || token === this.#latest) return;
    this.#tokens.push(token);
    this.#latest = token;
    this.#scan.add(token);
  }

  /** For a line of our own, which holds the token in use as it is and no other. */
  hideLatest(text: string): string {
    return this.#latest === '' ? text : text.replaceAll(this.#latest, HIDDEN);
  }

  /** The text without any token: as it is, in capitals, split, quoted, in xtext, per cent, hex or base64. */
  hide(text: string): string {
    if (this.#latest === '' || text.length < PIECE_CHARS) return text;
    // The token in use, unchanged: the usual case.
    const rest = text.includes(this.#latest) ? text.replaceAll(this.#latest, HIDDEN) : text;
    return this.#scan.mayHold(rest) ? this.#hideClosely(rest) : rest;
  }

  #hideClosely(text: string): string {
    this.#cutTokens();
    const hidden = text.replace(WORD, (word) => this.#hideIn(word));
    // Spelled out over several words: nothing of the text is worth that.
    return this.#holds(letters(hidden)) ? HIDDEN : hidden;
  }

  #cutTokens(): void {
    for (const token of this.#tokens.slice(this.#cut))
      for (let at = 0; at + GRAM_CHARS <= token.length; at++)
        this.#grams.add(token.slice(at, at + GRAM_CHARS));
    this.#cut = this.#tokens.length;
  }

  /**
   * The same over the lines of a mail, which need not be text; returns its argument when there is nothing to
   * hide.
   */
  hideInMail(bytes: Uint8Array): Uint8Array {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    const lines = text.split('\n');
    const shown = lines.map((line) =>
      line.endsWith('\r') ? `${this.hide(line.slice(0, -1))}\r` : this.hide(line),
    );
    return shown.every((line, at) => line === lines[at]) ? bytes : Buffer.from(shown.join('\n'), 'latin1');
  }

  /**
   * Takes out the token alone where it stands as it is, in whatever case, whole or cut off; else the whole
   * word.
   */
  #hideIn(word: string): string {
    const plain = word.replace(RUN, (run) => (this.#holds(run.toLowerCase()) ? HIDDEN : run));
    return this.#tells(plain) ? HIDDEN : plain;
  }

  /** True if the word, decoded in any of the ways that servers write addresses, holds a piece of a token. */
  #tells(word: string): boolean {
    if (this.#holds(letters(word))) return true;
    const octets = word.replace(ENCODED_OCTET, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (octets !== word && this.#holds(letters(octets))) return true;
    const decoded = (text: string, encoding: 'hex' | 'base64') =>
      letters(Buffer.from(text, encoding).toString('latin1'));
    // A line of base64 need not begin where a group of four does, nor hex with the first half of an octet.
    return (
      (word.match(HEX_RUN) ?? []).some((run) =>
        [0, 1].some((from) => this.#holds(decoded(run.slice(from), 'hex'))),
      ) ||
      (word.match(BASE64_RUN) ?? []).some((run) =>
        [0, 1, 2, 3].some((from) => this.#holds(decoded(run.slice(from), 'base64'))),
      )
    );
  }

  #holds(text: string): boolean {
    for (let at = 0; at + GRAM_CHARS <= text.length; at += GRAM_CHARS)
      if (this.#grams.has(text.slice(at, at + GRAM_CHARS))) return true;
    return false;
  }
}

/** The characters of a text that can be part of a token: quoting or dots between them do not hide it. */
function letters(text: string): string {
  return text.toLowerCase().replace(/[^a-z2-7]+/g, '');
}

/** The address with its token hidden; any other address as it is. */
export function hideToken(address: string): string {
  const token = tokenOf(address);
  if (token === null) return address;
  const at = address.toLowerCase().indexOf(token);
  return `${address.slice(0, at)}${HIDDEN}${address.slice(at + token.length)}`;
}
