import { domainToASCII, domainToUnicode } from 'node:url';
import { DOMAIN_LABEL_MAX_BYTES, DOMAIN_MAX_BYTES } from './limits.ts';

declare const domainNameBrand: unique symbol;

/** A host name of two labels or more: lower case, A-labels, no root dot, no address. */
export type DomainName = string & { readonly [domainNameBrand]: true };

const LDH_NAME = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/;
const NOT_ASCII = /[^\x00-\x7f]/;
const DIGITS = /^[0-9]+$/;

/**
 * Nothing but letters, marks, digits, symbols and dots: what domainToASCII would take for a URL (`%41`, `/`,
 * `:`) never gets there.
 */
const UNICODE_NAME = /^(?:[A-Za-z0-9.-]|(?![\p{C}\p{Z}\p{Default_Ignorable_Code_Point}])[^\x00-\x7f])+$/u;

/**
 * The domain of an address, U-labels mapped by UTS-46; null for anything that is not a name in the DNS. RFC
 * 5890 §2.3.2, RFC 5321 §2.3.5
 */
export function readDomainName(text: string): DomainName | null {
  if (text.length > DOMAIN_MAX_BYTES) return null;
  const name = NOT_ASCII.test(text) ? unicodeToAscii(text) : text.toLowerCase();
  if (name.length > DOMAIN_MAX_BYTES || !LDH_NAME.test(name)) return null;
  const labels = name.split('.');
  for (const label of labels) {
    if (label.length > DOMAIN_LABEL_MAX_BYTES || label.startsWith('-') || label.endsWith('-')) return null;
  }
  if (DIGITS.test(labels[labels.length - 1]!)) return null;
  // A fake A-label (`xn--example-`) shows as another name: only those that come back as themselves are names.
  if (name.includes('xn--') && domainToASCII(domainToUnicode(name)) !== name) return null;
  return name as DomainName;
}

function unicodeToAscii(text: string): string {
  return UNICODE_NAME.test(text) ? domainToASCII(text.normalize('NFC')) : '';
}
