/** How a client is made: what it takes, what it falls back to, what it refuses before any request. */
import { ConfigurationError } from './errors.ts';
import type { Transport } from './transport/transport.ts';

/** The report to `onAttempt` about each attempt. Never a key or a body. */
export interface AttemptReport {
  /** Resource and method: `messages.send`. */
  readonly operation: string;
  /** Counted from 1. */
  readonly attempt: number;
  readonly status: number | null;
  /** The API's error code. */
  readonly code: string | null;
  readonly requestId: string | null;
  readonly durationMs: number;
  /** When the call is tried again; null: it is not. */
  readonly retryInMs: number | null;
  /** Name of the error that ended the attempt. */
  readonly error: string | null;
}

/** The options of `new Acuse`. Everything is optional. */
export interface AcuseOptions {
  /** Default: `ACUSE_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** Default: `ACUSE_URL`. */
  readonly baseUrl?: string | undefined;
  /** Retries of a call after its first attempt. Default: 3. */
  readonly maxRetries?: number | undefined;
  /** Default: 10 s. */
  readonly connectTimeoutMs?: number | undefined;
  /** For one attempt, and one second more for each 256 KiB of body. Default: 60 s. */
  readonly timeoutMs?: number | undefined;
  /** For a call with all its attempts. Default: 180 s. */
  readonly deadlineMs?: number | undefined;
  /** Plain http to another machine, which shows the key to the network in between. */
  readonly allowInsecure?: boolean | undefined;
  /** Certificates in PEM to trust in place of the system's. Node only. */
  readonly caFile?: string | undefined;
  /** `http://[user:password@]host:port` of a proxy. Default: `HTTPS_PROXY`, of https alone. Node only. */
  readonly proxy?: string | undefined;
  /** Added to User-Agent: `shop/2.1`. */
  readonly appInfo?: string | undefined;
  /** Called after each attempt. What it throws is ignored. */
  readonly onAttempt?: ((report: AttemptReport) => void) | undefined;
  /** Used in place of Node's own client: for browsers' workers, Deno and the edge. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Used in place of any HTTP client: for tests. */
  readonly transport?: Transport | undefined;
  /** Unix time in milliseconds: for tests. */
  readonly clock?: (() => number) | undefined;
  /** For tests; rejects when the signal aborts. */
  readonly sleep?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined;
  /** Uniform in [0, 1): for tests. */
  readonly random?: (() => number) | undefined;
}

/** The options of one call. */
export interface CallOptions {
  /** Ends the call, which then throws CancelledError. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly deadlineMs?: number | undefined;
  readonly maxRetries?: number | undefined;
}

/** Options with every default filled in. */
export interface Settings {
  readonly baseUrl: string;
  readonly maxRetries: number;
  readonly connectTimeoutMs: number;
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly userAgent: string;
  readonly onAttempt: ((report: AttemptReport) => void) | undefined;
  readonly clock: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
}

const MAX_RETRIES = 3;
const CONNECT_TIMEOUT_MS = 10_000;
const TIMEOUT_MS = 60_000;
const DEADLINE_MS = 180_000;
/** Longest time that a timer of the platform can wait. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** Version of this library: that of package.json. */
export const VERSION = '1.0.0';

interface Process {
  readonly env?: Record<string, string | undefined>;
  readonly versions?: Record<string, string | undefined>;
  readonly platform?: string;
}

/** Node's, where there is one. */
function host(): Process {
  return (globalThis as { process?: Process }).process ?? {};
}

/** Throws ConfigurationError, which names the option and the fix. */
export function readSettings(options: AcuseOptions): Settings {
  return {
    baseUrl: readBaseUrl(readAddress(options.baseUrl, host().env ?? {}), options.allowInsecure ?? false),
    maxRetries: count('maxRetries', options.maxRetries ?? MAX_RETRIES),
    connectTimeoutMs: duration('connectTimeoutMs', options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS),
    timeoutMs: duration('timeoutMs', options.timeoutMs ?? TIMEOUT_MS),
    deadlineMs: duration('deadlineMs', options.deadlineMs ?? DEADLINE_MS),
    userAgent: userAgent(options.appInfo),
    onAttempt: options.onAttempt,
    clock: options.clock ?? Date.now,
    sleep: options.sleep ?? sleep,
    random: options.random ?? Math.random,
  };
}

/** The settings of one call. */
export function forCall(settings: Settings, options: CallOptions): Settings {
  return {
    ...settings,
    maxRetries: count('maxRetries', options.maxRetries ?? settings.maxRetries),
    timeoutMs: duration('timeoutMs', options.timeoutMs ?? settings.timeoutMs),
    deadlineMs: duration('deadlineMs', options.deadlineMs ?? settings.deadlineMs),
  };
}

/** The key as given or from the environment; it must fit an HTTP header. */
export function readKey(given: string | undefined): string {
  const key = given ?? host().env?.['ACUSE_API_KEY'];
  if (key === undefined || key === '')
    throw new ConfigurationError('No API key: pass apiKey or set ACUSE_API_KEY.');
  if (typeof key !== 'string' || !/^[!-~]+$/.test(key))
    throw new ConfigurationError(
      'apiKey contains white space, control or non-ASCII characters: pass the key alone, as it was shown.',
    );
  return key;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The address as given or from the environment: there is none that would do for everybody. */
function readAddress(given: string | undefined, env: Environment): string {
  // ACUSE_BASE_URL is what it was called before.
  const address = given ?? (env['ACUSE_URL'] || env['ACUSE_BASE_URL']);
  if (address === undefined || address === '')
    throw new ConfigurationError('No address of the service: pass baseUrl or set ACUSE_URL.');
  return address;
}

/** The proxy for an address: the one given, else that of the environment. */
export function proxyFor(options: AcuseOptions, address: string): URL | undefined {
  const secure = address.startsWith('https:');
  if (options.proxy !== undefined && !secure && options.allowInsecure !== true)
    throw new ConfigurationError(
      'proxy would see the API key in plain http: use https, or set allowInsecure.',
    );
  const text = options.proxy ?? environmentProxy(address, host().env ?? {});
  return text === undefined ? undefined : readProxy(text);
}

/** The proxy by HTTPS_PROXY and NO_PROXY; contract/vectors/README.md has the rule. */
export function environmentProxy(address: string, env: Environment): string | undefined {
  const url = new URL(address);
  if (url.protocol !== 'https:' || isLoopback(url.hostname)) return undefined;
  const named = (env['https_proxy'] || env['HTTPS_PROXY'] || '').trim();
  if (named === '' || isExcepted(url, env['no_proxy'] || env['NO_PROXY'] || '')) return undefined;
  return named.includes('://') ? named : `http://${named}`;
}

function isExcepted({ hostname, port }: URL, list: string): boolean {
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '*') return true;
    const [name = '', only] = entry
      .toLowerCase()
      .replace(/^\*?\.?/, '')
      .split(':');
    if (name === '' || (only !== undefined && only !== (port || '443'))) return false;
    return hostname === name || hostname.endsWith(`.${name}`);
  });
}

