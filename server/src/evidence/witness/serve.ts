import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MAX_ADD_CHECKPOINT_BYTES } from '@acuse/evidence/witness';
import { gatherUpTo } from '../../platform/gathered.ts';
import { shareConnections } from '../../platform/http/connections.ts';
import { limitPipelining } from '../../platform/http/pipelining.ts';
import { addCheckpoint, shownCheckpoint, type WitnessAnswer, type WitnessDeps } from './witness.ts';

/** A witness over HTTP, behind a TLS proxy; only the log's signature is trusted. */
export interface RunningWitness {
  readonly port: number;
  stop(): Promise<void>;
}

/** Time for a whole request (ms). */
const REQUEST_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 60_000;
const HEADERS_MAX_BYTES = 8 * 1024;
const MAX_CONNECTIONS = 256;
/** Time for requests while stopping (ms). */
const STOP_GRACE_MS = 2_000;

type Answer = Omit<WitnessAnswer, 'status'> & { status: number };

export async function serveWitness(
  deps: WitnessDeps,
  listen: { host: string; port: number },
): Promise<RunningWitness> {
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: HEADERS_MAX_BYTES,
    },
    (request, reply) => {
      answer(deps, request).then(
        (said) => send(reply, said),
        (error) => {
          deps.log.error({ err: error }, 'a request failed; nothing was signed');
          send(reply, { status: 500, type: 'text/plain; charset=utf-8', body: 'not now\n' });
        },
      );
    },
  );
  shareConnections(server, MAX_CONNECTIONS);
  limitPipelining(server);
  server.listen(listen.port, listen.host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), STOP_GRACE_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}

async function answer(deps: WitnessDeps, request: IncomingMessage): Promise<Answer> {
  const path = request.url?.split('?', 1)[0];
  const asked = `${request.method} ${path}`;
  const text = (status: number, body: string): Answer => ({
    status,
    type: 'text/plain; charset=utf-8',
    body,
  });
  if (asked === 'GET /key') return text(200, `${deps.key.vkey}\n`);
  if (asked === 'GET /healthz') return text(200, 'ok\n');
  const [, originHash] = /^GET \/([0-9a-f]{64})\/checkpoint$/.exec(asked) ?? [];
  if (originHash !== undefined) {
    const note = shownCheckpoint(deps, originHash);
    return note === null ? text(404, 'no checkpoint of such a log was cosigned here\n') : text(200, note);
  }
  if (path !== '/add-checkpoint')
    return text(404, 'POST /add-checkpoint, GET /key, GET /<SHA-256 of an origin>/checkpoint\n');
  if (request.method !== 'POST') return text(405, 'POST /add-checkpoint\n');
  const body = await gatherUpTo(request, MAX_ADD_CHECKPOINT_BYTES);
  return body === null ? text(413, `over ${MAX_ADD_CHECKPOINT_BYTES} bytes\n`) : addCheckpoint(deps, body);
}

function send(reply: ServerResponse, { status, type, body }: Answer): void {
  if (reply.headersSent || reply.destroyed) return;
  // The rest of a refused body is not read.
  const closing = status === 413 ? { connection: 'close' } : {};
  reply
    .writeHead(status, { 'content-type': type, 'x-content-type-options': 'nosniff', ...closing })
    .end(body);
}
