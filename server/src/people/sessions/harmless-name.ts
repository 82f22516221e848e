/** Longest name in a mail that is sent in the installation's name. */
const MAX_CHARS = 60;
/** The characters of links, addresses and sentences (: / @ ! ? and the like) are not among them. */
const SIGNS = /^[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N} .,&'’()-]*$/u;
const BETWEEN_WORDS = /[ ,()]/;

/** The name unchanged; null if it could be read as a link, an address or a message. */
export function harmlessName(name: string): string | null {
  if (name.length > MAX_CHARS || !SIGNS.test(name)) return null;
  return name.split(BETWEEN_WORDS).every(isNoHost) ? name : null;
}

/** Dots only end a word, or stand after single letters: S.A. */
function isNoHost(word: string): boolean {
  const parts = word.replace(/\.$/, '').split('.');
  return parts.length === 1 || parts.every((part) => [...part].length === 1);
}
