import type { Config } from '../../config/config-type.ts';
import { openResolver } from '../../delivery/next-hop/open-router.ts';
import type { SourceFacts } from '../../delivery/requirements/requirements.ts';
import type { Clock } from '../../platform/clock.ts';
import { createReverse } from './probes.ts';
import { readSendingHosts } from './sending-hosts.ts';

/** The addresses that mail leaves from, as receivers see them. Null: a relay's, or none. */
export function createSourceFacts(
  config: Pick<Config, 'delivery' | 'hostname' | 'sourcePools' | 'dnsServers'>,
  clock: Clock,
): (() => Promise<SourceFacts>) | null {
  if (config.delivery !== 'direct') return null;
  const resolver = openResolver(config, clock);
  const reverse = createReverse(config.dnsServers ?? []);
  return async () => {
    const sources = await readSendingHosts(config, resolver);
    const named = sources.flatMap(({ ehloName, addresses }) =>
      addresses.map((address) => ({ ehloName, address })),
    );
    const good = await Promise.all(
      named.map(async ({ ehloName, address }) => {
        const answer = await reverse(address);
        return (
          answer.kind === 'found' &&
          answer.values.some((name) => name.replace(/\.$/, '').toLowerCase() === ehloName)
        );
      }),
    );
    const addresses = named.map(({ address }) => address);
    return { addresses, reversed: addresses.filter((_, at) => good[at]) };
  };
}
