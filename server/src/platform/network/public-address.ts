import ipaddr from 'ipaddr.js';

/**
 * True for a public address, also as IPv4 inside IPv6. Special ones are not: private, loopback, link-local
 * with cloud metadata, CGNAT, multicast, … IANA Special-Purpose Address Registries (RFC 6890 §2.2).
 */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === null) return false;
  return address.kind() === 'ipv4'
    ? isPublicIpv4(address as ipaddr.IPv4)
    : isPublicIpv6(address as ipaddr.IPv6);
}

/** Allows public addresses and these networks (CIDR or addresses). */
export function createAddressRule(networks: readonly string[]): (address: string) => boolean {
  const allowed = networks.map(parseNetwork);
  return (text) => {
    if (isPublicAddress(text)) return true;
    const parsed = parseAddress(text);
    if (parsed === null) return false;
    const address = ipaddr.process(parsed.toString());
    return allowed.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
  };
}

function parseNetwork(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** 127.0.0.0/8 and ::1, also as ::ffff:127.0.0.1. */
export function isLoopbackAddress(text: string): boolean {
  const address = parseAddress(text);
  return address !== null && ipaddr.process(address.toString()).range() === 'loopback';
}

function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  // A zone index names a local interface.
  if (text.includes('%') || !ipaddr.isValid(text)) return null;
  return ipaddr.parse(text);
}

/** Special in the registry, unicast to ipaddr.js. */
const SPECIAL_IPV4 = [
  '192.0.0.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.175.48.0/24',
  '198.18.0.0/15',
].map((cidr) => ipaddr.IPv4.parseCIDR(cidr));

function isPublicIpv4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && !SPECIAL_IPV4.some((cidr) => address.match(cidr));
}

/** NAT64's well-known prefix: the last 32 bits are the IPv4 address that is reached. RFC 6052 §2.1 */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/**
 * Contains all global unicast, and some special blocks: protocol assignments with Teredo, documentation,
 * 6to4, AS112.
 */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'].map(
  (cidr) => ipaddr.IPv6.parseCIDR(cidr),
);
/**
 * Third and fourth group of an ISATAP interface identifier, whose IPv4 address a router here would unwrap.
 * RFC 5214 §6.1
 */
const ISATAP = new Set(['0:5efe', '200:5efe']);

function isPublicIpv6(address: ipaddr.IPv6): boolean {
  if (address.match(NAT64)) return isPublicIpv4(new ipaddr.IPv4(address.toByteArray().slice(12)));
  // Mapped and compatible forms (::ffff:0:0/96, ::/96) lie outside: no public DNS has them.
  if (!address.match(GLOBAL_IPV6)) return false;
  if (ISATAP.has(`${address.parts[4]!.toString(16)}:${address.parts[5]!.toString(16)}`)) return false;
  return !SPECIAL_IPV6.some((cidr) => address.match(cidr));
}
