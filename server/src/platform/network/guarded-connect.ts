import { isIP, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import { createAddressRule, isLoopbackAddress } from './public-address.ts';
import type { ResolveHost } from './resolve-host.ts';

/**
 * Connections to hosts that strangers name. A name is resolved once, every address that it has is checked,
 * and the addresses that were checked are the ones that are dialled: rebinding finds no second look-up to
 * answer differently.
 */
export interface GuardedConnect {
  /**
   * All addresses of the host. Throws RefusedAddress when one of them is not allowed, any other error when it
   * cannot be resolved.
   */
  addressesOf(url: { protocol: string; hostname: string }): Promise<string[]>;
  /** For undici: the first of a few addresses that answers. */
  readonly connect: buildConnector.connector;
}

export interface GuardedConnectOptions {
  /** Lifts the address rule, and allows plain http, for this machine's own loopback addresses. */
  allowLoopback: boolean;
  /** Into these networks (CIDR or single addresses) https may lead, though they are not public. */
  networks?: readonly string[];
  /** `allowLoopback` holds for what is in `networks` alone. */
  listedOnly?: boolean;
  resolve: ResolveHost;
  /** Time that one address gets to connect and finish TLS (ms). */
  connectTimeoutMs: number;
  /** PEM certificates to trust instead of the system's. */
  ca?: readonly string[];
}

export class RefusedAddress extends Error {}

/** Addresses of one host that are tried (so that they fit into an attempt's time). */
const ADDRESSES_TRIED = 3;

export function createGuardedConnect(options: GuardedConnectOptions): GuardedConnect {
  const { allowLoopback, listedOnly = false, resolve } = options;
  const isReachable = createAddressRule(options.networks ?? []);
  const dial = buildConnector({
    timeout: options.connectTimeoutMs,
    ...(options.ca && { ca: [...options.ca] }),
  });

  function isAllowed(address: string, protocol: string): boolean {
    const isLoopback = allowLoopback && isLoopbackAddress(address);
    if (isLoopback && (!listedOnly || isReachable(address))) return true;
    return protocol === 'https:' && isReachable(address);
  }

  async function addressesOf({ protocol, hostname }: { protocol: string; hostname: string }) {
    const host = bareHost(hostname);
    const addresses = isIP(host) === 0 ? await resolve(host) : [host];
    if (addresses.length === 0) throw new Error(`${host} has no address`);
    // Which address it was stays untold: a name server of ours may know names that its asker should not.
    if (!addresses.every((address) => isAllowed(address, protocol)))
      throw new RefusedAddress(
        protocol === 'https:'
          ? `${host} does not resolve to public addresses only`
          : `${host} is not this machine: use https`,
      );
    return addresses;
  }

  async function connect(target: buildConnector.Options): Promise<Socket> {
    const host = bareHost(target.hostname);
    const addresses = await addressesOf(target);
    let failure: unknown;
    for (const address of addresses.slice(0, ADDRESSES_TRIED)) {
      try {
        const socket = await dialOnce({
          ...target,
          hostname: address,
          ...(isIP(host) === 0 && { servername: host }),
        });
        return requireAllowedPeer(socket, (peer) => isAllowed(peer, target.protocol));
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  const dialOnce = (target: buildConnector.Options) =>
    new Promise<Socket>((done, failed) => {
      dial(target, (error, socket) => (error === null ? done(socket) : failed(error)));
    });

  return {
    addressesOf,
    connect(target, callback) {
      connect(target).then(
        (socket) => callback(null, socket),
        (error) => callback(error, null),
      );
    },
  };
}

/**
 * Without the brackets of IPv6 and the dot that ends a fully qualified name (neither belongs into SNI; RFC
 * 6066 §3).
 */
function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/** A second look at what was dialled, at the one place that cannot be fooled by how an address is written. */
function requireAllowedPeer(socket: Socket, isAllowed: (address: string) => boolean): Socket {
  if (socket.remoteAddress !== undefined && isAllowed(socket.remoteAddress)) return socket;
  socket.on('error', () => {}).destroy();
  throw new RefusedAddress('the connection was lost, or led to an address that is not public');
}
