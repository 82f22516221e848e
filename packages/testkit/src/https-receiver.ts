import { setMaxListeners } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { issueCertificate, type TestCertificate } from './certificate.ts';

/** A receiver's act for one request. */
export type Answer =
  | {
      kind: 'status';
      status: number;
      headers?: Record<string, string>;
      body?: string;
      afterMs?: number;
      /** Not before this is settled. */
      until?: Promise<unknown>;
    }
  /** Reads the request and never says a word. */
  | { kind: 'stall' }
  /** Breaks the connection instead of answering. */
  | { kind: 'hang-up' }
  /** Sends the bytes as they are and leaves the connection open. */
  | { kind: 'raw'; bytes: string }
  /** Answers with this status and then trickles a body, one byte at a time, without end. */
  | { kind: 'trickle'; status: number; everyMs: number }
  /** Answers with this status and a body without end, as fast as it is taken. */
  | { kind: 'flood'; status: number };

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names and values as sent, by turns. */
  readonly rawHeaders: readonly string[];
  /** The exact bytes. */
  readonly body: Buffer;
  readonly receivedAt: Date;
}

export interface HttpsReceiver {
  readonly port: number;
  /** PEM: what a client must trust. */
  readonly caPem: string;
  /** `https://<host>:<port><path>`. */
  url(path?: string, host?: string): string;
  readonly requests: readonly ReceivedRequest[];
  /** TCP connections accepted since the start, and open now. */
  readonly connections: number;
  readonly openConnections: number;
  /** Bytes of answer bodies handed to the sockets. */
  readonly bodyBytesSent: number;
  /** Decides the answers from now on; until then 200 without a body. */
  answer(decide: (request: ReceivedRequest) => Answer): void;
  close(): Promise<void>;
}

export interface ReceiverOptions {
  /** Address to listen on. */
  host?: string;
  /** Fixed port; 0: any free one. */
  port?: number;
  /** Names in the certificate. */
  names?: readonly string[];
  /** Signs the receiver's certificate; made on the spot by default. */
  authority?: TestCertificate;
  /** Plain http. */
  plain?: boolean;
}

/** A gate that an answer can wait for: `open` lets it go. */
export interface Gate {
  readonly until: Promise<void>;
  open(): void;
}

export function createGate(): Gate {
  let open: () => void = () => {};
  const until = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { until, open };
}

export const DEFAULT_NAMES = ['hooks.test', 'localhost', '127.0.0.1'];

/** The authority for several receivers that one client is to trust. */
export function receiverAuthority(): TestCertificate {
  return issueCertificate({ subject: 'Receivers', ca: true });
}

/** Starts a receiver on a port of loopback. */
export async function startHttpsReceiver(options: ReceiverOptions = {}): Promise<HttpsReceiver> {
  const { host = '127.0.0.1', names = DEFAULT_NAMES, authority = receiverAuthority() } = options;
  const leaf = issueCertificate({ subject: names[0] ?? 'receiver', names, issuer: authority });
  const requests: ReceivedRequest[] = [];
  const open = new Set<Socket>();
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  let connections = 0;
  let bodyBytesSent = 0;
  let decide: (request: ReceivedRequest) => Answer = () => ({ kind: 'status', status: 200 });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const received = await readRequest(request);
    requests.push(received);
    await give(decide(received), request, response, ending.signal, (sizeBytes) => {
      bodyBytesSent += sizeBytes;
    });
  }

  // A client that goes away in the middle is what some tests are about.
  const listener = (request: IncomingMessage, response: ServerResponse) =>
    void handle(request, response).catch(() => request.socket.destroy());
  const server = options.plain
    ? createHttpServer(listener)
    : createHttpsServer({ key: leaf.keyPem, cert: leaf.certPem }, listener);
  // On a TLS server this is the TCP connection, counted before anything is said on it.
  server.on('connection', (socket: Socket) => {
    connections++;
    open.add(socket);
    socket.on('error', () => {}).once('close', () => open.delete(socket));
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;

  return {
    port,
    caPem: authority.certPem,
    url: (path = '/', name = names[0] ?? host) =>
      `${options.plain ? 'http' : 'https'}://${name}:${port}${path}`,
    requests,
    get connections() {
      return connections;
    },
    get openConnections() {
      return open.size;
    },
    get bodyBytesSent() {
      return bodyBytesSent;
    },
    answer(next) {
      decide = next;
    },
    async close() {
      ending.abort();
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readRequest(request: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
    ),
    rawHeaders: request.rawHeaders,
    body: Buffer.concat(chunks),
    receivedAt: new Date(),
  };
}

async function give(
  answer: Answer,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
  countBody: (sizeBytes: number) => void,
): Promise<void> {
  switch (answer.kind) {
    case 'status':
      if (answer.afterMs !== undefined) await sleep(answer.afterMs, undefined, { signal });
      await answer.until?.catch(() => {});
      response.writeHead(answer.status, answer.headers).end(answer.body);
      return;
    case 'stall':
      return;
    case 'hang-up':
      request.socket.destroy();
      return;
    case 'raw':
      request.socket.write(answer.bytes);
      return;
    case 'trickle':
      response.writeHead(answer.status).flushHeaders();
      while (!response.destroyed && !request.socket.destroyed) {
        await sleep(answer.everyMs, undefined, { signal });
        response.write('.');
        countBody(1);
      }
      return;
    case 'flood': {
      response.writeHead(answer.status);
      const chunk = Buffer.alloc(16 * 1024, '.');
      while (!request.socket.destroyed) {
        countBody(chunk.length);
        if (!response.write(chunk)) await drained(response);
      }
    }
  }
}

/** Resolves when there is room again, or nobody to write to. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
