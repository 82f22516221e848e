import { type Dispatcher, request } from 'undici';
import { SealerError } from './sealer.ts';

/**
 * One request to an authority: bounded in time and size, and every way in which it can fail a sentence that
 * an operator can act on.
 */

export type SealerCredentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  | { readonly kind: 'bearer'; readonly token: string };

export interface SealerService {
  readonly url: string;
  readonly credentials: SealerCredentials;
  /** Whole exchange, connection to last byte. */
  readonly timeoutMs?: number;
  /** How connections are made (client certificate, other roots); undici's own by default. */
  readonly dispatcher?: Dispatcher;
}

export interface SealerRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface SealerAnswer {
  readonly bytes: Uint8Array;
  /** Where it came from and what it calls itself, for the operator. */
  readonly from: string;
  readonly mediaType: string;
}

const TIMEOUT_MS = 30_000;
/** A token with its chain is a few kilobytes, one with revocation data some hundred: more is not a token. */
const MAX_RESPONSE_BYTES = 1024 * 1024;
/** Characters of an authority's error page kept for the operator. */
const MAX_QUOTE = 200;

/** The bytes of a 2xx answer. Throws SealerError for anything else. */
export async function postToAuthority(
  service: SealerService,
  { headers, body }: SealerRequest,
  signal: AbortSignal,
): Promise<SealerAnswer> {
  const { url } = service;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(service.timeoutMs ?? TIMEOUT_MS)]);
  const from = shown(url);
  let answer: Dispatcher.ResponseData;
  let bytes: Uint8Array;
  try {
    answer = await request(url, {
      method: 'POST',
      headers: { ...headers, ...authorization(service.credentials) },
      body,
      signal: limit,
      ...(service.dispatcher === undefined ? {} : { dispatcher: service.dispatcher }),
    });
    bytes = await readCapped(answer.body);
  } catch (error) {
    if (error instanceof SealerError) throw error;
    throw new SealerError(`no answer from ${from}: ${reason(error, limit)}`, { cause: error });
  }
  const mediaType = String(answer.headers['content-type'] ?? 'no content type');
  if (answer.statusCode < 200 || answer.statusCode > 299) {
    throw new SealerError(`${from} answered HTTP ${answer.statusCode} (${mediaType}): ${quote(bytes)}`);
  }
  return { bytes, from, mediaType };
}

function authorization(credentials: SealerCredentials): Record<string, string> {
  switch (credentials.kind) {
    case 'none':
      return {};
    case 'basic': {
      const pair = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
      return { authorization: `Basic ${pair}` };
    }
    case 'bearer':
      return { authorization: `Bearer ${credentials.token}` };
  }
}

async function readCapped(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_RESPONSE_BYTES)
      throw new SealerError(`the answer is over ${MAX_RESPONSE_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The address without credentials or query, which may be secrets. */
function shown(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function reason(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return signal.reason instanceof Error ? signal.reason.message : 'aborted';
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: unknown };
  return error.message || (typeof code === 'string' ? code : error.name);
}

/** The beginning of what came, safe to print. */
export function quote(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.subarray(0, 4 * MAX_QUOTE)).toString('utf8');
  return JSON.stringify(text.replace(/\p{C}+|\s+/gu, ' ').slice(0, MAX_QUOTE));
}