const BASE_URL = 'The base URL (baseUrl, or ACUSE_URL)';

function readBaseUrl(text: string, allowInsecure: boolean): string {
  const url = parseUrl(BASE_URL, text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new ConfigurationError(`${BASE_URL} must begin with https:// or http://.`);
  if (url.username !== '' || url.password !== '')
    throw new ConfigurationError(`${BASE_URL} must not carry credentials: pass the key as apiKey.`);
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(text))
    throw new ConfigurationError(`${BASE_URL} must not have a query or a fragment.`);
  if (url.protocol === 'http:' && !allowInsecure && !isLoopback(url.hostname))
    throw new ConfigurationError(
      `${BASE_URL} is plain http to ${url.hostname}, which shows the API key to the network: use https, or set allowInsecure.`,
    );
  let end = url.href.length;
  while (url.href[end - 1] === '/') end--;
  return url.href.slice(0, end);
}

function parseUrl(name: string, text: string): URL {
  try {
    return new URL(text);
  } catch {
    // The cause would show what may be a password.
    throw new ConfigurationError(`${name} is not a URL.`);
  }
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  );
}

/** The URL of a proxy. Throws ConfigurationError. */
export function readProxy(text: string): URL {
  const url = parseUrl('proxy', text);
  if (url.protocol !== 'http:')
    throw new ConfigurationError(
      'proxy must begin with http://: what passes through it to https is encrypted.',
    );
  return url;
}

function count(name: string, value: number): number {
  if (!Number.isInteger(value) || value < 0 || value > 100)
    throw new ConfigurationError(`${name} must be an integer from 0 to 100.`);
  return value;
}

function duration(name: string, value: number): number {
  if (!(value > 0 && value <= TIMER_MAX_MS))
    throw new ConfigurationError(`${name} must be a number of milliseconds from 1 to ${TIMER_MAX_MS}.`);
  return value;
}

function userAgent(appInfo: string | undefined): string {
  if (appInfo !== undefined && !/^[ -~]{1,200}$/.test(appInfo))
    throw new ConfigurationError('appInfo must be 1 to 200 printable ASCII characters.');
  const { versions, platform } = host();
  const runtime =
    versions?.['deno'] !== undefined
      ? `deno/${versions['deno']}`
      : versions?.['bun'] !== undefined
        ? `bun/${versions['bun']}`
        : versions?.['node'] !== undefined
          ? `node/${versions['node']}`
          : 'javascript/unknown';
  const base = `acuse-typescript/${VERSION} (${runtime}; ${platform ?? 'unknown'})`;
  return appInfo === undefined ? base : `${base} ${appInfo}`;
}

/** Rejects with the signal's reason at once when it aborts. */
function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
