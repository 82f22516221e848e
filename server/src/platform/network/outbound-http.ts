import { Agent } from 'undici';
import type { Stop } from '../light-abort.ts';
import { isMachineFault } from '../local-fault.ts';
import { type AnswerExcerpt, excerptOf } from './answer-excerpt.ts';
import { type CappedAnswer, cappedRequest, RequestFailed } from './capped-request.ts';
import { createGuardedConnect, RefusedAddress } from './guarded-connect.ts';
import { NoAnswer, postOnce, type Target } from './post-once.ts';
import { createResolveHost, type ResolveHost } from './resolve-host.ts';

/**
 * HTTP to addresses that strangers choose (webhooks, documents about programs), guarded against server-side
 * request forgery: https to public addresses, no redirects, no proxy variables, bounded body and time.
 */
export interface OutboundHttp {
  /**
   * Why the URL is refused, or null. Resolves the name, so that private addresses are refused before they are
   * stored.
   */
  refusal(url: string): Promise<string | null>;
  /** POSTs once; any of `stops` aborts it. Every failure is a result, never a throw. */
  post(
    url: string,
    headers: Record<string, string>,
    body: Uint8Array,
    ...stops: readonly Stop[]
  ): Promise<PostResult>;
  /** GETs once; any status is an answer. Throws RequestFailed. */
  get(url: string, limits: GetLimits): Promise<CappedAnswer>;
  close(): Promise<void>;
}

interface GetLimits {
  readonly accept: string;
  readonly maxBytes: number;
  /** With the body. */
  readonly timeoutMs: number;
}

/**
 * `error`: one printable line. `durationMs`: until the status; `ours`: a local fault. `answer`: null without
 * one.
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

interface OutboundHttpOptions {
  allowLoopback: boolean;
  /** Networks (CIDR or addresses) that https may reach though not public. */
  networks?: readonly string[];
  /** Limits `allowLoopback` to `networks`. */
  listedOnly?: boolean;
  dnsServers?: readonly string[];
  resolve?: ResolveHost;
  timeoutMs?: number;
  ca?: readonly string[];
}

/** From the first look-up to the status (ms); docs/limits.md has it for webhooks. */
export const OUTBOUND_TIMEOUT_MS = 15_000;
/** Share of it for connecting to one address: three fit, with time left for the answer. */
const CONNECT_SHARE = 0.27;
const ANSWER_HEADERS_MAX_BYTES = 16 * 1024;
/** Most that an idle connection is kept (ms). */
const KEEP_ALIVE_MS = 4_000;
/** Longest look-up in `refusal` (ms). */
const REFUSAL_TIMEOUT_MS = 8_000;
const URL_MAX_CHARS = 2_048;
const ERROR_MAX_CHARS = 300;
/** Cache of parsed URLs. */
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
    // No limit per origin: tenants share origins, and one must not block the others.
    pipelining: 1,
    // Timed as a whole below.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: ANSWER_HEADERS_MAX_BYTES,
  });

  const targets = new Map<string, Target>();

  /** Cached, because endpoints repeat. */
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

    get: (text, limits) => getOnce(agent, parseUrl(text, allowLoopback), limits),

    close: () => agent.destroy(),
  };
}

async function getOnce(dispatcher: Agent, url: URL | string, limits: GetLimits): Promise<CappedAnswer> {
  if (typeof url === 'string') throw new RequestFailed(url);
  const { accept, ...bounds } = limits;
  return cappedRequest({ url: url.href, headers: { accept }, dispatcher, ...bounds });
}

function parseUrl(text: string, allowHttp: boolean): URL | string {
  if (text.length > URL_MAX_CHARS) return `url exceeds ${URL_MAX_CHARS} characters.`;
  // URL parsers silently drop or escape these.
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

/** The first fault of several addresses counts. */
function isOurs(error: unknown): boolean {
  return isMachineFault(error instanceof AggregateError ? error.errors[0] : error);
}

/** Partly the peer's own text (certificate names): controls and length are cut. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  const code = (error as { code?: unknown }).code;
  const told = error instanceof AggregateError ? String(error.errors[0]?.message ?? '') : error.message;
  const text = typeof code === 'string' && !told.includes(code) ? `${code}: ${told}` : told;
  const line = text.toWellFormed().replace(/\p{Cc}+/gu, ' ');
  return line.slice(0, ERROR_MAX_CHARS).toWellFormed() || 'failed';
}
