/** Streamable HTTP without sessions: each request brings its key or token, which is passed on, never kept. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import {
  createServer as createHttp,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import { type Config, SettingError } from './config.ts';
import { createKnown, createPlaces, holdersOf } from './places.ts';
import { challengeOf, createMetadata, IssuerError, isMetadataPath } from './protected-resource.ts';
import { Refusal } from './refusal.ts';
import { createServer, WRONG_KEY } from './server.ts';
import { openSession } from './session.ts';

/** Attachments of 10 MiB in base64, and the rest. */
const BODY_MAX_BYTES = 16 * 2 ** 20;
/** Of all bodies, from their first byte until the answer is out. */
const BODIES_MAX_BYTES = 256 * 2 ** 20;
/** Of each body, not counted: whoever asks for little is served whatever others hold. */
const BODY_FREE_BYTES = 2 ** 18;
/** Each piece of a body costs some microseconds: it may have so many, and one more for each so many bytes. */
const PIECES_MAX = 1_024;
const BYTES_PER_PIECE = 64;
/** What a piece takes in memory besides its own bytes. */
const PIECE_BYTES = 512;
const HEADERS_MAX_BYTES = 16 * 2 ** 10;
/** Requests that are served at once, and streams among them that wait for news. */
const REQUESTS_MAX = 128;
const STREAMS_MAX = 64;
/** Those of one key: what is good is never given up for others. */
const KEY_REQUESTS_MAX = 64;
const CONNECTIONS_MAX = 512;
/** Keys whose requests keep their places from their first byte on. */
const KNOWN_KEYS_MAX = 4_096;
/** Until the headers, and until the whole of a request must be here. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 60_000;
const IDLE_MS = 5_000;
/** How often connections are looked at for these. */
const CHECK_MS = 5_000;
const BUSY_RETRY_S = '1';
const BEARER = /^Bearer (acuse_[A-Za-z0-9_-]{1,200})$/;

const LIMITS = {
  maxHeaderSize: HEADERS_MAX_BYTES,
  headersTimeout: HEADERS_MS,
  requestTimeout: REQUEST_MS,
  keepAliveTimeout: IDLE_MS,
  connectionsCheckingInterval: CHECK_MS,
};

export interface HttpServer {
  readonly url: string;
  close(): Promise<void>;
}

