import { isIP } from 'node:net';
import { isLoopbackAddress } from '../../platform/network/public-address.ts';

/** Where an attack may go. */
export interface Target {
  readonly url: URL;
  readonly isLoopback: boolean;
  /** The addresses of this machine that attackers come from, in turns; none: whichever the system takes. */
  readonly sources: readonly string[];
}

const NETWORKS = 50;
/** Networks of their own (/24), as somebody with many machines has. */
const LOOPBACK_SOURCES = Array.from({ length: NETWORKS }, (_, at) => `127.66.${at}.1`);

/**
 * Loopback, or the host that `staging` names: a typing error, or a script from elsewhere, attacks nobody.
 * Returns why it is refused.
 */
export function readTarget(
  text: string,
  staging: string | undefined,
  sources: readonly string[] = [],
): Target | string {
  if (!URL.canParse(text)) return `${JSON.stringify(text)} is not a URL`;
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return `${url.protocol} is neither http nor https`;
  const host = hostOf(url);
  const isLoopback = isHere(host);
  if (!isLoopback && staging !== host)
    return `${host} is not this machine: to attack it, say --staging ${host}, with the consent of whoever runs it`;
  const wrong = sources.find((source) => isIP(source) === 0);
  if (wrong !== undefined) return `${JSON.stringify(wrong)} is not an IP address`;
  const isIPv4 = isLoopback && host !== '::1';
  return { url, isLoopback, sources: sources.length === 0 && isIPv4 ? LOOPBACK_SOURCES : sources };
}

/** How to get to `host` of the target as the attacker number `at`: on loopback in that attacker's family. */
export function routeFor({ isLoopback, sources }: Target, host: string, at: number): Route {
  const localAddress = sources[at % sources.length];
  if (localAddress === undefined) return { host };
  const family = isIP(localAddress);
  const own = isIP(host) === family ? host : family === 6 ? '::1' : '127.0.0.1';
  return { host: isLoopback ? own : host, localAddress, family };
}

export interface Route {
  readonly host: string;
  readonly localAddress?: string;
  readonly family?: number;
}

export interface Listener {
  readonly host: string;
  readonly port: number;
}

/** `host:port` of an SMTP listener, on the host of the target. Returns why it is refused. */
export function readListener(text: string, { url, isLoopback }: Target): Listener | string {
  const found = /^(\[[0-9a-f:]{2,45}\]|[a-z0-9.-]{1,253}):(\d{1,5})$/i.exec(text);
  const port = Number(found?.[2]);
  if (found === null || port < 1 || port > 65_535) return `${JSON.stringify(text)} is not host:port`;
  const host = found[1]!.replace(/^\[|\]$/g, '');
  if (isLoopback ? !isHere(host) : host !== hostOf(url)) return `${host} is not the host of the target`;
  return { host, port };
}

export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function isHere(host: string): boolean {
  return host === 'localhost' || (isIP(host) !== 0 && isLoopbackAddress(host));
}
