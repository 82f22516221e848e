import { Agent } from 'undici';
import type { Stop } from '../light-abort.ts';
import { isLocalFault } from '../local-fault.ts';
import { type AnswerExcerpt, excerptOf } from './answer-excerpt.ts';
import { createGuardedConnect, RefusedAddress } from './guarded-connect.ts';
import { NoAnswer, postOnce, type Target } from './post-once.ts';
import { createResolveHost, type ResolveHost } from './resolve-host.ts';

/**
 * HTTP to addresses that tenants choose (webhooks), guarded against server-side request forgery: https to
 * public addresses only, redirects are not followed, proxy variables are not read, body and time are capped.
 */
export interface OutboundHttp {
  /**
   * Why this URL is refused, or null. Resolves the name: a URL that leads to a private address is refused
   * before it is stored.
   */
  refusal(url: string): Promise<string | null>;
  /** POSTs once; each of `stops` breaks it off. A failure of any kind is a result, never a throw. */
  post(
    url: string,
    headers: Record<string, string>,
    body: Uint8Array,
    ...stops: readonly Stop[]
  ): Promise<PostResult>;
  close(): Promise<void>;
}

/**
 * `error`: one printable line. `durationMs`: until the answer's status was there; `ours`: this machine could
 * not ask. `answer`: null when there was none.
 */
export type PostResult =
  | { ok: true; statusCode: number; durationMs: number; answer: AnswerExcerpt }
  | {
      ok: false;
      statusCode: number | null;
      error: string;
      durationMs: number;
      ours?: boolean;
      answer: AnswerExcerpt | null;
    };

export interface OutboundHttpOptions {
  /** Lifts the address rule and allows http, both for loopback addresses only (development). */
  allowLoopback: boolean;
  /** Networks that https may lead to though they are not public (CIDR or single addresses). */
  networks?: readonly string[];
  /** `allowLoopback` holds for what is in `networks` alone. */
  listedOnly?: boolean;
  /** DNS servers to ask; without any, the system's. */
  dnsServers?: readonly string[];
  /** In place of the DNS. */
  resolve?: ResolveHost;
  timeoutMs?: number;
  /** PEM certificates to trust instead of the system's. */
  ca?: readonly string[];
}

/** From the first look-up to the answer's status; docs/limits.md has it for webhooks. */
export const OUTBOUND_TIMEOUT_MS = 15_000;
/** Share of that which one address gets to connect: three are tried, and some is left for the answer. */
const CONNECT_SHARE = 0.27;
const ANSWER_HEADERS_MAX_BYTES = 16 * 1024;
/** An idle connection is kept this long, whatever the peer would like (ms). */
const KEEP_ALIVE_MS = 4_000;
/** How long a look-up may keep the caller of `refusal` waiting (ms). */
const REFUSAL_TIMEOUT_MS = 8_000;
const URL_MAX_CHARS = 2_048;
const ERROR_MAX_CHARS = 300;
/** URLs whose parts are kept; the one parsed longest ago goes first. */
const TARGETS_MAX = 1_000;

export function createOutboundHttp(options: OutboundHttpOptions): OutboundHttp {
  const { allowLoopback, timeoutMs = OUTBOUND_TIMEOUT_MS } = options;
  const guard = createGuardedConnect({
    allowLoopback,
    ...(options.networks && { networks: options.networks }),
    ...(options.listedOnly && { listedOnly: true }),
    resolve: options.resolve ?? createResolveHost(options.dnsServers ?? []),
    connectTimeoutMs: Math.round(timeoutMs * CONNECT_SHARE),
    ...(options.ca && { ca: options.ca }),
  });
  const agent = new Agent({
    connect: guard.connect,
    // No bound on an origin's connections: tenants share origins, and one who stalls there must not queue up
    // the others.
    pipelining: 1,
    // The time of the whole attempt is kept below.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: ANSWER_HEADERS_MAX_BYTES,
  });

  const targets = new Map<string, Target>();

  /** As parseUrl: an endpoint is called again and again. */
  function targetOf(text: string): Target | string {
    const known = targets.get(text);
    if (known !== undefined) return known;
    const url = parseUrl(text, allowLoopback);
    if (typeof url === 'string') return url;
    const target = { origin: url.origin, path: url.pathname + url.search };
    if (targets.size >= TARGETS_MAX) targets.delete(targets.keys().next().value!);
    targets.set(text, target);
    return target;
  }

  return {
    async refusal(text) {
      const url = parseUrl(text, allowLoopback);
      if (typeof url === 'string') return url;
      try {
        await within(REFUSAL_TIMEOUT_MS, guard.addressesOf(url));
        return null;
      } catch (error) {
        if (error instanceof RefusedAddress) return `url: ${error.message}.`;
        return `url: ${url.hostname} does not resolve: check its spelling, or create its DNS record first.`;
      }
    },

    async post(text, headers, body, ...stops) {
      const startedMs = performance.now();
      const failed = (error: string, atMs = performance.now()) =>
        ({
          ok: false,
          statusCode: null,
          error,
          durationMs: Math.round(atMs - startedMs),
          answer: null,
        }) as const;
      const target = targetOf(text);
      if (typeof target === 'string') return failed(target);
      try {
        const posted = await postOnce(agent, { target, headers, body, stops, timeoutMs });
        const { statusCode, answeredMs } = posted;
        const answer = excerptOf(posted.headers, posted.start);
        if (statusCode >= 200 && statusCode <= 299)
          return { ok: true, statusCode, durationMs: Math.round(answeredMs - startedMs), answer };
        const redirect = statusCode >= 300 && statusCode <= 399 ? ' (redirects are not followed)' : '';
        return { ...failed(`answered ${statusCode}${redirect}`, answeredMs), statusCode, answer };
      } catch (error) {
        if (error instanceof NoAnswer) return failed(error.message);
        return { ...failed(describe(error)), ours: isOurs(error) };
      }
    },

    close: () => agent.destroy(),
  };
}

/** The URL, or why it is not one that we would call. */
function parseUrl(text: string, allowHttp: boolean): URL | string {
  if (text.length > URL_MAX_CHARS) return `url exceeds ${URL_MAX_CHARS} characters.`;
  // What URL parsers drop or escape in silence would be stored, and shown, as given.
  if (/[\s\p{Cc}]/u.test(text)) return 'url must not contain white space or control characters.';
  if (!URL.canParse(text)) return 'url is not an absolute URL such as https://example.com/hooks.';
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) return 'url must use https.';
  if (url.username !== '' || url.password !== '')
    return 'url must not carry credentials: check Service-Signature instead.';
  if (text.includes('#')) return 'url must not have a fragment.';
  return url;
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, failed) => {
    timer = setTimeout(() => failed(new Error(`took longer than ${ms} ms`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Of several addresses that were tried, the first fault tells. */
function isOurs(error: unknown): boolean {
  return isLocalFault(error instanceof AggregateError ? error.errors[0] : error);
}

/**
 * The peer has a say in these words (its certificate's names, for one): controls and excess length are cut.
 */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  const code = (error as { code?: unknown }).code;
  const told = error instanceof AggregateError ? String(error.errors[0]?.message ?? '') : error.message;
  const text = typeof code === 'string' && !told.includes(code) ? `${code}: ${told}` : told;
  const line = text.toWellFormed().replace(/\p{Cc}+/gu, ' ');
  return line.slice(0, ERROR_MAX_CHARS).toWellFormed() || 'failed';
}
