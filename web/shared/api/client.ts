import type { ApiCall } from './calls.ts';
import { ApiError, NO_ANSWER, problemOf } from './error.ts';

/**
 * The only place that asks the server. A refusal that its reader can lift (a session that ended, a sign-in
 * that is too long ago) is put to the application, and the call is made again once that is done: what was
 * typed into a form stays there meanwhile.
 */
export interface ApiClient {
  /** `path` below the application's prefix: `/messages`. Throws ApiError. */
  call<T>(method: Method, path: string, options?: CallOptions): Promise<T>;
  /** A download: the answer's bytes; POST, where the question is long. Throws ApiError. */
  bytes(path: string, options?: CallOptions, method?: 'GET' | 'POST'): Promise<Blob>;
  /** Where a frame or a stream, which send no header fields of ours, load an answer from. */
  address(path: string, query?: Query): string;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface CallOptions {
  /** Undefined, null and empty values are left out; lists are joined with commas. */
  readonly query?: Query;
  /** JSON, or a file, which goes as it is with its own type. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** For a sign-in form, which shows refusals itself. */
  readonly unchallenged?: boolean;
  /** It shows a password or a code: a 401 is about that, unless the session has ended. */
  readonly proves?: boolean;
}

export type Query = Readonly<Record<string, QueryValue | readonly QueryValue[]>>;
type QueryValue = string | number | boolean | null | undefined;

/** The reader's options after a refusal. */
export type Challenge = 'session' | 'step_up';

export interface ApiOptions {
  /** The prefix of paths: `/v1/portal`. */
  readonly prefix: string;
  /** The account that calls are for, when the person has several. */
  account(): string | null;
  /** Resolves true once the reader has lifted the refusal. */
  challenge(kind: Challenge): Promise<boolean>;
  /** Told of each call that was answered. */
  onCall(call: ApiCall): void;
  /** READ_LIMIT_MS, unless a test says otherwise. */
  readonly readLimitMs?: number;
}

/**
 * A page that is read shows within this time what it has to show, or that there is no answer (ms): the
 * server's own limits are longer, because what is sent must not be cut off.
 */
export const READ_LIMIT_MS = 12_000;

export function createApi(options: ApiOptions): ApiClient {
  const { readLimitMs = READ_LIMIT_MS } = options;

  async function answered(
    method: Method,
    path: string,
    call: CallOptions,
    limit: AbortSignal | null = null,
  ): Promise<Response> {
    const signals = [call.signal ?? [], limit ?? []].flat();
    const url = options.prefix + path + queryText(call.query);
    const account = options.account();
    const response = await fetch(url, {
      method,
      credentials: 'same-origin',
      headers: {
        Accept: 'application/json',
        ...(call.body === undefined ? {} : { 'Content-Type': typeOf(call.body) }),
        ...(account === null ? {} : { 'Service-Account': account }),
        ...call.headers,
      },
      ...(call.body === undefined ? {} : { body: isFile(call.body) ? call.body : JSON.stringify(call.body) }),
      ...(signals.length === 0 ? {} : { signal: signals[1] ? AbortSignal.any(signals) : signals[0]! }),
    }).catch((cause: unknown) => {
      if (call.signal?.aborted === true) throw cause;
      if (limit?.aborted === true) throw noAnswer();
      throw new ApiError({ status: 0, code: 'unreachable', message: '', requestId: null });
    });
    if (!response.ok) throw new ApiError(await problemOf(response));
    const key = call.headers?.['Idempotency-Key'];
    options.onCall({ method, path: path + queryText(call.query), body: call.body, key });
    return response;
  }

  const limitOf = (method: Method) => (method === 'GET' ? AbortSignal.timeout(readLimitMs) : null);

  async function lifted(
    method: Method,
    path: string,
    call: CallOptions,
    limit: AbortSignal | null = null,
  ): Promise<Response> {
    try {
      return await answered(method, path, call, limit);
    } catch (error) {
      const kind = call.unchallenged === true ? null : challengeOf(error);
      if (kind === null || (kind === 'session' && call.proves === true && (await hasSession()))) throw error;
      if (!(await options.challenge(kind))) throw error;
      return answered(method, path, call, limit === null ? null : limitOf(method));
    }
  }

  function hasSession(): Promise<boolean> {
    return answered('GET', '/session', {}).then(
      () => true,
      (error: unknown) => !(error instanceof ApiError && error.status === 401),
    );
  }

  return {
    async call<T>(method: Method, path: string, call: CallOptions = {}) {
      const limit = limitOf(method);
      const response = await lifted(method, path, call, limit);
      const text = await response.text().catch((cause: unknown) => {
        throw limit?.aborted === true ? noAnswer() : cause;
      });
      // Some answers say all by their status: 202, 204.
      return (text === '' ? undefined : JSON.parse(text)) as T;
    },
    address: (path, query) =>
      options.prefix + path + queryText({ ...query, service_account: options.account() }),
    bytes: async (path, call = {}, method = 'GET') => (await lifted(method, path, call)).blob(),
  };
}

const noAnswer = () => new ApiError({ status: 0, code: NO_ANSWER, message: '', requestId: null });

function isFile(body: unknown): body is Blob {
  return body instanceof Blob;
}

function typeOf(body: unknown): string {
  return isFile(body) ? body.type : 'application/json';
}

function challengeOf(error: unknown): Challenge | null {
  if (!(error instanceof ApiError)) return null;
  if (error.status === 401) return 'session';
  return error.code === 'reauthentication_required' ? 'step_up' : null;
}

export function queryText(query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    const values = [value].flat().filter((each) => each !== undefined && each !== null && each !== '');
    return values.length === 0 ? [] : [[name, values.join(',')]];
  });
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}
