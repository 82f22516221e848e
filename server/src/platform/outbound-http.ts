import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Agent, buildConnector, request } from 'undici';
import { isLoopbackAddress, isPublicAddress } from './public-address.ts';

/**
 * HTTP to addresses that tenants choose (webhooks). Guarded against server-side request forgery: the URL's literal, every resolved
 * address and the connected peer are checked; redirects are not followed; proxy variables are not read; body and time are capped.
 */
export interface OutboundHttp {
  /** Why this URL is refused, or null. Resolves the name: a URL that names a private address is refused before anything is stored. */
  refusal(url: string): Promise<string | null>;
  /** POSTs once. A failure of any kind is a result, never a throw. */
  post(url: string, headers: Record<string, string>, body: Uint8Array, signal?: AbortSignal): Promise<PostResult>;
  close(): Promise<void>;
}

export type PostResult =
  | { ok: true; statusCode: number; durationMs: number }
  | { ok: false; statusCode: number | null; error: string; durationMs: number };

export interface OutboundHttpOptions {
  /** Lifts the address rule and allows http, both on loopback addresses only (development). */
  allowLoopback: boolean;
  /** All addresses of a name. Default: the system's resolver. */
  resolve?: (hostname: string) => Promise<string[]>;
  timeoutMs?: number;
  /** PEM certificates to trust besides the system's (development, tests). */
  extraCa?: string[];
}

/** From the first byte of the connection to the last of the answer (contract.md "Webhooks"). */
export const OUTBOUND_TIMEOUT_MS = 15_000;
/** An answer's body says nothing to us: it is read this far, so that the connection can be used again, then cut. */
const ANSWER_MAX_BYTES = 64 * 1024;
const URL_MAX_CHARS = 2_048;

export function createOutboundHttp(options: OutboundHttpOptions): OutboundHttp {
  const timeoutMs = options.timeoutMs ?? OUTBOUND_TIMEOUT_MS;
  const resolve = options.resolve ?? (async (hostname) => (await systemLookup(hostname, { all: true, verbatim: true })).map((found) => found.address));
  const allowed = (address: string) => isPublicAddress(address) || (options.allowLoopback && isLoopbackAddress(address));

  async function checkedAddresses(hostname: string): Promise<string[]> {
    const bare = hostname.replace(/^\[|\]$/g, '');
    const addresses = isIP(bare) !== 0 ? [bare] : await resolve(bare);
    if (addresses.length === 0) throw new Error(`${hostname} has no address`);
    const bad = addresses.find((address) => !allowed(address));
    if (bad !== undefined) throw new RefusedAddress(`${hostname} resolves to ${bad}, which is not a public address`);
    return addresses;
  }

  const connect = buildConnector({ timeout: timeoutMs, ...(options.extraCa && { ca: options.extraCa }) });
  const agent = new Agent({
    connections: 8,
    pipelining: 1,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: 5_000,
    maxHeaderSize: 16 * 1024,
    connect(target, callback) {
      // The name is resolved here and the address that was checked is the one that is dialled: rebinding finds no second look-up.
      checkedAddresses(target.hostname)
        .then((addresses) => {
          const name = target.hostname.replace(/^\[|\]$/g, '');
          connect({ ...target, hostname: addresses[0]!, ...(isIP(name) === 0 && { servername: name }) }, (...result) => {
            const [error, socket] = result;
            if (error === null && socket !== null && !allowed(socket.remoteAddress ?? '')) {
              socket.destroy();
              return callback(new RefusedAddress(`connected to ${socket.remoteAddress}, which is not a public address`), null);
            }
            return (callback as (...args: unknown[]) => void)(...result);
          });
        })
        .catch((error) => callback(error, null));
    },
  });

  return {
    async refusal(text) {
      const parsed = parseUrl(text, options.allowLoopback);
      if (typeof parsed === 'string') return parsed;
      try {
        const addresses = await checkedAddresses(parsed.hostname);
        if (parsed.protocol === 'http:' && !addresses.every(isLoopbackAddress)) return 'url must be https.';
        return null;
      } catch (error) {
        if (error instanceof RefusedAddress) return `url: ${error.message}.`;
        return `url: ${parsed.hostname} cannot be resolved: check its spelling, or create its DNS record first.`;
      }
    },

    async post(text, headers, body, signal) {
      const started = performance.now();
      const durationMs = () => Math.round(performance.now() - started);
      const parsed = parseUrl(text, options.allowLoopback);
      if (typeof parsed === 'string') return { ok: false, statusCode: null, error: parsed, durationMs: durationMs() };
      const timeout = AbortSignal.timeout(timeoutMs);
      try {
        const answer = await request(parsed, {
          method: 'POST',
          headers,
          body,
          dispatcher: agent,
          signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
        });
        await readCapped(answer.body);
        const statusCode = answer.statusCode;
        if (statusCode >= 200 && statusCode <= 299) return { ok: true, statusCode, durationMs: durationMs() };
        const redirect = statusCode >= 300 && statusCode <= 399 ? ' (redirects are not followed)' : '';
        return { ok: false, statusCode, error: `answered ${statusCode}${redirect}`, durationMs: durationMs() };
      } catch (error) {
        return { ok: false, statusCode: null, error: timeout.aborted ? `no answer within ${timeoutMs} ms` : describe(error), durationMs: durationMs() };
      }
    },

    close: () => agent.destroy(),
  };
}

class RefusedAddress extends Error {}

function parseUrl(text: string, allowLoopback: boolean): URL | string {
  if (text.length > URL_MAX_CHARS) return `url is longer than ${URL_MAX_CHARS} characters.`;
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return 'url is not an absolute URL such as https://example.com/hooks.';
  }
  if (url.protocol !== 'https:' && !(allowLoopback && url.protocol === 'http:')) return 'url must be https.';
  if (url.username !== '' || url.password !== '') return 'url must not carry credentials: check Service-Signature instead.';
  if (url.hash !== '' || text.includes('#')) return 'url must not have a fragment.';
  if (url.hostname === '') return 'url has no host.';
  return url;
}

async function readCapped(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<void> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > ANSWER_MAX_BYTES) {
      body.destroy();
      return;
    }
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  const code = (error as { code?: unknown }).code;
  const text = error instanceof AggregateError && error.errors.length > 0 ? String(error.errors[0].message) : error.message;
  return (typeof code === 'string' && !text.includes(code) ? `${code}: ${text}` : text).slice(0, 300) || 'failed';
}
