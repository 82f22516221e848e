import ipaddr from 'ipaddr.js';

/**
 * Whether an address is one of the public Internet, seen through every form in which IPv6 carries an IPv4 one.
 * Anything special (IANA special-purpose registries, RFC 6890) is not: private, loopback, link-local with the cloud metadata services, CGNAT, multicast, …
 */
export function isPublicAddress(text: string): boolean {
  // A zone index names an interface of ours: never the public Internet.
  if (text.includes('%') || !ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.kind() === 'ipv4') return isPublicIpv4(address as ipaddr.IPv4);
  return isPublicIpv6(address as ipaddr.IPv6);
}

/** Blocks that ipaddr.js calls unicast and the registries do not (IANA IPv4 Special-Purpose Address Registry). */
const SPECIAL_IPV4 = ['192.0.0.0/24', '192.88.99.0/24', '198.18.0.0/15', '192.31.196.0/24', '192.52.193.0/24', '192.175.48.0/24'].map((cidr) => ipaddr.IPv4.parseCIDR(cidr));

function isPublicIpv4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && !SPECIAL_IPV4.some((cidr) => address.match(cidr));
}

/** Only 2000::/3 is global unicast; the blocks inside it that are not, or that tunnel IPv4. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '3fff::/20', '2620:4f:8000::/48'].map((cidr) => ipaddr.IPv6.parseCIDR(cidr));
const SIX_TO_FOUR = ipaddr.IPv6.parseCIDR('2002::/16');

function isPublicIpv6(address: ipaddr.IPv6): boolean {
  // Mapped (::ffff:0:0/96) and translated (64:ff9b::/96) addresses lie outside 2000::/3: a host that gives one to the public gives IPv4 too.
  if (!address.match(GLOBAL_IPV6)) return false;
  if (address.match(SIX_TO_FOUR)) return false;
  return !SPECIAL_IPV6.some((cidr) => address.match(cidr));
}

/** True for 127.0.0.0/8 and ::1 in any spelling. */
export function isLoopbackAddress(text: string): boolean {
  if (text.includes('%') || !ipaddr.isValid(text)) return false;
  return ipaddr.process(text).range() === 'loopback';
}
