/** JSON that every language reads as the same. */

/** Levels of an answer. */
const DEPTH_MAX = 64;
/** Characters of a number. */
const NUMBER_MAX = 64;
/** Written as an escape: UTF-8 has no other. */
const SURROGATE = /\\u[dD][89a-fA-F]/;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Throws for what is no JSON, and for half of a surrogate pair, a level beyond the 64th and a number of more
 * than 64 characters.
 */
export function parseSound(text: string): unknown {
  checkLevels(text);
  if (!SURROGATE.test(text)) return JSON.parse(text);
  return JSON.parse(text, (name, value) => {
    if (!isWellFormed(name) || (typeof value === 'string' && !isWellFormed(value)))
      throw new SyntaxError('half of a surrogate pair');
    return value;
  });
}

function checkLevels(text: string): void {
  let depth = 0;
  let digits = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    digits = isOfNumber(char) ? digits + 1 : 0;
    if (digits > NUMBER_MAX) throw new SyntaxError('a number is too long');
    if (char === 0x5b || char === 0x7b) depth++;
    else if (char === 0x5d || char === 0x7d) depth--;
    if (depth > DEPTH_MAX) throw new SyntaxError('nested too deeply');
    if (char === QUOTE) at = endOfText(text, at + 1);
  }
}

function endOfText(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === BACKSLASH) at++;
    else if (char === QUOTE) return at;
  }
  return text.length;
}

/** Digits, sign, point and exponent. */
function isOfNumber(char: number): boolean {
  return (char >= 0x30 && char <= 0x39) || '+-.eE'.includes(String.fromCharCode(char));
}

/** Node 18 has no String.prototype.isWellFormed. */
function isWellFormed(text: string): boolean {
  return !/[\ud800-\udfff]/u.test(text);
}
