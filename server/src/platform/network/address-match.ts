import ipaddr from 'ipaddr.js';

const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** `ranges`: addresses, networks, or named ranges. */
export function createAddressMatch(ranges: readonly string[]): (address: string) => boolean {
  const networks = ranges
    .flatMap((range) => NAMED[range] ?? [range])
    .map((range) => (range.includes('/') ? ipaddr.parseCIDR(range) : single(range)));
  return (address) => {
    if (networks.length === 0 || !ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return networks.some(
      ([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits),
    );
  };
}

/** An address, or a network with its length in bits. */
export function isNetwork(text: string): boolean {
  const [address = '', bits] = text.split('/');
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return false;
  return bits === undefined || ipaddr.isValidCIDR(text);
}

function single(address: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const parsed = ipaddr.process(address);
  return [parsed, parsed.kind() === 'ipv4' ? 32 : 128];
}
