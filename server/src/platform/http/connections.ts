import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { API_ERRORS, type ApiErrorCode } from '../../errors.ts';
import { FairPlaces } from '../fair-places.ts';
import { newId } from '../ids.ts';
import { createAddressMatch } from '../network/address-match.ts';
import { holdersOf } from '../network/network.ts';
import type { Admission, Held } from './admission.ts';

/** Connections of clients: how many there may be, and what of their requests is let go when they close. */
export interface Connections {
  /** Keeps an eye on a request until `settle`, or until its connection closes. */
  watch(request: FastifyRequest, held: Held): void;
  /** The work for it is done; true when nobody waits for the answer any more. */
  worked(request: FastifyRequest): boolean;
  /** Its answer is out, or nobody waits for one and the work for it is done. */
  settle(request: FastifyRequest): void;
  /** Bounds the connections of a server that is about to listen. */
  guard(server: Server): void;
  /** Answers what was not a request, or not in time, where that cannot be taken for the answer to another. */
  refuse(error: Error, socket: Socket): void;
  open(): number;
}

export interface ConnectionsOptions {
  admission: Admission;
  /** Proxies, which hold the connections of many clients and are known. */
  trustProxy: readonly string[] | null;
  /** Called for a request whose client went away before the answer was out. */
  onGone(request: FastifyRequest): void;
  /** Most connections at once. */
  max?: number;
}

/** Connections at once; idle ones hold some 20 KiB each. Of one more, the largest holder has one closed. */
export const CONNECTIONS_MAX = 10_000;
const PROXIES = ['proxies'];
/**
 * A handler whose client is gone ends within the time-outs of what it waits for; past this (ms) it is not
 * waited for.
 */
const ORPHAN_MAX_MS = 120_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** What `watch` knows of it; null before that and once it is settled. */
    watched: Watched | null;
  }
}

interface Watched {
  readonly held: Held;
  /** Its handler is done: what is left is to write the answer. */
  worked: boolean;
  readonly requests: Set<FastifyRequest>;
  /** Made when somebody asks for it. */
  gone: AbortController | null;
}

/** Aborted once the client closes its connection before it has the answer: what waits for it can end. */
export function whenGone({ raw, watched }: FastifyRequest): AbortSignal {
  if (watched === null || raw.socket?.destroyed === true) return AbortSignal.abort();
  watched.gone ??= new AbortController();
  return watched.gone.signal;
}

export function createConnections(options: ConnectionsOptions): Connections {
  const { admission, max = CONNECTIONS_MAX } = options;
  const isProxy = createAddressMatch(options.trustProxy ?? []);
  /** Requests of each connection that wait for their answer. */
  const waiting = new WeakMap<Socket, Set<FastifyRequest>>();
  const places = new FairPlaces<Socket>({ max, isIdle: (socket) => !waiting.get(socket)?.size });
  /** Connections that we end ourselves: whose client is not to blame. */
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
      // Whole, and in the hands of a handler: its bytes are held until that is done, even if nobody waits for
      // it.
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

  function admit(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
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
      // Let in by a key or a session: its connection is its account's from now on.
      if (held.tenantId !== null) places.prove(socket, [`account ${held.tenantId}`]);
      request.watched = { held, requests, worked: false, gone: null };
    },
    worked(request) {
      if (request.watched !== null) request.watched.worked = true;
      if (request.raw.socket?.destroyed !== true) return false;
      settle(request);
      return true;
    },
    settle,
    guard(server) {
      server.on('connection', admit);
    },
    refuse(error, socket) {
      if (socket.writable) refused.add(socket);
      // A request that is whole and not answered would take this for its own answer.
      const others = [...(waiting.get(socket) ?? [])].some((request) => request.raw.complete);
      if (!socket.writable || others) return void socket.destroy();
      socket.end(refusal((error as { code?: string }).code), () => socket.destroy());
    },
    open: () => places.size,
  };
}

const TIMED_OUT = 'ERR_HTTP_REQUEST_TIMEOUT';
const HEADERS_TOO_LARGE = 'HPE_HEADER_OVERFLOW';

/** Whole, because there is no request that it could answer. */
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
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
