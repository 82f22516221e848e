import { type Dispatcher, request } from 'undici';
import { gatherUpTo } from '../gathered.ts';

/** One HTTP request, bounded in time and size. Where it may go is the dispatcher's to say. */
interface CappedRequest {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly dispatcher?: Dispatcher;
}

export interface CappedAnswer {
  readonly status: number;
  /** Lower case, without parameters; empty when absent. */
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** No answer, or one beyond the limits. The message shows no secret of the URL. */
export class RequestFailed extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'RequestFailed';
  }
}

/** Any status is an answer; redirects are not followed. Throws RequestFailed. */
export async function cappedRequest(options: CappedRequest): Promise<CappedAnswer> {
  const { url, method = 'GET', headers, body, maxBytes, timeoutMs, dispatcher } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]);
  try {
    const answer = await request(url, {
      method,
      signal,
      ...(headers !== undefined && { headers }),
      ...(body !== undefined && { body }),
      ...(dispatcher !== undefined && { dispatcher }),
    });
    const mediaType = String(answer.headers['content-type'] ?? '').split(';', 1)[0]!;
    const bytes = await gatherUpTo(answer.body, maxBytes);
    if (bytes === null) throw new RequestFailed(`${shownUrl(url)} answered with over ${maxBytes} bytes`);
    return { status: answer.statusCode, mediaType: mediaType.trim().toLowerCase(), bytes };
  } catch (error) {
    if (error instanceof RequestFailed) throw error;
    throw new RequestFailed(`no answer from ${shownUrl(url)}: ${reasonOf(error, timeout, timeoutMs)}`, {
      cause: error,
    });
  }
}

/** Without credentials and query, which may be secret. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return 'no URL';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function reasonOf(error: unknown, timeout: AbortSignal, timeoutMs: number): string {
  if (timeout.aborted) return `nothing within ${timeoutMs} ms`;
  const first = error instanceof AggregateError ? error.errors[0] : error;
  if (!(first instanceof Error)) return String(first);
  const { code } = first as { code?: unknown };
  return first.message || (typeof code === 'string' ? code : first.name);
}
