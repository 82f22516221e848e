import type { SmtpPeer } from '@acuse/testkit/smtp-peer';
import type { Hop, Route } from '../../src/delivery/attempt/conversation.ts';
import type { ClaimedMessage } from '../../src/delivery/claim/claimed-message.ts';
import type { Router } from '../../src/delivery/next-hop/router.ts';

/** One window per recipient domain, and the route that the test gives for it. */
export function routerBy(
  find: (item: ClaimedMessage) => Promise<Route>,
  change: Partial<Router> = {},
): Router {
  return {
    onlyKey: null,
    fixedWindow: null,
    routeOf: (item) => ({ key: change.onlyKey ?? item.destination, find: () => find(item) }),
    ...change,
  };
}

/** A host on loopback. */
export function hopTo({ port }: { readonly port: number }, host: string): Hop {
  return {
    host,
    address: '127.0.0.1',
    family: 4,
    port,
    tls: { mode: 'opportunistic' },
    tlsBy: 'opportunistic',
  };
}

type Hosts = SmtpPeer | readonly SmtpPeer[];

/** These hosts, in this order, for every destination or per destination; all are on loopback. */
export function routerTo(hosts: Hosts | Readonly<Record<string, Hosts>>): Router {
  return routerBy(async ({ destination }) => {
    const own =
      'messages' in hosts || Array.isArray(hosts) ? hosts : (hosts as Record<string, Hosts>)[destination];
    const hops = [(own ?? []) as Hosts].flat().map((host, at) => hopTo(host, `mx${at + 1}.${destination}`));
    return { kind: 'hops', hops };
  });
}
