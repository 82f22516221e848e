import {
  type AddressOptions,
  type HostAddresses,
  MAX_ADDRESSES,
  type MailHosts,
  mailHosts,
  type Plan,
  planTargets,
  type Rng,
} from './mx.ts';
import type { MailResolver } from './resolver.ts';

export interface RouteOptions {
  readonly resolver: MailResolver;
  readonly rng: Rng;
  readonly families?: readonly (4 | 6)[];
  readonly isSelf?: (host: string) => boolean;
  /** True if mail may go to an address. */
  readonly mayReach?: (address: string) => boolean;
}

/**
 * Where a domain's mail goes: the addresses in order, and the hosts they are of with what is known of their
 * DNS.
 */
export type Route =
  | (Extract<Plan, { kind: 'targets' }> & {
      readonly hosts: Extract<MailHosts, { kind: 'hosts' }>;
      readonly addresses: readonly HostAddresses[];
    })
  | Extract<Plan, { kind: 'problem' }>;

/**
 * Looks a domain (A-labels) up: its MX, then host by host until there are addresses enough. Never rejects.
 */
export async function findRoute(domain: string, options: RouteOptions): Promise<Route> {
  const { resolver, rng } = options;
  const hosts = mailHosts(domain, await resolver.lookup(domain, 'MX'), rng, options.isSelf);
  if (hosts.kind === 'problem') return hosts;
  const addresses: HostAddresses[] = [];
  let found = 0;
  for (const host of hosts.hosts) {
    const [v6, v4] = await Promise.all([resolver.lookup(host, 'AAAA'), resolver.lookup(host, 'A')]);
    addresses.push({ host, v4, v6 });
    for (const lookup of [v6, v4]) {
      if (lookup.kind === 'found')
        found += lookup.records.filter((address) => options.mayReach?.(address) ?? true).length;
    }
    if (found >= MAX_ADDRESSES) break;
  }
  const limits: AddressOptions = {
    rng,
    ...(options.families === undefined ? {} : { families: options.families }),
    ...(options.mayReach === undefined ? {} : { mayReach: options.mayReach }),
  };
  const plan = planTargets(addresses, limits);
  return plan.kind === 'problem' ? plan : { ...plan, hosts, addresses };
}
