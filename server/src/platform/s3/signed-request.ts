import { createHash } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import { Gathered } from '../gathered.ts';

/** Bounded requests to an S3-compatible store, signed by Signature Version 4. */
export interface StoreSettings {
  readonly endpoint: string;
  readonly region: string;
  /** True: https://endpoint/bucket/key; false: https://bucket.endpoint/key. */
  readonly pathStyle: boolean;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
}

/** No usable answer: a network error or the store's. */
export class StoreUnreachable extends Error {
  override readonly name = 'StoreUnreachable';
}

export const REQUEST_TIMEOUT_MS = 10_000;
/** Longest pause between bytes of an answer, however long the whole read takes (ms). */
const STALL_MS = 10_000;
export const ERROR_MAX_BYTES = 8_192;
const ERROR_CODE = /<Code>(\w{1,64})<\/Code>/;

/** The whole answer, of at most `maxBytes`. Throws StoreUnreachable. */
export type Ask = (key: string, init: RequestInit, maxBytes: number) => Promise<Answer>;

export function createAsk(
  place: string,
  settings: StoreSettings,
  timeoutMs: number,
  stallMs = STALL_MS,
): Ask {
  const { accessKeyId, secretAccessKey, sessionToken, region } = settings;
  const client = new AwsClient({
    ...{ accessKeyId, secretAccessKey, region, service: 's3' },
    ...(sessionToken === null ? {} : { sessionToken }),
  });
  const base = baseOf(place, settings);
  const urlOf = (key: string) => `${base}/${key.split('/').map(segmentOf).join('/')}`;

  return async function ask(key, init, maxBytes) {
    const body = init.body instanceof Uint8Array || typeof init.body === 'string' ? init.body : '';
    const headers = {
      ...init.headers,
      'x-amz-content-sha256': createHash('sha256').update(body).digest('hex'),
    };
    const signal = [AbortSignal.timeout(timeoutMs)];
    // The progress of an upload is not known here.
    const stall = body === '' ? createStall(stallMs) : null;
    if (stall !== null) signal.push(stall.signal);
    try {
      const signed = await client.sign(urlOf(key), { ...init, headers });
      const response = await fetch(signed, { signal: AbortSignal.any(signal), redirect: 'manual' });
      const most = response.ok ? maxBytes : ERROR_MAX_BYTES;
      const bytes = await readBytes(response, most, () => stall?.goesOn());
      return { status: response.status, etag: response.headers.get('etag'), bytes };
    } catch (error) {
      throw new StoreUnreachable(reasonOf(error), { cause: error });
    } finally {
      stall?.end();
    }
  };
}

export interface Answer {
  readonly status: number;
  readonly etag: string | null;
  readonly bytes: Buffer;
}

export const isDone = ({ status }: Answer) => status === 200 || status === 201 || status === 204;

export const codeOf = ({ bytes }: Answer) => ERROR_CODE.exec(bytes.toString('utf8'))?.[1] ?? null;

export function describe(answer: Answer): string {
  const code = codeOf(answer);
  return `the store answered ${answer.status}${code === null ? '' : ` ${code}`}`;
}

function baseOf(place: string, { endpoint, pathStyle }: StoreSettings): string {
  const [bucket, ...prefix] = place.slice('s3://'.length).split('/');
  const url = new URL(endpoint);
  if (!pathStyle) url.hostname = `${bucket}.${url.hostname}`;
  const folders = [...(pathStyle ? [bucket!] : []), ...prefix].filter((part) => part !== '');
  return [url.href.replace(/\/$/, ''), ...folders.map(encodeURIComponent)].join('/');
}

/** Escapes what a URL would drop or resolve; the signature needs `=` escaped too. */
function segmentOf(part: string): string {
  return ['', '.', '..'].includes(part) ? `=${part}` : encodeURIComponent(part);
}

/** Aborts when nothing arrives for so long. */
function createStall(ms: number) {
  const stalled = new AbortController();
  const timer = setTimeout(() => {
    stalled.abort(new DOMException('', 'TimeoutError'));
  }, ms);
  return { signal: stalled.signal, goesOn: () => timer.refresh(), end: () => clearTimeout(timer) };
}

async function readBytes(response: Response, maxBytes: number, onBytes: () => void): Promise<Buffer> {
  const gathered = new Gathered();
  for await (const chunk of response.body ?? []) {
    onBytes();
    if (gathered.sizeBytes + chunk.length > maxBytes)
      throw new Error(`it answers with more than ${maxBytes} bytes`);
    gathered.add(chunk);
  }
  return gathered.bytes();
}

/** fetch hides the reason in its cause. */
function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error;
  if (name === 'TimeoutError') return 'no whole answer in time';
  return cause instanceof Error && cause.message !== '' ? cause.message : message;
}
