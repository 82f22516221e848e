/** Letters of every script; not the punctuation around them, which Chinese texts write without blanks. */
const BEYOND_ASCII = String.raw`\u00aa-\u1fff\u2c00-\u2dff\u3040-\ufdff\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uffdc`;
const LOCAL_CHAR = new RegExp(`[A-Za-z0-9!#$%&'*+/=?^_\`{|}~.${BEYOND_ASCII}-]`);
const DOMAIN_CHAR = new RegExp(`[A-Za-z0-9.${BEYOND_ASCII}-]`);
/** Characters of a local part, twice what RFC 5321 §4.5.3.1.1 allows. */
const MAX_LOCAL_CHARS = 128;
const MAX_DOMAIN_CHARS = 253;

/**
 * Every address in a text, in order, without angle brackets; repeated ones stay. Found from their @, so that
 * long runs cost no more than short ones.
 */
export function addressesIn(text: string): { address: string; index: number }[] {
  const found: { address: string; index: number }[] = [];
  let from = 0;
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const start = localStart(text, at, from);
    const end = domainEnd(text, at + 1);
    if (start === at || end === at + 1) continue;
    from = end;
    const address = text.slice(start, end).replace(/^(?:mailto:|smtp=|['.]+)/i, '');
    if (!address.startsWith('@')) found.push({ address, index: start });
  }
  return found;
}

function localStart(text: string, at: number, from: number): number {
  const lowest = Math.max(from, at - MAX_LOCAL_CHARS);
  if (text[at - 1] === '"') {
    const quote = text.lastIndexOf('"', at - 2);
    const inside = text.slice(quote + 1, at - 1);
    if (quote >= lowest && inside !== '' && !inside.includes('\n')) return quote;
  }
  let start = at;
  while (start > lowest && LOCAL_CHAR.test(text[start - 1]!)) start -= 1;
  return start;
}

/** A domain ends in a letter or digit: the full stop after it is the sentence's. */
function domainEnd(text: string, start: number): number {
  const highest = Math.min(text.length, start + MAX_DOMAIN_CHARS);
  let end = start;
  while (end < highest && DOMAIN_CHAR.test(text[end]!)) end += 1;
  while (end > start && /[.-]/.test(text[end - 1]!)) end -= 1;
  return /[.-]/.test(text[start] ?? '.') ? start : end;
}

/**
 * The one address that a field value such as `rfc822; <a@b>` holds; null when there is none. RFC 3464 §2.3.2
 */
export function addressOfField(value: string): string | null {
  const text = value.includes(';') ? value.slice(value.indexOf(';') + 1) : value;
  const bare = text.trim().replace(/^<|>$/g, '');
  const [first] = addressesIn(bare);
  return first?.address ?? null;
}

/**
 * For comparing: the domain does not mind case, and local parts that differ in case only are one person's in
 * the field.
 */
export function sameAddress(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

const SYSTEM_SENDER = /^"?(?:mailer-daemon|postmaster|mail[._]delivery[._]sub?system|no-?reply|bounces?)"?@/i;

/** True for the mailboxes that reports come from. */
export function isSystemAddress(address: string): boolean {
  return SYSTEM_SENDER.test(address);
}
