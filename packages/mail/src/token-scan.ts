/**
 * Says fast that a text holds no piece of a token, so that only the few lines that may hold one are looked at
 * closely. One pass over the characters, nothing allocated; hex and base64 are undone in passing. It errs on
 * one side: a text that it lets pass has no 15 characters of a token in a row, in any of the spellings that
 * TokenHider knows.
 */

/**
 * Letters of a token that are looked for: the last six, 30 bits, of each eight. So any 15 in a row hold such
 * a gram, and a text holds one by chance once in 100 million letters.
 */
const STRIDE = 8;
const GRAM_BITS = 2 ** 30 - 1;
/**
 * Places for grams at first, twice as many once they are half full: of all that a text has, few meet a gram
 * there, even on a session that has carried a hundred messages. 8 KiB for each session.
 */
const PLACES = 2 ** 11;
/** The shortest run of 15 characters of a token in hex and in base64. */
const MIN_HEX_CHARS = 30;
const MIN_BASE64_CHARS = 20;

const tableOf = (alphabet: string, also: Readonly<Record<string, number>> = {}): Int8Array => {
  const table = new Int8Array(256).fill(-1);
  for (const [value, char] of [...alphabet].entries()) table[char.charCodeAt(0)] = value;
  for (const [char, value] of Object.entries(also)) table[char.charCodeAt(0)] = value;
  return table;
};
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LOWER = UPPER.toLowerCase();
const inCapitals = (first: number) => Object.fromEntries([...UPPER].map((char, at) => [char, first + at]));
/** RFC 4648 §6, in either case. */
const BASE32 = tableOf(`${LOWER}234567`, inCapitals(0));
/** RFC 4648 §4 and §5. */
const BASE64 = tableOf(`${UPPER}${LOWER}0123456789+/`, { '-': 62, _: 63 });
const HEX = tableOf('0123456789abcdef', { A: 10, B: 11, C: 12, D: 13, E: 14, F: 15 });
/** The classes of a character. One look at a table for each character is most of what a scan costs. */
const LETTER = 1;
const IN_BASE64 = 2;
/** `%`, `+` and `=` in front of an octet in hex. */
const ESCAPE = 4;
const KINDS = Uint8Array.from(
  BASE32,
  (value, code) =>
    (value < 0 ? 0 : LETTER) |
    (BASE64[code]! < 0 ? 0 : IN_BASE64) |
    ('%+='.includes(String.fromCharCode(code)) ? ESCAPE : 0),
);

export class TokenScan {
  /** Grams + 1, each at the place that its last bits name or the next free one; 0: free. */
  #places = new Int32Array(PLACES);
  #grams = 0;

  add(token: string): void {
    let gram = 0;
    for (let at = 0; at < token.length; at++) {
      gram = (gram << 5) | BASE32[token.charCodeAt(at)]!;
      if ((at + 1) % STRIDE !== 0) continue;
      if (this.#grams * 2 >= this.#places.length) this.#grow();
      this.#put((gram & GRAM_BITS) + 1);
    }
  }

  #put(entry: number): void {
    const places = this.#places;
    const last = places.length - 1;
    let at = (entry - 1) & last;
    while (places[at] !== 0 && places[at] !== entry) at = (at + 1) & last;
    if (places[at] === 0) this.#grams++;
    places[at] = entry;
  }

  #grow(): void {
    const grown = this.#places;
    this.#places = new Int32Array(grown.length * 2);
    this.#grams = 0;
    for (const entry of grown) if (entry !== 0) this.#put(entry);
  }

  /** False only if nothing is to be hidden. */
  mayHold(text: string): boolean {
    let letters = 0;
    let kinds = 0;
    let runFrom = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      // Some letters beyond Latin-1 are in lower case what ASCII has: the Kelvin sign.
      if (code > 0xff) return true;
      const kind = KINDS[code]!;
      kinds |= kind;
      if ((kind & LETTER) !== 0) {
        letters = (letters << 5) | BASE32[code]!;
        if (this.#isGram(letters)) return true;
      }
      if ((kind & IN_BASE64) !== 0) continue;
      if (at - runFrom >= MIN_BASE64_CHARS && this.#holdsEncoded(text, runFrom, at)) return true;
      runFrom = at + 1;
    }
    const isLong = text.length - runFrom >= MIN_BASE64_CHARS;
    if (isLong && this.#holdsEncoded(text, runFrom, text.length)) return true;
    return (kinds & ESCAPE) !== 0 && this.#holdsEscaped(text);
  }

  #isGram(letters: number): boolean {
    const places = this.#places;
    const last = places.length - 1;
    const entry = (letters & GRAM_BITS) + 1;
    for (let at = letters & last; places[at] !== 0; at = (at + 1) & last)
      if (places[at] === entry) return true;
    return false;
  }

  #holdsEscaped(text: string): boolean {
    let letters = 0;
    for (let at = 0; at < text.length; at++) {
      let octet = text.charCodeAt(at);
      if ((KINDS[octet]! & ESCAPE) !== 0) {
        const high = HEX[text.charCodeAt(at + 1)] ?? -1;
        const low = HEX[text.charCodeAt(at + 2)] ?? -1;
        if (high >= 0 && low >= 0) {
          octet = high * 16 + low;
          at += 2;
        }
      }
      if (BASE32[octet]! < 0) continue;
      letters = (letters << 5) | BASE32[octet]!;
      if (this.#isGram(letters)) return true;
    }
    return false;
  }

  /** Base64 need not begin where a group of four does, nor hex with the first half of an octet. */
  #holdsEncoded(text: string, from: number, to: number): boolean {
    for (let skipped = 0; skipped < 4; skipped++)
      if (this.#holdsDecoded(text, from + skipped, to, BASE64, 6)) return true;
    return to - from >= MIN_HEX_CHARS && this.#holdsHex(text, from, to);
  }

  /** The runs of hex in it. */
  #holdsHex(text: string, from: number, to: number): boolean {
    for (let start = from, at = from; at <= to; at++) {
      if (at < to && HEX[text.charCodeAt(at)]! >= 0) continue;
      if (at - start >= MIN_HEX_CHARS) {
        if (this.#holdsDecoded(text, start, at, HEX, 4)) return true;
        if (this.#holdsDecoded(text, start + 1, at, HEX, 4)) return true;
      }
      start = at + 1;
    }
    return false;
  }

  #holdsDecoded(text: string, from: number, to: number, alphabet: Int8Array, width: number): boolean {
    let letters = 0;
    let value = 0;
    let bits = 0;
    for (let at = from; at < to; at++) {
      value = ((value << width) | alphabet[text.charCodeAt(at)]!) & 0xffff;
      bits += width;
      if (bits < 8) continue;
      bits -= 8;
      const letter = BASE32[(value >> bits) & 0xff]!;
      if (letter < 0) continue;
      letters = (letters << 5) | letter;
      if (this.#isGram(letters)) return true;
    }
    return false;
  }
}
