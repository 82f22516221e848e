import { isIP, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import { createAddressRule, isLoopbackAddress } from './public-address.ts';
import type { ResolveHost } from './resolve-host.ts';

/**
 * Connections to hosts that strangers name. The name is resolved once, and exactly the checked addresses are
 * dialled: DNS rebinding has no effect.
 */
interface GuardedConnect {
  /** Throws RefusedAddress if any address is not allowed. */
  addressesOf(url: { protocol: string; hostname: string }): Promise<string[]>;
  /** For undici: the first address that answers. */
  readonly connect: buildConnector.connector;
}

export interface GuardedConnectOptions {
  /** Allows loopback addresses, also by http. */
  allowLoopback: boolean;
  networks?: readonly string[];
  listedOnly?: boolean;
  resolve: ResolveHost;
  /** Per address, TLS included (ms). */
  connectTimeoutMs: number;
  ca?: readonly string[];
}

export class RefusedAddress extends Error {}

/** Addresses tried per host, to fit the attempt's time. */
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
    // The address is not shown: an internal name server may know private names.
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

/** Without IPv6 brackets and the final dot (neither belongs into SNI; RFC 6066 §3). */
function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/** Checks the connected address itself, however it was written. */
function requireAllowedPeer(socket: Socket, isAllowed: (address: string) => boolean): Socket {
  if (socket.remoteAddress !== undefined && isAllowed(socket.remoteAddress)) return socket;
  socket.on('error', () => {}).destroy();
  throw new RefusedAddress('the connection was lost, or led to an address that is not public');
}
