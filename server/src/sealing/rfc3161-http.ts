import type { ExpectedTimeStamp, TimeStampPolicy } from '@acuse/evidence/timestamp/policy';
import {
  buildTimeStampRequest,
  TIME_STAMP_QUERY_TYPE,
  TIME_STAMP_REPLY_TYPE,
} from '@acuse/evidence/timestamp/request';
import { type Dispatcher, request } from 'undici';
import { type Sealer, SealerError } from './sealer.ts';

/** RFC 3161 over HTTP (§3.4): the adapter for every authority that speaks the standard. */

export type SealerCredentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  | { readonly kind: 'bearer'; readonly token: string };

export interface Rfc3161HttpOptions {
  readonly url: string;
  readonly policy: TimeStampPolicy;
  readonly credentials: SealerCredentials;
  /** `bytes` fresh random bytes. */
  readonly random: (bytes: number) => Uint8Array;
  /** Whole exchange, connection to last byte. */
  readonly timeoutMs?: number;
  /** How connections are made; undici's own by default. */
  readonly dispatcher?: Dispatcher;
}

const TIMEOUT_MS = 30_000;
/** A token with its chain is a few kilobytes, one with revocation data some hundred: more is no token. */
const MAX_RESPONSE_BYTES = 1024 * 1024;
/** Enough that a replayed answer cannot carry it by chance. */
const NONCE_BYTES = 16;
/** Characters of an authority's error page kept for the operator. */
const MAX_QUOTE = 200;

const DER_SEQUENCE = 0x30;

export function createRfc3161HttpSealer(options: Rfc3161HttpOptions): Sealer {
  const { policy, timeoutMs = TIMEOUT_MS } = options;
  const headers: Record<string, string> = {
    'content-type': TIME_STAMP_QUERY_TYPE,
    accept: TIME_STAMP_REPLY_TYPE,
    ...authorization(options.credentials),
  };
  const [requestedPolicy] = policy.policies?.length === 1 ? policy.policies : [];

  return {
    name: policy.name,
    policy,
    async stamp(imprint, signal) {
      const expected: ExpectedTimeStamp = {
        imprint,
        hashAlgorithm: 'sha256',
        ...(policy.nonce === true && { nonce: options.random(NONCE_BYTES) }),
        ...(requestedPolicy !== undefined && { policy: requestedPolicy }),
      };
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const response = await post(options, headers, buildTimeStampRequest(expected), limit);
      return { response, expected };
    },
  };
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

async function post(
  options: Rfc3161HttpOptions,
  headers: Record<string, string>,
  body: Uint8Array,
  signal: AbortSignal,
): Promise<Uint8Array> {
  let answer: Dispatcher.ResponseData;
  let bytes: Uint8Array;
  try {
    answer = await request(options.url, {
      method: 'POST',
      headers,
      body,
      signal,
      ...(options.dispatcher === undefined ? {} : { dispatcher: options.dispatcher }),
    });
    bytes = await readCapped(answer.body);
  } catch (error) {
    if (error instanceof SealerError) throw error;
    throw new SealerError(`no answer from ${shown(options.url)}: ${reason(error, signal)}`, { cause: error });
  }
  const type = String(answer.headers['content-type'] ?? 'no content type');
  if (answer.statusCode !== 200) {
    throw new SealerError(
      `${shown(options.url)} answered HTTP ${answer.statusCode} (${type}): ${quote(bytes)}`,
    );
  }
  // The media type is not insisted on, for real authorities get it wrong; what is no DER at all is named here,
  // because "expected a SEQUENCE" helps nobody whose proxy answers with a login page.
  if (bytes[0] !== DER_SEQUENCE) {
    throw new SealerError(`${shown(options.url)} answered ${type} instead of a time-stamp: ${quote(bytes)}`);
  }
  return bytes;
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

function quote(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.subarray(0, 4 * MAX_QUOTE)).toString('utf8');
  return JSON.stringify(text.replace(/\p{C}+|\s+/gu, ' ').slice(0, MAX_QUOTE));
}
