// A dot-string or a quoted string, an @ and a host: what reports print, not all of RFC 5321.
const LOCAL = String.raw`(?:[A-Za-z0-9!#$%&'*+/=?^_\x60{|}~.\u0080-\uffff-]{1,128}|"[^"\n]{1,128}")`;
const ADDRESS = new RegExp(
  String.raw`${LOCAL}@[A-Za-z0-9\u0080-\uffff](?:[A-Za-z0-9.\u0080-\uffff-]{0,252}[A-Za-z0-9\u0080-\uffff])?`,
  'g',
);
const WHOLE = new RegExp(`^${ADDRESS.source}$`);

/** Every address in a text, in order, without angle brackets; repeated ones stay. */
export function addressesIn(text: string): { address: string; index: number }[] {
  const found: { address: string; index: number }[] = [];
  for (const match of text.matchAll(ADDRESS)) {
    const address = match[0].replace(/^(?:mailto:|rfc822;)/i, '').replace(/^['.]+/, '');
    if (address.startsWith('@') || !address.includes('@')) continue;
    found.push({ address, index: match.index });
  }
  return found;
}

/** The one address that a field value such as `rfc822; <a@b>` holds; null when there is none. RFC 3464 §2.3.2 */
export function addressOfField(value: string): string | null {
  const text = value.includes(';') ? value.slice(value.indexOf(';') + 1) : value;
  const bare = text.trim().replace(/^<|>$/g, '');
  if (WHOLE.test(bare)) return bare;
  return addressesIn(text)[0]?.address ?? null;
}

/** For comparing: the domain does not mind case, and local parts that differ in case only are one person's in the field. */
export function sameAddress(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

const SYSTEM_SENDER = /^"?(?:mailer-daemon|postmaster|mail[._]delivery[._]sub?system|no-?reply|bounces?)"?@/i;

/** True for the mailboxes that reports come from. */
export function isSystemAddress(address: string): boolean {
  return SYSTEM_SENDER.test(address);
}
