import type { MailResolver } from '@acuse/mail/routing/resolver';
import ipaddr from 'ipaddr.js';
import type { Config } from '../../config/config-type.ts';
import { DEFAULT_POOL, type SourcePool } from '../../config/config-values.ts';

/** A name that we send under, and its public addresses. */
export interface Source {
  readonly pool: string;
  readonly ehloName: string;
  /** As configured; if none or private (NAT), those in DNS. */
  readonly addresses: readonly string[];
  /** Configured, but not in DNS. */
  readonly missing: readonly string[];
  readonly failed: string | null;
}

/** The default pool or ACUSE_HOSTNAME first. */
export async function readSendingHosts(
  config: Pick<Config, 'hostname' | 'sourcePools'>,
  resolver: MailResolver,
): Promise<Source[]> {
  const given = config.sourcePools ?? [];
  const unbound: SourcePool = { name: DEFAULT_POOL, ehloName: config.hostname, v4: null, v6: null };
  const pools = given.some(({ name }) => name === DEFAULT_POOL) ? given : [unbound, ...given];
  return Promise.all(pools.map((pool) => readSource(pool, resolver)));
}

async function readSource({ name, ehloName, v4, v6 }: SourcePool, resolver: MailResolver): Promise<Source> {
  const looks = await Promise.all([resolver.lookup(ehloName, 'A'), resolver.lookup(ehloName, 'AAAA')]);
  const found = looks.flatMap((look) => (look.kind === 'found' ? look.records : []));
  const failed = looks.flatMap((look) => ('detail' in look ? [look.detail] : []))[0] ?? null;
  const bound = [v4, v6].flatMap((address) => (address !== null && isSeenOutside(address) ? [address] : []));
  const known = new Set(found.map(canonical));
  return {
    pool: name,
    ehloName,
    addresses: bound.length > 0 ? bound : found,
    missing: bound.filter((address) => !known.has(canonical(address))),
    failed: found.length > 0 ? null : failed,
  };
}

/** Ranges behind which a NAT has another, public address. */
const BEHIND_NAT = ['private', 'loopback', 'linkLocal', 'uniqueLocal', 'carrierGradeNat', 'unspecified'];

function isSeenOutside(address: string): boolean {
  return !BEHIND_NAT.includes(ipaddr.parse(address).range());
}

function canonical(address: string): string {
  return ipaddr.parse(address).toString();
}

/** The name under which the DNS has the names of an address. RFC 1035 §3.5 */
export function reverseName(address: string): string {
  const parsed = ipaddr.parse(address);
  const bytes = parsed.toByteArray().reverse();
  if (parsed.kind() === 'ipv4') return `${bytes.join('.')}.in-addr.arpa`;
  const nibbles = bytes.flatMap((byte) => [byte & 0xf, byte >> 4]).map((nibble) => nibble.toString(16));
  return `${nibbles.join('.')}.ip6.arpa`;
}
