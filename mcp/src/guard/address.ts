/**
 * Addresses and the lists that wall them in. Only the plain form of an address is taken, and what was
 * compared is what is sent: no two parsers can disagree about where a message goes.
 */
import { domainToASCII } from 'node:url';

/** RFC 5321 §4.5.3.1.3: a path of 256 octets, with its angle brackets. */
const ADDRESS_MAX_BYTES = 254;
/** RFC 5321 §4.5.3.1.1 */
const LOCAL_PART_MAX_BYTES = 64;

/** Without % and !: they are routes to servers that still know them, past the domain that was compared. */
const LOCAL_PART = /^[\p{L}\p{N}#$&'*+/=?^_`{|}~.-]+$/u;
const DOMAIN_TEXT = /^[\p{L}\p{M}\p{N}.-]+$/u;
const LABEL = /^[a-z0-9-]{1,63}$/;
const DISPLAY_NAME = /^[\p{L}\p{M}\p{N} .'_-]{1,100}$/u;

export interface Address {
  /** The address that is sent. */
  readonly address: string;
  /** For comparison: the same for two spellings of one mailbox, as the API compares them. */
  readonly key: string;
  /** In A-labels. */
  readonly domain: string;
}

/** `local@domain` without quotes, comments or an IP address; null for anything else. */
export function readAddress(text: string): Address | null {
  const at = text.lastIndexOf('@');
  if (at <= 0 || Buffer.byteLength(text) > ADDRESS_MAX_BYTES) return null;
  const local = text.slice(0, at).normalize('NFC');
  const domain = readDomain(text.slice(at + 1));
  if (domain === null || !isLocalPart(local)) return null;
  const address = `${local}@${domain}`;
  if (Buffer.byteLength(address) > ADDRESS_MAX_BYTES) return null;
  // By way of upper case, so that letters with two lower forms (ſ, ς, ß) meet.
  const folded = local.toLowerCase().toUpperCase().toLowerCase().normalize('NFC');
  return { address, domain, key: `${folded}@${domain}` };
}

/** An address, or `Name <address>` with a plain name, as `from` takes it; null for anything else. */
export function readSender(text: string): (Address & { readonly header: string }) | null {
  const open = text.indexOf('<');
  if (open < 0) {
    const bare = readAddress(text);
    return bare === null ? null : { ...bare, header: bare.address };
  }
  const name = text.slice(0, open).trim();
  const address = text.endsWith('>') ? readAddress(text.slice(open + 1, -1)) : null;
  if (address === null || !DISPLAY_NAME.test(name)) return null;
  return { ...address, header: `${name} <${address.address}>` };
}

function isLocalPart(text: string): boolean {
  return (
    LOCAL_PART.test(text) &&
    Buffer.byteLength(text) <= LOCAL_PART_MAX_BYTES &&
    text.split('.').every((atom) => atom !== '')
  );
}

function readDomain(text: string): string | null {
  if (!DOMAIN_TEXT.test(text)) return null;
  const domain = domainToASCII(text.normalize('NFC')).toLowerCase();
  const labels = domain.split('.');
  const plain = labels.every((each) => LABEL.test(each) && !each.startsWith('-') && !each.endsWith('-'));
  return plain && labels.length > 1 && !/^\d+$/.test(labels.at(-1) ?? '') ? domain : null;
}

/** Addresses and domains; a domain does not stand for those below it. */
export interface AddressList {
  readonly everyone: boolean;
  /** Key → the mailbox in the spelling of the list. */
  readonly mailboxes: ReadonlyMap<string, Address>;
  readonly domains: ReadonlySet<string>;
}

/** Entries between commas or white space: an address, `@domain`, or `*` for everyone. */
export function readAddressList(text: string): AddressList | { readonly wrong: string } {
  const mailboxes = new Map<string, Address>();
  const domains = new Set<string>();
  let everyone = false;
  for (const entry of text.split(/[\s,]+/).filter((each) => each !== '')) {
    if (entry === '*') everyone = true;
    else if (entry.startsWith('@')) {
      const domain = readDomain(entry.slice(1));
      if (domain === null) return { wrong: entry };
      domains.add(domain);
    } else {
      // A star within an address would be taken for a pattern by people, and for a letter by mail.
      const address = entry.includes('*') ? null : readAddress(entry);
      if (address === null) return { wrong: entry };
      mailboxes.set(address.key, address);
    }
  }
  return { everyone, mailboxes, domains };
}

/**
 * The mailbox to use, null for one that is not listed. One that the list names is used as the list spells it:
 * what folds to the same letters need not be the same mailbox everywhere.
 */
export function listed(list: AddressList, address: Address): Address | null {
  const named = list.mailboxes.get(address.key);
  if (named !== undefined) return named;
  return list.everyone || list.domains.has(address.domain) ? address : null;
}