/** `address`: host and port. Throws SettingError for an address that is not this machine's without hosts. */
export async function serveHttp(
  config: Config,
  address: string,
  log: (line: string) => void,
): Promise<HttpServer> {
  const { host, port } = addressOf(address);
  if (
    !localhostAllowedHostnames().includes(host.includes(':') ? `[${host}]` : host) &&
    config.hosts.length === 0
  )
    throw new SettingError(
      'Listening beyond this machine needs ACUSE_MCP_HOSTS: the names under which clients reach it, over TLS.',
    );
  const handler = handlerOf(config, log);
  const serve = toNodeHandler({ fetch: handler.answer }, { maxRequestBodySize: BODY_MAX_BYTES });
  const requests = createPlaces(REQUESTS_MAX);
  const bodies = createPlaces(BODIES_MAX_BYTES);
  const known = createKnown(KNOWN_KEYS_MAX);
  /** Requests that are served, by key. */
  const countOf = new Map<string, number>();
  const metadata = createMetadata(config);
  const server = createHttp(LIMITS, (request, response) => {
    if (endsPipelining(request.socket, response)) return;
    if (isMetadataPath(config.url, request.url) && request.method === 'GET' && isForUs(config, request))
      return void answerMetadata(response, metadata);
    const refused = refusalOf(config, request);
    if (refused !== null) return refuse(response, refused);
    const { socket } = request;
    const key = hashOf(request.headers.authorization!);
    const seen: Seen = { isGood: known.has(key), hasWrongKey: false };
    const place = placeOf(socket, () => !request.complete || !seen.isGood);
    const ofKey = countOf.get(key) ?? 0;
    if (ofKey >= KEY_REQUESTS_MAX) return refuse(response, BUSY_KEY);
    if (!requests.take(place)) return refuse(response, BUSY);
    countOf.set(key, ofKey + 1);
    atWork.set(socket, request);
    response.once('close', () => {
      requests.leave(place);
      bodies.leave(place);
      const left = countOf.get(key)! - 1;
      if (left === 0) countOf.delete(key);
      else countOf.set(key, left);
      if (atWork.get(socket) === request) atWork.delete(socket);
      if (seen.hasWrongKey) known.forget(key);
      else if (seen.isGood) known.add(key);
    });
    const bounded = boundedBody(request, (bytes) => bodies.take(place, bytes));
    REQUEST.run(seen, () => serve(bounded, response)).catch(() => response.destroy());
  });
  const connections = createPlaces(CONNECTIONS_MAX);
  server.on('connection', (socket) => {
    const place = placeOf(socket, () => atWork.get(socket)?.complete !== true);
    if (!connections.take(place)) return void socket.destroy();
    socket.once('close', () => connections.leave(place));
  });
  await listen(server, host, port);
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}/mcp`,
    async close() {
      await handler.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The last answer on a connection. */
const answers = new WeakMap<Socket, ServerResponse>();

/** Node begins all that a connection writes, thousands in one read. Clients of MCP wait for each answer. */
function endsPipelining(socket: Socket, response: ServerResponse): boolean {
  const last = answers.get(socket);
  if (last !== undefined && !(last.writableEnded && last.shouldKeepAlive)) socket.destroy();
  answers.set(socket, response);
  return socket.destroyed;
}

/** The request of a connection that is served; its whole body is here once it is complete. */
const atWork = new WeakMap<Socket, IncomingMessage>();

function placeOf(socket: Socket, waits: () => boolean) {
  return { holders: holdersOf(socket.remoteAddress ?? ''), waits, giveUp: () => void socket.destroy() };
}

/** The request, whose connection ends when its body comes in too small pieces or has no room. */
function boundedBody(request: IncomingMessage, hold: (bytes: number) => boolean): NodeIncomingMessageLike {
  const { method, url, headers, socket } = request;
  async function* read(): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    let pieces = 0;
    let held = BODY_FREE_BYTES;
    for await (const piece of request as AsyncIterable<Uint8Array>) {
      bytes += piece.length;
      pieces++;
      const more = bytes + pieces * PIECE_BYTES - held;
      const isTooFine = pieces > PIECES_MAX + bytes / BYTES_PER_PIECE;
      if (isTooFine || (more > 0 && !hold(more))) socket.destroy();
      if (more > 0) held += more;
      yield piece;
    }
  }
  return {
    headers,
    ...(method !== undefined && { method }),
    ...(url !== undefined && { url }),
    [Symbol.asyncIterator]: read,
  };
}

/** What the service said of a request's key. */
interface Seen {
  isGood: boolean;
  hasWrongKey: boolean;
}

const REQUEST = new AsyncLocalStorage<Seen>();

const hashOf = (authorization: string) => createHash('sha256').update(authorization).digest('base64');

function handlerOf(config: Config, log: (line: string) => void) {
  const handler = createMcpHandler(
    async ({ requestInfo }) => {
      const apiKey = BEARER.exec(requestInfo?.headers.get('authorization') ?? '')?.[1];
      const seen = REQUEST.getStore()!;
      const onGoodKey = () => {
        seen.isGood = true;
      };
      const gone = requestInfo?.signal;
      const session = openSession({ apiKey, config, way: 'http', log, gone, onGoodKey });
      try {
        const server = await createServer(session);
        server.server.onclose = () => session.acuse.close();
        return server;
      } catch (error) {
        session.acuse.close();
        seen.hasWrongKey = error instanceof Refusal && error.code === WRONG_KEY;
        throw error;
      }
    },
    {
      maxRequestBodySize: BODY_MAX_BYTES,
      maxSubscriptions: STREAMS_MAX,
      onerror: (error) => log(`request: ${error.name}`),
    },
  );
  return {
    close: () => handler.close(),
    async answer(...asked: Parameters<typeof handler.fetch>): Promise<Response> {
      const answer = await handler.fetch(...asked);
      if (!REQUEST.getStore()!.hasWrongKey) return answer;
      await answer.body?.cancel();
      const headers = { 'www-authenticate': challengeOf(config.url, 'invalid_token') };
      return Response.json(bodyOf(WRONG_KEY_MESSAGE), { status: 401, headers });
    },
  };
}

interface Refused {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Once the service was asked. */
const WRONG_KEY_MESSAGE =
  'The service does not know this API key or token, it has ended, or it is for another MCP server.';

function isForUs({ hosts }: Config, { headers, headersDistinct }: IncomingMessage): boolean {
  const oneHost = (headersDistinct['host'] ?? []).length === 1;
  return oneHost && validateHostHeader(headers.host, [...localhostAllowedHostnames(), ...hosts]).ok;
}

/** For pages of every origin: it says nothing that is not public. */
async function answerMetadata(response: ServerResponse, metadata: () => Promise<object>): Promise<void> {
  const headers = { 'content-type': 'application/json', 'access-control-allow-origin': '*' };
  try {
    const body = JSON.stringify(await metadata());
    response.writeHead(200, headers).end(body);
  } catch (error) {
    const message = error instanceof IssuerError ? error.message : 'It cannot be said now. Try again.';
    response.writeHead(503, { ...headers, 'retry-after': BUSY_RETRY_S }).end(JSON.stringify(bodyOf(message)));
  }
}

const BUSY: Refused = {
  status: 503,
  message: `${REQUESTS_MAX} requests are being served. Try again.`,
  headers: { 'retry-after': BUSY_RETRY_S },
};

const BUSY_KEY: Refused = {
  status: 429,
  message: `${KEY_REQUESTS_MAX} requests of this API key or token are being served. Try again.`,
  headers: { 'retry-after': BUSY_RETRY_S },
};

/** Checks before a byte of a body is read; null: all passed. */
function refusalOf(config: Config, request: IncomingMessage): Refused | null {
  const { origin, authorization, 'content-length': length } = request.headers;
  const origins = [...localhostAllowedOrigins(), ...config.hosts];
  if (!isForUs(config, request)) return { status: 403, message: 'This host name is not in ACUSE_MCP_HOSTS.' };
  if (!validateOriginHeader(origin, origins).ok)
    return { status: 403, message: 'Pages of this origin may not call this server.' };
  if (request.url !== '/mcp') return { status: 404, message: 'Not found: use /mcp.' };
  if (!BEARER.test(authorization ?? ''))
    return {
      status: 401,
      message: 'Send Authorization: Bearer <API key or token>.',
      headers: { 'www-authenticate': challengeOf(config.url) },
    };
  if (Number(length ?? 0) > BODY_MAX_BYTES)
    return { status: 413, message: `A request has at most ${BODY_MAX_BYTES} bytes.` };
  return null;
}

/** The connection ends with it, so that its body is not read either. */
function refuse(response: ServerResponse, { status, message, headers }: Refused): void {
  response.shouldKeepAlive = false;
  response.writeHead(status, { ...headers, 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify(bodyOf(message)));
}

const bodyOf = (message: string) => ({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null });

function addressOf(text: string): { readonly host: string; readonly port: number } {
  const colon = text.lastIndexOf(':');
  const host = text.slice(0, colon).replace(/^\[|\]$/g, '');
  const port = /^\d{1,5}$/.test(text.slice(colon + 1)) ? Number(text.slice(colon + 1)) : -1;
  if (colon <= 0 || host === '' || port < 0 || port > 65_535)
    throw new SettingError(`--http takes host:port, such as 127.0.0.1:8026, not ${text}.`);
  return { host, port };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}
