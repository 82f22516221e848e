import { CONNREFUSED, Resolver, SERVFAIL, TIMEOUT } from 'node:dns/promises';

/** All addresses of a host name, in the order to try. Throws when there are none. */
export type ResolveHost = (hostname: string) => Promise<string[]>;

/** Time-out of one try (ms), and tries. */
const TRY_TIMEOUT_MS = 2_000;
const TRIES = 2;
/** Names under localhost are this machine's and never asked of a DNS. RFC 6761 §6.3 */
const LOCALHOST = /^(?:.+\.)?localhost$/;

/**
 * Asks DNS directly. getaddrinfo has only a few threads, so that one slow name server would delay everybody,
 * and it applies local search lists. `servers`: empty: the system's.
 */
export function createResolveHost(servers: readonly string[]): ResolveHost {
  const resolver = new Resolver({ timeout: TRY_TIMEOUT_MS, tries: TRIES });
  if (servers.length > 0) resolver.setServers(servers);

  return async (hostname) => {
    if (LOCALHOST.test(hostname)) return ['127.0.0.1', '::1'];
    const [ipv6, ipv4] = await Promise.allSettled([resolver.resolve6(hostname), resolver.resolve4(hostname)]);
    const found = interleave(addressesIn(ipv6), addressesIn(ipv4));
    if (found.length === 0) throw noAddress(hostname, refusalIn(ipv4));
    return found;
  };
}

/** A name that is not there is its owner's to create; a DNS that does not answer is another's. */
function noAddress(hostname: string, cause: unknown): Error {
  const code = cause instanceof Error ? (cause as { code?: unknown }).code : undefined;
  const isSilent = code === TIMEOUT || code === SERVFAIL || code === CONNREFUSED;
  return new Error(isSilent ? `the DNS did not answer for ${hostname}` : `${hostname} has no address`, {
    cause,
  });
}

/** Alternating, so that an unroutable family costs one try. RFC 8305 §4 */
function interleave(first: readonly string[], second: readonly string[]): string[] {
  return Array.from({ length: Math.max(first.length, second.length) }, (_, at) => [first[at], second[at]])
    .flat()
    .filter((address) => address !== undefined);
}

function addressesIn(settled: PromiseSettledResult<string[]>): string[] {
  return settled.status === 'fulfilled' ? settled.value : [];
}

function refusalIn(settled: PromiseSettledResult<string[]>): unknown {
  return settled.status === 'rejected' ? settled.reason : undefined;
}
