import { lookup } from 'node:dns/promises';
import { createDnsClient } from '@acuse/mail/routing/dns-client';
import { createResolver, type MailResolver } from '@acuse/mail/routing/resolver';
import type { Config } from '../../config/config-type.ts';
import type { Clock } from '../../platform/clock.ts';
import type { DbAndClock } from '../../platform/database/db.ts';
import type { Log } from '../../platform/logger.ts';
import { createAddressRule } from '../../platform/network/public-address.ts';
import { createResolveHost } from '../../platform/network/resolve-host.ts';
import { createFetchPolicy, createMtaStsPolicies } from './mta-sts-policies.ts';
import { directRouter, type MailboxTarget, type Router, sandboxRouter, smarthostRouter } from './router.ts';
import { createSourcePools } from './source-pools.ts';

interface OpenRouterDeps extends DbAndClock {
  readonly log: Log;
  readonly random: () => number;
  /** The sandbox's sender domain: its mail never leaves the machine. */
  readonly sandboxDomain: string;
  /** Required in sandbox mode. */
  readonly mailbox: MailboxTarget | null;
}

export function openRouter(
  config: Pick<
    Config,
    'delivery' | 'smarthost' | 'hostname' | 'dnsServers' | 'smtpPort' | 'sourcePools' | 'privateNetworks'
  >,
  deps: OpenRouterDeps,
): Router {
  const { clock, random, mailbox } = deps;
  const sandbox = { domain: deps.sandboxDomain, target: mailbox };
  switch (config.delivery) {
    case 'sandbox':
      if (mailbox === null) throw new TypeError('sandbox mode has a mailbox');
      return sandboxRouter(mailbox);
    case 'smarthost':
      if (config.smarthost === null) throw new TypeError('smarthost mode has a smarthost');
      return smarthostRouter({ smarthost: config.smarthost, sandbox, lookUpHost: systemAddresses });
    case 'direct': {
      const servers = config.dnsServers ?? [];
      const resolver = openResolver(config, clock);
      const fetchPolicy = createFetchPolicy({ allowLoopback: false, resolve: createResolveHost(servers) });
      const mtaSts = createMtaStsPolicies({ resolver, fetchPolicy, clock, db: deps.db, log: deps.log });
      const { smtpPort: port } = config;
      const pools = createSourcePools(config.sourcePools ?? [], config.hostname);
      const mayReach = createAddressRule(config.privateNetworks ?? []);
      return directRouter({ resolver, mtaSts, clock, random, pools, mayReach, sandbox, port });
    }
  }
}

export function openResolver({ dnsServers }: Pick<Config, 'dnsServers'>, clock: Clock): MailResolver {
  return createResolver({
    query: createDnsClient({ servers: dnsServers ?? [] }),
    now: () => clock.monotonicMs(),
  });
}

async function systemAddresses(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
