import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parseMailbox } from '@acuse/mail/mailbox';
import { hostUrls } from '../platform/database/host-urls.ts';
import { withoutSlashesBehind } from '../platform/slashes.ts';

/** Parses a variable's text. Pure; `expected` is for errors. */
export interface ValueType<T> {
  expected: string;
  /** Undefined: another type. */
  parse(text: string): T | undefined;
}

export interface Smarthost {
  host: string;
  port: number;
  implicitTls: boolean;
  username: string | null;
  password: string | null;
}

/** As `dns.setServers` takes it. */
export type DnsServer = string;

/** EHLO name and at most one source address per family. */
export interface SourcePool {
  readonly name: string;
  readonly ehloName: string;
  /** Null: none of this family; with both, the system chooses. */
  readonly v4: string | null;
  readonly v6: string | null;
}

/** For accounts without an assignment. */
export const DEFAULT_POOL = 'default';

const SUBMISSION_PORT = 587;
const SUBMISSIONS_PORT = 465;
/** setTimeout's limit, 24.8 days: longer ones fire at once. */
const MAX_DURATION_MS = 2 ** 31 - 1;
const UNIT_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const MASTER_KEY_BYTES = 32;
const HOSTNAME =
  /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;
const POOL_NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;
/** Names that proxy-addr has for ranges of addresses. */
const PROXY_RANGES = ['loopback', 'linklocal', 'uniquelocal'];

export function integer(min: number, max: number, what = 'a whole number'): ValueType<number> {
  return {
    expected: `${what} from ${min} to ${max}`,
    parse(text) {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : undefined;
    },
  };
}

export const port: ValueType<number> = integer(0, 65_535, 'a port number');

export const boolean: ValueType<boolean> = {
  expected: 'true or false',
  parse: (text) => ({ true: true, '1': true, false: false, '0': false })[text.toLowerCase()],
};

export const onOff: ValueType<boolean> = {
  expected: 'on or off',
  parse: (text) => ({ on: true, off: false })[text.toLowerCase()],
};

export function duration(minMs: number, maxMs = MAX_DURATION_MS): ValueType<number> {
  return {
    expected: `a time such as 500ms, 10s, 5m, 2h or 1d, from ${minMs}ms to ${maxMs}ms`,
    parse(text) {
      const [, count, unit] = /^(\d{1,12})(ms|s|m|h|d)$/.exec(text) ?? [];
      const value = Number(count) * (UNIT_MS[unit ?? ''] ?? Number.NaN);
      return value >= minMs && value <= maxMs ? value : undefined;
    },
  };
}

export function oneOf<const T extends string>(...values: T[]): ValueType<T> {
  return { expected: `one of ${values.join(', ')}`, parse: (text) => values.find((value) => value === text) };
}

/** Comma-separated, at least one, no duplicates. */
export function someOf<const T extends string>(...values: T[]): ValueType<readonly T[]> {
  return listOf({
    expected: `${values.join(', ')}`,
    parse: (text) => values.find((value) => value === text),
  });
}

export function listOf<T>(type: ValueType<T>): ValueType<readonly T[]> {
  return {
    expected: `a comma-separated list of ${type.expected}`,
    parse(text) {
      const values = text.split(',').map((part) => type.parse(part.trim()));
      return values.includes(undefined) ? undefined : Object.freeze([...new Set(values as T[])]);
    },
  };
}

export const text: ValueType<string> = { expected: 'text', parse: (value) => value };

/** Relative to the current folder. */
export const filePath: ValueType<string> = { expected: 'a path', parse: (value) => resolve(value) };

/** By Amazon's naming rules. */
const BUCKET = /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/(?!\.\.?(?:\/|$))[A-Za-z0-9._=-]+)*\/?$/;

