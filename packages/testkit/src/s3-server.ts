import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { tempFolder } from './temp-folder.ts';

/** An S3-compatible store of others (versitygw), which verifies signatures and keeps to conditions. */
export interface S3Server {
  /** http://127.0.0.1:port */
  readonly url: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** A new bucket, by its name. */
  bucket(): string;
  /** Stored objects stay, and the port too. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Why the store is missing here, as a skipped test's title says it; null: it is there. */
export const s3Missing: string | null =
  spawnSync('versitygw', ['--version'], { stdio: 'ignore' }).status === 0 ? null : 'skipped: needs versitygw';

export async function startS3Server(): Promise<S3Server> {
  const folder = tempFolder();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const credentials = { accessKeyId: 'acuse-test', secretAccessKey: 'secret-of-acuse-test' };
  let buckets = 0;
  let stop = async () => {};

  async function start(): Promise<void> {
    const child = spawn('versitygw', ['--port', `127.0.0.1:${port}`, '--quiet', 'posix', folder], {
      stdio: 'ignore',
      env: {
        ...process.env,
        ROOT_ACCESS_KEY: credentials.accessKeyId,
        ROOT_SECRET_KEY: credentials.secretAccessKey,
      },
    });
    const ended = once(child, 'exit');
    stop = async () => {
      child.kill('SIGKILL');
      await ended;
    };
    await eventually(() =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    );
  }

  await start();
  return {
    ...{ url, credentials, start },
    stop: () => stop(),
    bucket() {
      const name = `bucket-${++buckets}`;
      mkdirSync(join(folder, name));
      return name;
    },
  };
}

/**
 * Handling of a request: passed to the store; never answered; a 500 without asking the store; done by the
 * store, and the connection cut before the answer.
 */
export type Fault = 'pass' | 'hang' | 'error' | 'lose';

export interface FaultyStore {
  readonly url: string;
  /** Asked for each request. */
  decide: (request: IncomingMessage) => Fault;
  close(): Promise<void>;
}

/** In front of a store, which sees the requests as they were signed. */
export async function startFaultyStore(target: string): Promise<FaultyStore> {
  const server = createServer((incoming, answer) => {
    const fault = store.decide(incoming);
    if (fault === 'hang') return;
    if (fault === 'error') {
      incoming.resume();
      answer.writeHead(500).end('<Error><Code>InternalError</Code></Error>');
      return;
    }
    forward(target, incoming, answer, fault === 'lose');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const store: FaultyStore = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    decide: () => 'pass',
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return store;
}

function forward(target: string, incoming: IncomingMessage, answer: ServerResponse, lose: boolean): void {
  const { method, headers, url } = incoming;
  const onward = request(`${target}${url}`, { ...(method === undefined ? {} : { method }), headers });
  onward.on('response', (response) => {
    if (lose) {
      response.resume().on('end', () => incoming.socket.destroy());
      return;
    }
    answer.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(answer);
  });
  onward.on('error', () => incoming.socket.destroy());
  incoming.pipe(onward);
}

/** Conditions that an unsuitable store ignores; `refused`: it answers 501 to them. */
export type Ignored = 'if-none-match' | 'if-match' | 'both' | 'refused';

/** A store in memory that ignores conditions and signatures. */
export async function startCarelessStore(ignored: Ignored): Promise<{ url: string; close(): Promise<void> }> {
  const objects = new Map<string, { text: string; etag: string }>();
  let version = 0;
  const server = createServer(async (incoming, answer) => {
    const key = incoming.url ?? '';
    const found = objects.get(key);
    let text = '';
    for await (const chunk of incoming) text += chunk;
    if (incoming.method !== 'PUT') {
      if (found === undefined) answer.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
      else answer.writeHead(200, { etag: found.etag }).end(found.text);
      return;
    }
    const { 'if-match': match, 'if-none-match': none } = incoming.headers;
    const isKept = (name: string) => ignored !== 'both' && ignored !== name;
    if (ignored === 'refused') return void answer.writeHead(501).end();
    const refused =
      (none !== undefined && isKept('if-none-match') && found !== undefined) ||
      (match !== undefined && isKept('if-match') && found?.etag !== match);
    if (refused) return void answer.writeHead(412).end();
    const etag = `"${++version}"`;
    objects.set(key, { text, etag });
    answer.writeHead(200, { etag }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
