import { domainToUnicode } from 'node:url';

/** IDNA; invalid domains stay. */
export function readableAddress(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  const domain = address.slice(at);
  return at === 0 ? address : address.slice(0, at) + (domainToUnicode(domain) || domain);
}
