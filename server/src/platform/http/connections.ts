import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { API_ERRORS, type ApiErrorCode } from '../../errors.ts';
import { FairPlaces } from '../fair-places.ts';
import { newId } from '../ids.ts';
import { createAddressMatch } from '../network/address-match.ts';
import { holdersOf } from '../network/network.ts';
import type { Admission, Held } from './admission.ts';
import { helpLink } from './http-errors.ts';
import { limitPipelining } from './pipelining.ts';

/** Limits clients' connections, and releases requests when they close. */
export interface Connections {
  /** Watches a request until `settle` or until its connection closes. */
  watch(request: FastifyRequest, held: Held): void;
  /** The work is done; true when the client is gone. */
  worked(request: FastifyRequest): boolean;
  /** Others need the memory of its answer. */
  cutOff(request: FastifyRequest): void;
  /** The answer is out, or the client is gone and the work done. */
  settle(request: FastifyRequest): void;
  guard(server: Server): void;
  /** Answers malformed or late requests, unless the answer could be taken for that of another request. */
  refuse(error: Error, socket: Socket): void;
  open(): number;
}

interface ConnectionsOptions {
  admission: Admission;
  /** Trusted proxies hold the connections of many clients. */
  trustProxy: readonly string[] | null;
  /** The client went away before its answer. */
  onGone(request: FastifyRequest): void;
  max?: number;
}

/** Idle connections take some 20 KiB each. Beyond this number the largest holder loses one. */
export const CONNECTIONS_MAX = 10_000;
const PROXIES = ['proxies'];
/** How long a request's bytes count at most while its handler works and its client has left (ms). */
const ORPHAN_MAX_MS = 120_000;

declare module 'fastify' {
  interface FastifyRequest {
    watched: Watched | null;
  }
}

interface Watched {
  readonly held: Held;
  /** The handler is done; the answer is still to be written. */
  worked: boolean;
  readonly requests: Set<FastifyRequest>;
  gone: AbortController | null;
}

/** Aborted when the client disconnects before its answer. */
export function whenGone({ raw, watched }: FastifyRequest): AbortSignal {
  if (watched === null || raw.socket?.destroyed === true) return AbortSignal.abort();
  watched.gone ??= new AbortController();
  return watched.gone.signal;
}

export function createConnections(options: ConnectionsOptions): Connections {
  const { admission, max = CONNECTIONS_MAX } = options;
  const isProxy = createAddressMatch(options.trustProxy ?? []);
  const waiting = new WeakMap<Socket, Set<FastifyRequest>>();
  const places = new FairPlaces<Socket>({ max, isIdle: (socket) => !waiting.get(socket)?.size });
  const refused = new WeakSet<Socket>();

  function settle(request: FastifyRequest): void {
    const known = request.watched;
    if (known === null) return;
    request.watched = null;
    known.requests.delete(request);
    admission.leave(known.held);
  }

  function closed(socket: Socket, requests: Set<FastifyRequest>): void {
    for (const request of [...requests]) {
      if (!refused.has(socket)) options.onGone(request);
      request.watched?.gone?.abort();
      // A complete request keeps its bytes until its handler is done, even without a client.
      if (request.raw.complete && request.watched?.worked === false)
        setTimeout(() => settle(request), ORPHAN_MAX_MS).unref();
      else settle(request);
    }
  }

  function requestsOn(socket: Socket): Set<FastifyRequest> {
    const known = waiting.get(socket);
    if (known !== undefined) return known;
    const requests = new Set<FastifyRequest>();
    waiting.set(socket, requests);
    socket.once?.('close', () => closed(socket, requests));
    return requests;
  }

  function admit(socket: Socket, address: string): void {
    socket.once('close', () => places.leave(socket));
    const gone = isProxy(address)
      ? places.enter(socket, PROXIES, true)
      : places.enter(socket, holdersOf(address));
    if (gone === null) return;
    refused.add(gone);
    gone.destroy();
  }

  return {
    watch(request, held) {
      const { socket } = request.raw;
      const requests = requestsOn(socket);
      requests.add(request);
      // A connection belongs to its account once authenticated.
      if (held.tenantId !== null) places.prove(socket, [`account ${held.tenantId}`]);
      request.watched = { held, requests, worked: false, gone: null };
    },
    worked(request) {
      if (request.watched !== null) request.watched.worked = true;
      if (request.raw.socket?.destroyed !== true) return false;
      settle(request);
      return true;
    },
    cutOff({ raw: { socket } }) {
      refused.add(socket);
      socket.destroy();
    },
    settle,
    guard(server) {
      limitPipelining(server, (socket) => refused.add(socket));
      onConnected(server, admit);
    },
    refuse(error, socket) {
      if (socket.writable) refused.add(socket);
      // A complete, unanswered request would take this for its answer.
      const others = [...(waiting.get(socket) ?? [])].some((request) => request.raw.complete);
      if (!socket.writable || others) return void socket.destroy();
      socket.end(refusal((error as { code?: string }).code), () => socket.destroy());
    },
    open: () => places.size,
  };
}

/** For the small servers: whoever comes gets a place, and the largest holder loses its oldest. */
export function shareConnections(server: Server, max: number): void {
  const places = new FairPlaces<Socket>({ max });
  onConnected(server, (socket, address) => {
    socket.once('close', () => places.leave(socket));
    places.enter(socket, holdersOf(address))?.destroy();
  });
}

/** Closes a connection that was reset before it was accepted: it has no address, and nobody waits. */
function onConnected(server: Server, admit: (socket: Socket, address: string) => void): void {
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress;
    if (address === undefined) socket.destroy();
    else admit(socket, address);
  });
}

const TIMED_OUT = 'ERR_HTTP_REQUEST_TIMEOUT';
const HEADERS_TOO_LARGE = 'HPE_HEADER_OVERFLOW';

/** A whole HTTP response: no request object exists. */
function refusal(cause: string | undefined): string {
  if (cause === TIMED_OUT) return rawAnswer('request_timeout', API_ERRORS.request_timeout.message);
  return rawAnswer(
    'invalid_parameter',
    cause === HEADERS_TOO_LARGE ? 'The request headers are too large.' : 'This is not a valid HTTP request.',
  );
}

function rawAnswer(code: ApiErrorCode, message: string): string {
  const { status } = API_ERRORS[code];
  const body = JSON.stringify({ error: { code, message } });
  return [
    `HTTP/1.1 ${status} ${status === 408 ? 'Request Timeout' : 'Bad Request'}`,
    'Content-Type: application/json; charset=utf-8',
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    `Request-Id: ${newId()}`,
    `Link: ${helpLink(code)}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