/** A folder or bucket, without a trailing slash. */
export const outsidePlace: ValueType<string> = {
  expected: 'a path, or s3://bucket/prefix with letters, digits, . _ = and - in the prefix',
  parse(value) {
    if (!/^\w+:\/\//.test(value)) return resolve(value);
    return BUCKET.test(value) ? withoutSlashesBehind(value) : undefined;
  },
};

export const senderAddress: ValueType<string> = {
  expected: 'an address, with a name or without, such as Acuse <portal@example.com>',
  parse(value) {
    try {
      parseMailbox(value);
      return value;
    } catch {
      return undefined;
    }
  },
};

/** ISO 4217 */
export const currencyCode: ValueType<string> = {
  expected: 'three capital letters, such as MXN',
  parse: (value) => (/^[A-Z]{3}$/.test(value) ? value : undefined),
};

/** Without credentials, query, fragment and trailing slash. */
export const webUrl: ValueType<string> = {
  expected: 'an http or https URL, such as https://mail.example.com',
  parse(value) {
    const url = parseUrl(value, ['http:', 'https:']);
    if (url === undefined || url.username !== '' || url.search !== '' || url.hash !== '') return undefined;
    return withoutSlashesBehind(url.href);
  },
};

const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** URL of an MCP server: tokens travel to it. RFC 8707 §2 */
export const mcpUrl: ValueType<string> = {
  expected: 'an https URL, such as https://mcp.example.com/mcp, or http at localhost',
  parse(value) {
    const url = webUrl.parse(value);
    const isSafe =
      url !== undefined && (url.startsWith('https:') || LOOPBACK_HOSTS.includes(new URL(url).hostname));
    return isSafe && url.length <= MCP_URL_MAX_CHARS ? url : undefined;
  },
};
const MCP_URL_MAX_CHARS = 500;

/** Unchanged: the driver interprets it. */
export const databaseUrl: ValueType<string> = {
  expected:
    'a PostgreSQL URL, such as postgresql://user:password@host:5432/database, or several hosts, where the primary is used: …@one:5432,two:5432/database',
  parse(value) {
    // libpq's user@/db?host=/socket is no WHATWG URL.
    const isUrl = (url: string) =>
      parseUrl(url.replace('@/', '@localhost/'), ['postgres:', 'postgresql:']) !== undefined;
    return hostUrls(value)?.every(isUrl) === true ? value : undefined;
  },
};

export const smarthost: ValueType<Smarthost> = {
  expected: 'an smtp:// or smtps:// URL, such as smtps://user:password@relay.example.com:465',
  parse(value) {
    const url = parseUrl(value, ['smtp:', 'smtps:']);
    if (url === undefined || url.hostname === '' || url.search !== '' || url.hash !== '') return undefined;
    const login = [url.username, url.password].map(percentDecode);
    const wellFormed = ['', '/'].includes(url.pathname) && (url.username === '') === (url.password === '');
    if (!wellFormed || login.includes(undefined)) return undefined;
    const implicitTls = url.protocol === 'smtps:';
    return Object.freeze({
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? (implicitTls ? SUBMISSIONS_PORT : SUBMISSION_PORT) : Number(url.port),
      implicitTls,
      username: login[0] || null,
      password: login[1] || null,
    });
  },
};

export const hostname: ValueType<string> = {
  expected: 'a host name, such as mail.example.com',
  parse(value) {
    const name = value.toLowerCase();
    return HOSTNAME.test(name) && isIP(name) === 0 ? name : undefined;
  },
};

export const listenHost: ValueType<string> = {
  expected: 'an address or host name to listen on, such as 127.0.0.1, 0.0.0.0 or ::',
  parse: (value) => (isIP(value) !== 0 ? value : hostname.parse(value)),
};

export const dnsServer: ValueType<DnsServer> = {
  expected: 'addresses of DNS servers, such as 192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:53',
  parse(value) {
    if (isIP(value) !== 0) return value;
    const [, v6, v4, portText] = /^(?:\[([0-9a-fA-F:.]+)\]|([0-9.]+)):(\d{1,5})$/.exec(value) ?? [];
    const known = isIP(v6 ?? '') === 6 || isIP(v4 ?? '') === 4;
    return known && Number(portText) > 0 && port.parse(portText!) !== undefined ? value : undefined;
  },
};

export const proxyAddress: ValueType<string> = {
  expected: `addresses or ranges of proxies, such as 10.0.0.0/8 or loopback`,
  parse: (value) => (PROXY_RANGES.includes(value) ? value : network.parse(value)),
};

export const network: ValueType<string> = {
  expected: 'networks or addresses, such as 10.0.0.0/8 or fd00::/8',
  parse(value) {
    const [address, bits, more] = value.split('/');
    const family = isIP(address ?? '');
    if (family === 0 || more !== undefined) return undefined;
    return bits === undefined || integer(0, family === 4 ? 32 : 128).parse(bits) !== undefined
      ? value
      : undefined;
  },
};

export const sourcePool: ValueType<SourcePool> = {
  expected:
    'source pools, each name=EHLO name/address/address, such as bulk=bulk.example.com/192.0.2.11/2001:db8::11',
  parse(value) {
    const [, name = '', rest = ''] = /^([^=]*)=(.*)$/.exec(value) ?? [];
    const [ehlo = '', ...addresses] = rest.split('/');
    const ehloName = hostname.parse(ehlo);
    const of = (family: number) => addresses.filter((address) => isIP(address) === family);
    const [v4, v6] = [of(4), of(6)];
    const isWhole = v4.length <= 1 && v6.length <= 1 && v4.length + v6.length === addresses.length;
    if (!POOL_NAME.test(name) || ehloName === undefined || !isWhole) return undefined;
    return Object.freeze({ name, ehloName, v4: v4[0] ?? null, v6: v6[0] ?? null });
  },
};

/** Base64 of 32 bytes. */
export const masterKey: ValueType<Buffer> = {
  expected: `${MASTER_KEY_BYTES} random bytes in base64 (openssl rand -base64 ${MASTER_KEY_BYTES})`,
  parse(value) {
    const key = Buffer.from(value, 'base64');
    return key.length === MASTER_KEY_BYTES && key.toString('base64') === value ? key : undefined;
  },
};

/** So that it fits a key name of 255 bytes with `/m/` and 64 hex digits behind it. C2SP signed-note */
const LOG_ORIGIN_MAX_CHARS = 188;

/**
 * A log origin (C2SP tlog-checkpoint): a URL without scheme, never changed. No white space, no plus sign
 * (C2SP signed-note).
 */
export const logOrigin: ValueType<string> = {
  expected: `a log origin: a URL without scheme, such as mail.example.com/log, of at most ${LOG_ORIGIN_MAX_CHARS} characters`,
  parse: (value) =>
    /^[a-z0-9.-]+(?::\d+)?(?:\/[A-Za-z0-9._~/-]*)?$/.test(value) &&
    value.length <= LOG_ORIGIN_MAX_CHARS &&
    !OF_A_MESSAGE.test(value) &&
    value !== 'cosignature/v1'
      ? value
      : undefined,
};

/** The name of a message's own log of outcomes. */
const OF_A_MESSAGE = /\/m\/[0-9a-f]{64}/;

function parseUrl(value: string, protocols: string[]): URL | undefined {
  try {
    const url = new URL(value);
    return protocols.includes(url.protocol) ? url : undefined;
  } catch {
    return undefined;
  }
}

function percentDecode(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

export const share: ValueType<number> = {
  expected: 'a number from 0 to 1, such as 0.05',
  parse(text) {
    const value = /^\d(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
    return value <= 1 ? value : undefined;
  },
};
