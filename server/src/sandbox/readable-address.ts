import { domainToUnicode } from 'node:url';

/** An address with its domain as people write it (IDNA); what cannot be read as a domain stays as it is. */
export function readableAddress(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  const domain = address.slice(at);
  return at === 0 ? address : address.slice(0, at) + (domainToUnicode(domain) || domain);
}
