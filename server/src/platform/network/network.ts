import ipaddr from 'ipaddr.js';

/**
 * The address that limits count by: an IPv4 address itself, an IPv6 one's /64, since one holder has all of
 * that (RFC 6177 §2).
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  if (!ipaddr.IPv6.isValid(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
