import { execFile } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { createDomainDns } from '../../accounts/domains/dns.ts';
import type { DnsAnswer } from '../../accounts/domains/records.ts';
import type { Config } from '../../config/config-type.ts';
import { createFetchPolicy } from '../../delivery/next-hop/mta-sts-policies.ts';
import { openResolver } from '../../delivery/next-hop/open-router.ts';
import type { Clock } from '../../platform/clock.ts';
import { createResolveHost } from '../../platform/network/resolve-host.ts';
import type { DoctorDeps } from './examine.ts';
import { reverseName } from './sending-hosts.ts';

const TRY_TIMEOUT_MS = 3_000;
const TRIES = 2;
const SYSTEM_TIMEOUT_MS = 3_000;
/** Codes of c-ares that mean: there is certainly no such record. */
const CERTAIN = ['ENOTFOUND', 'ENODATA'];

export function openQuestions(
  config: Pick<Config, 'dnsServers'>,
  clock: Clock,
): Pick<DoctorDeps, 'dns' | 'fetchPolicy' | 'isClockKept'> {
  const servers = config.dnsServers ?? [];
  return {
    dns: {
      resolver: openResolver(config, clock),
      domains: createDomainDns({ servers }),
      reverse: createReverse(servers),
    },
    fetchPolicy: createFetchPolicy({ allowLoopback: false, resolve: createResolveHost(servers) }),
    isClockKept,
  };
}

/** The address that a connection to a host goes to, by ACUSE_DNS_SERVERS as the service asks them. */
export async function addressOf(host: string, { dnsServers }: Pick<Config, 'dnsServers'>): Promise<string> {
  if (dnsServers === null || dnsServers.length === 0 || isIP(host) !== 0) return host;
  const [address] = await createResolveHost(dnsServers)(host);
  return address!;
}

/** DNS only: `Resolver.reverse` reads the hosts file first. */
export function createReverse(servers: readonly string[]): (address: string) => Promise<DnsAnswer> {
  const resolver = new Resolver({ timeout: TRY_TIMEOUT_MS, tries: TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  return async (address) => {
    try {
      return { kind: 'found', values: await resolver.resolvePtr(reverseName(address)) };
    } catch (error) {
      const code = String((error as { code?: unknown }).code);
      return CERTAIN.includes(code) ? { kind: 'none' } : { kind: 'failed', error: code };
    }
  };
}

/** timedatectl knows every time client that steers the kernel's clock. */
function isClockKept(): Promise<boolean | null> {
  return new Promise((resolve) => {
    const args = ['show', '--property=NTPSynchronized', '--value'];
    execFile('timedatectl', args, { timeout: SYSTEM_TIMEOUT_MS }, (error, stdout) => {
      const said = stdout.trim();
      resolve(error !== null || !['yes', 'no'].includes(said) ? null : said === 'yes');
    });
  });
}
