import { type Dispatcher, request } from 'undici';
import { gatherUpTo } from '../../platform/gathered.ts';
import { limitedSignal } from '../../platform/limited-signal.ts';
import { SealerError } from './sealer.ts';

/** One bounded request to an authority; each failure gives an operator a clear sentence. */

export type SealerCredentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  | { readonly kind: 'bearer'; readonly token: string };

export interface SealerService {
  readonly url: string;
  readonly credentials: SealerCredentials;
  readonly timeoutMs?: number;
  readonly dispatcher?: Dispatcher;
}

export interface SealerRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly maxBytes?: number;
}

interface SealerAnswer {
  readonly bytes: Uint8Array;
  /** For the operator. */
  readonly from: string;
  readonly mediaType: string;
}

const TIMEOUT_MS = 30_000;
/** Tokens take a few KiB, some hundred with revocation data. */
const MAX_RESPONSE_BYTES = 1024 * 1024;
const MAX_QUOTE = 200;

/** Throws SealerError for anything but 2xx. */
export async function postToAuthority(
  service: SealerService,
  { headers, body, maxBytes = MAX_RESPONSE_BYTES }: SealerRequest,
  signal: AbortSignal,
): Promise<SealerAnswer> {
  const { url } = service;
  const limit = limitedSignal(service.timeoutMs ?? TIMEOUT_MS, signal);
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
    bytes = await readCapped(answer.body, maxBytes);
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

async function readCapped(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const bytes = await gatherUpTo(body, maxBytes);
  if (bytes === null) throw new SealerError(`the answer is over ${maxBytes} bytes`);
  return bytes;
}

/** Without credentials and query, which may be secret. */
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

/** Safe to print. */
export function quote(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.subarray(0, 4 * MAX_QUOTE)).toString('utf8');
  return JSON.stringify(text.replace(/\p{C}+|\s+/gu, ' ').slice(0, MAX_QUOTE));
}
