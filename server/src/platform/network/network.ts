import ipaddr from 'ipaddr.js';

/** Before the IPv4 address of a client, where this host has IPv6 alone. RFC 6052 §2.1 */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/**
 * The address that limits count by: IPv4 itself, or an IPv6 /64, which one holder has entirely (RFC 6177 §2).
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  if (!ipaddr.IPv6.isValid(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  if (parsed.match(NAT64)) return new ipaddr.IPv4(parsed.toByteArray().slice(12)).toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

/**
 * Holders of an address, outermost first. IPv4: its /24 and itself; IPv6: its /48, /56 and /64 (RFC 6177 §2).
 * Limits count by the last.
 */
export function holdersOf(address: string): readonly string[] {
  const network = networkOf(address);
  if (!network.endsWith('::/64')) return [`${network.slice(0, network.lastIndexOf('.'))}.0/24`, network];
  const [first, second, third, fourth] = network.split(':');
  const site = `${first}:${second}:${third}`;
  return [`${site}::/48`, `${site}:${fourth!.padStart(4, '0').slice(0, 2)}00::/56`, network];
}
