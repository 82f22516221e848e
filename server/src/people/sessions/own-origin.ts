import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { apiError } from '../../errors.ts';

/**
 * The names that a console answers under, and the pages that may make it act: DNS rebinding and cross-site
 * requests end here. Two ports of a host are one site, so `same-site` is not enough.
 */
export interface OwnOrigin {
  /** Cookies are Secure: the console's public URL is https. */
  readonly secure: boolean;
  assertOwn(request: Pick<FastifyRequest, 'method' | 'headers'>): void;
  /**
   * The host name that passkeys belong to: the public URL's. On a developer's machine it is `localhost`,
   * under any port that a tunnel gave it. Throws conflict where browsers support no passkeys: without TLS,
   * under an IP address, under a name other than the public one. `host`: from the request.
   */
  relyingParty(host: string | undefined): RelyingParty;
}

/** The RP ID of WebAuthn, and the one origin whose pages may ask. */
export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

const LOCAL_NAME = 'localhost';

/** `publicUrl`: where people open the console. */
export function createOwnOrigin(publicUrl: string): OwnOrigin {
  const own = new URL(publicUrl);
  const secure = own.protocol === 'https:';

  function assertHost(host: string | undefined): void {
    const name = host === undefined ? null : hostnameOf(host);
    if (name !== null && isLoopbackName(name)) return;
    if (name === null || name !== own.hostname)
      throw apiError(
        'cross_origin_refused',
        `Sessions are answered under ${own.host} and loopback names only. Open ${own.origin}; behind a proxy, have it pass the Host header on, and set the public URL of this console to what people open.`,
      );
    if (!secure)
      throw apiError(
        'cross_origin_refused',
        `No session is opened over http at ${own.host}: put TLS in front of it and set its public URL to https://.`,
      );
  }

  function assertSameOrigin({ headers }: Pick<FastifyRequest, 'headers'>): void {
    const site = headers['sec-fetch-site'];
    const { origin } = headers;
    if (site !== undefined && site !== 'same-origin')
      throw apiError(
        'cross_origin_refused',
        `The request comes from another origin (Sec-Fetch-Site: ${shown(site)}).`,
      );
    const known = origin === own.origin || origin === loopbackOrigin(headers.host);
    // Pages without a referrer say `null`; where the browser itself says same-origin, that is enough.
    if (known || (site === 'same-origin' && (origin === undefined || origin === 'null'))) return;
    throw apiError(
      'cross_origin_refused',
      origin === undefined
        ? `Send Sec-Fetch-Site: same-origin, as browsers do, or Origin: ${own.origin}.`
        : `The request comes from another origin (${shown(origin)}); this console is ${own.origin}.`,
    );
  }

  return {
    secure,
    assertOwn(request) {
      assertHost(request.headers.host);
      if (request.method !== 'GET' && request.method !== 'HEAD') assertSameOrigin(request);
    },
    relyingParty(host) {
      const name = host === undefined ? null : hostnameOf(host);
      if (!secure && isLoopbackName(own.hostname)) return localParty(own, name, host);
      if (!secure)
        throw apiError(
          'conflict',
          `Passkeys work over https only: put TLS in front of ${own.host} and set its public URL to https://.`,
        );
      if (isAddress(own.hostname))
        throw apiError(
          'conflict',
          `Passkeys need a domain name, and the public URL of this console is ${own.origin}: set it to one with a name.`,
        );
      if (name !== own.hostname)
        throw apiError('conflict', `Passkeys belong to ${own.host}: open ${own.origin}.`);
      return { id: own.hostname, origin: own.origin };
    },
  };
}

/** Browsers take http://localhost for secure, and an address for no name. Throws conflict. */
function localParty(own: URL, name: string | null, host: string | undefined): RelyingParty {
  if (name === LOCAL_NAME) return { id: LOCAL_NAME, origin: `http://${host!.toLowerCase()}` };
  const port = own.port === '' || own.port === '0' ? '' : `:${own.port}`;
  throw apiError(
    'conflict',
    `Passkeys need a name: open http://${LOCAL_NAME}${/:\d+$/.exec(host ?? '')?.[0] ?? port}.`,
  );
}

const SHOWN_MAX_CHARS = 100;

function shown(text: string | string[]): string {
  return String(text).slice(0, SHOWN_MAX_CHARS);
}

/** Without its port, in lower case; null if it is not a host. */
function hostnameOf(host: string): string | null {
  const found = /^(\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9.-]{1,253})(?::\d{1,5})?$/.exec(host);
  return found === null ? null : found[1]!.toLowerCase();
}

/**
 * Hosts that DNS rebinding cannot use: browsers resolve localhost themselves, and an address needs no DNS.
 */
function isLoopbackName(name: string): boolean {
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  return isAddress(name) && ipaddr.parse(bareOf(name)).range() === 'loopback';
}

function isAddress(name: string): boolean {
  return ipaddr.isValid(bareOf(name));
}

/** An IPv6 address without its brackets. */
function bareOf(name: string): string {
  return name.startsWith('[') ? name.slice(1, -1) : name;
}

function loopbackOrigin(host: string | undefined): string | null {
  const name = host === undefined ? null : hostnameOf(host);
  return name !== null && isLoopbackName(name) ? `http://${host!.toLowerCase()}` : null;
}
