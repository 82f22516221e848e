/** Exchanges over node:http and node:https: kept connections, own certificates, a proxy. */
import { readFileSync } from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';
import type { Socket } from 'node:net';
import { ConfigurationError, type Phase } from '../errors.ts';
import { tunnelAgent } from './proxy.ts';
import { proxyAuthorization } from './proxy-authorization.ts';
import {
  type FailureKind,
  type HttpAnswer,
  HttpFailure,
  type HttpRequest,
  type Transport,
} from './transport.ts';

/** Connections at once to a host. */
const CONNECTIONS_MAX = 100;
/** The server closes an idle connection after 72 s; it must not be used at that moment. */
const IDLE_MS = 60_000;

/** `caFile`: PEM, read at once, so that a wrong path is told before any request. */
export function platformTransport(options: {
  caFile?: string | undefined;
  proxy?: URL | undefined;
}): Transport {
  const ca = options.caFile === undefined ? undefined : readCa(options.caFile);
  const pool = {
    keepAlive: true,
    maxSockets: CONNECTIONS_MAX,
    timeout: IDLE_MS,
    scheduling: 'lifo' as const,
  };
  const tls = { ...pool, ...(ca !== undefined && { ca }) };
  const agents =
    options.proxy === undefined
      ? { 'http:': new http.Agent(pool), 'https:': new https.Agent(tls) }
      : { 'http:': new http.Agent(pool), 'https:': tunnelAgent(tls, options.proxy) };
  return {
    exchange: (request) => exchange(request, agents, options.proxy),
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

function readCa(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ConfigurationError(`caFile cannot be read: ${path}`, {}, { cause });
  }
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw new ConfigurationError(`caFile has no certificate in PEM: ${path}`);
  return text;
}

type Agents = Record<'http:' | 'https:', http.Agent>;

function exchange(request: HttpRequest, agents: Agents, proxy: URL | undefined): Promise<HttpAnswer> {
  const url = new URL(request.url);
  const secure = url.protocol === 'https:';
  const options = {
    method: request.method,
    headers: { ...request.headers, 'Content-Length': String(request.body?.length ?? 0) },
    agent: agents[secure ? 'https:' : 'http:'],
  };
  if (request.body === undefined && (request.method === 'GET' || request.method === 'DELETE'))
    Reflect.deleteProperty(options.headers, 'Content-Length');
  // Plain http goes through a proxy by naming the whole URL. RFC 9110 §7.1
  const viaProxy = proxy !== undefined && !secure;
  const outgoing = secure
    ? https.request(url, options)
    : http.request(viaProxy ? plainProxied(url, options, proxy) : { ...target(url), ...options });
  return new Exchange(outgoing, request, secure).run();
}

function target(url: URL): http.RequestOptions {
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  return { protocol: url.protocol, hostname, port: url.port, path: url.pathname + url.search };
}

function plainProxied(url: URL, options: http.RequestOptions, proxy: URL): http.RequestOptions {
  const headers = {
    ...(options.headers as Record<string, string>),
    Host: url.host,
    ...proxyAuthorization(proxy),
  };
  return { ...target(proxy), ...options, path: url.href, headers };
}

/** One exchange from its first byte to its last. */
class Exchange {
  #phase: Phase = 'connect';
  #failed: HttpFailure | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #outgoing: http.ClientRequest;
  readonly #request: HttpRequest;
  readonly #secure: boolean;

  constructor(outgoing: http.ClientRequest, request: HttpRequest, secure: boolean) {
    this.#outgoing = outgoing;
    this.#request = request;
    this.#secure = secure;
  }

  run(): Promise<HttpAnswer> {
    const { signal, body, connectTimeoutMs } = this.#request;
    return new Promise((resolve, reject) => {
      const abort = () => this.#outgoing.destroy();
      const settle = () => clearTimeout(this.#timer);
      this.#outgoing.on('error', (error) => {
        settle();
        signal?.removeEventListener('abort', abort);
        reject(signal?.aborted ? signal.reason : (this.#failed ?? this.#failure(error)));
      });
      this.#outgoing.once('socket', (socket) => this.#follow(socket));
      this.#outgoing.once('finish', () => {
        if (this.#phase === 'send') this.#phase = 'receive';
      });
      this.#outgoing.once('response', (incoming) => {
        settle();
        this.#phase = 'receive';
        const done = () => signal?.removeEventListener('abort', abort);
        resolve({
          status: incoming.statusCode ?? 0,
          headers: headersOf(incoming),
          body: this.#read(incoming, done),
        });
      });
      this.#expire('connect', connectTimeoutMs);
      if (signal?.aborted) abort();
      else signal?.addEventListener('abort', abort, { once: true });
      this.#outgoing.end(body);
    });
  }

  #follow(socket: Socket): void {
    if (!socket.connecting) {
      this.#sending();
      return;
    }
    socket.once('connect', () => {
      if (this.#secure) this.#phase = 'tls';
      else this.#sending();
    });
    socket.once('secureConnect', () => this.#sending());
  }

  #sending(): void {
    this.#phase = 'send';
    this.#expire('answer', this.#request.timeoutMs);
  }

  #expire(what: 'connect' | 'answer' | 'bytes', ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const kind = what === 'connect' ? 'no_connection' : 'timeout';
      const text = what === 'connect' ? 'No connection' : what === 'bytes' ? 'No further bytes' : 'No answer';
      this.#failed = new HttpFailure(kind, this.#phase, `${text} within ${Math.round(ms)} ms.`);
      this.#outgoing.destroy(this.#failed);
    }, ms);
  }

  async *#read(incoming: http.IncomingMessage, done: () => void): AsyncGenerator<Uint8Array> {
    const { signal, idleTimeoutMs, timeoutMs } = this.#request;
    this.#expire(idleTimeoutMs === undefined ? 'answer' : 'bytes', idleTimeoutMs ?? timeoutMs);
    let whole = false;
    try {
      for await (const chunk of incoming) {
        if (idleTimeoutMs !== undefined) this.#expire('bytes', idleTimeoutMs);
        yield chunk;
      }
      whole = incoming.complete;
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw this.#failed ?? this.#failure(error as Error);
    } finally {
      clearTimeout(this.#timer);
      done();
      if (!whole) incoming.destroy();
    }
    if (!whole) throw this.#failed ?? new HttpFailure('lost_answer', 'receive', 'The answer was cut short.');
  }

  #failure(cause: NodeJS.ErrnoException): HttpFailure {
    if (cause instanceof HttpFailure) return cause;
    const kind = this.#kindOf(cause);
    const said = cause.message === '' ? (cause.code ?? 'the connection failed') : cause.message;
    return new HttpFailure(kind, this.#phase, `${PHASES[this.#phase]}: ${said}.`, { cause });
  }

  #kindOf({ code }: NodeJS.ErrnoException): FailureKind {
    if (this.#phase === 'connect') return 'no_connection';
    // A handshake that is cut off says nothing about certificates.
    if (this.#phase === 'tls') return code === 'ECONNRESET' || code === 'EPIPE' ? 'no_connection' : 'tls';
    return 'lost_answer';
  }
}

const PHASES: Record<Phase, string> = {
  connect: 'No connection',
  tls: 'The TLS handshake failed',
  send: 'The connection ended while the request was sent',
  receive: 'The connection ended before the answer was whole',
};

function headersOf(incoming: http.IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
  );
}
