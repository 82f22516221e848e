import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { eventually } from '@acuse/testkit/eventually';
import { type ServerProcess, startServer } from '@acuse/testkit/server-process';
import { type Db, openDb } from '../../src/platform/database/db.ts';
import type { SandboxFile } from '../../src/sandbox/sandbox-file.ts';
import { type PostgresProxy, startPostgresProxy } from './postgres-proxy.ts';
import { newKey } from './service.ts';

/**
 * Real server processes of one test, on data folders and databases of their own; `end` leaves nothing of them
 * behind.
 */
export interface Processes {
  /** Of all of them, in base64: for commands. */
  readonly masterKey: string;
  /**
   * A server that is ready. Without a database of its own choice it runs an embedded PostgreSQL in its
   * folder.
   */
  start(options?: StartOptions): Promise<Service>;
  /** A fresh database that several servers may share. */
  database(): Promise<string>;
  /** A server behind a proxy to its database, which the test has its own connection to. */
  startBehindProxy(env?: Readonly<Record<string, string>>): Promise<Proxied>;
  /** A connection of the test's own to a database. */
  connect(databaseUrl: string): Db;
  folder(): string;
  /** Kills what still runs, closes and removes the rest. */
  end(): Promise<void>;
}

export interface Proxied {
  readonly service: Service;
  readonly proxy: PostgresProxy;
  readonly databaseUrl: string;
  readonly db: Db;
}

export interface StartOptions {
  databaseUrl?: string;
  /** An earlier server's, to resume it. */
  dataDir?: string;
  env?: Readonly<Record<string, string>>;
  /** Another version than the one that the run built. */
  program?: string;
}

/** One running server with a client for it. */
export interface Service {
  readonly baseUrl: string;
  readonly dataDir: string;
  readonly sandbox: SandboxFile;
  readonly pid: number;
  /** Its log so far, one JSON document a line. */
  log(): string;
  /** As the kernel's OOM killer does it: resolves when the process is gone. */
  kill9(): Promise<void>;
  /** The orderly stop; resolves with the exit code, null when it did not end by itself. */
  stop(): Promise<number | null>;
  /** Resolves when the process ended, however that came. */
  readonly ended: Promise<void>;
  /** One request with the sandbox's key; a `body` goes as JSON. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Waits until the message has this status. */
  until(id: string, status: string, withinMs?: number): Promise<void>;
  /** A valid certified send to an address that takes mail; `key` is new when omitted. */
  send(fields?: object, key?: string): Promise<Answer>;
}

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  body: any;
  headers: Headers;
}

/** All servers of a test file open each other's secrets, whatever folder they run in. */
const MASTER_KEY = randomBytes(32).toString('base64');
/**
 * A request that takes longer than this in a test is lost; large ones take half a minute on a busy machine.
 */
const CALL_TIMEOUT_MS = 120_000;
const LOG_TAIL_CHARS = 2_000;

export function createProcesses(): Processes {
  const servers: ServerProcess[] = [];
  const databases: TestDatabase[] = [];
  const connections: Db[] = [];
  const folders: string[] = [];
  const proxies: PostgresProxy[] = [];

  function folder(): string {
    const made = mkdtempSync(join(tmpdir(), 'acuse-process-'));
    folders.push(made);
    return made;
  }

  const processes: Processes = {
    masterKey: MASTER_KEY,
    folder,
    async start({ databaseUrl, dataDir = folder(), env = {}, program } = {}) {
      const server = await startServer({
        databaseUrl: databaseUrl ?? null,
        dataDir,
        env: { ACUSE_KEY_RATE: '0', ACUSE_ADDRESS_RATE: '0', ACUSE_MASTER_KEY: MASTER_KEY, ...env },
        ...(program !== undefined && { program }),
      });
      servers.push(server);
      return toService(server, dataDir);
    },
    async database() {
      const made = await testDatabase();
      databases.push(made);
      return made.url;
    },
    async startBehindProxy(env = {}) {
      const databaseUrl = await processes.database();
      const proxy = await startPostgresProxy(databaseUrl);
      proxies.push(proxy);
      const service = await processes.start({ databaseUrl: proxy.url, env });
      return { service, proxy, databaseUrl, db: processes.connect(databaseUrl) };
    },
    connect(databaseUrl) {
      const made = openDb({ connectionString: databaseUrl, poolSize: 2, applicationName: 'acuse-test' });
      connections.push(made);
      return made;
    },
    async end() {
      await Promise.all(servers.splice(0).map((server) => server.end('SIGKILL')));
      await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
      await Promise.all(connections.splice(0).map((db) => db.close().catch(() => {})));
      await Promise.all(databases.splice(0).map((database) => database.drop()));
      for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
    },
  };
  return processes;
}

/** The end of a log: why a server is as it is. */
function tail(log: string): string {
  return log.slice(-LOG_TAIL_CHARS) || '(its log is empty)';
}

function toService(server: ServerProcess, dataDir: string): Service {
  const { baseUrl, process: child } = server;
  const sandbox = server.sandbox as unknown as SandboxFile;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));

  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${sandbox.api_key}`,
        // One that is kept open and idle may be closed by the server while the next request is on its way.
        connection: 'close',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((cause) => {
      const state = child.exitCode === null && child.signalCode === null ? 'still runs' : 'has ended';
      throw new Error(`${method} ${path} was not answered; the server ${state}: ${tail(server.log())}`, {
        cause,
      });
    });
    const text = await answer.text();
    const json = /json/.test(answer.headers.get('content-type') ?? '');
    return { status: answer.status, body: json ? JSON.parse(text) : text, headers: answer.headers };
  }

  return {
    baseUrl,
    dataDir,
    sandbox,
    pid: child.pid!,
    ended,
    log: server.log,
    kill9: async () => void (await server.end('SIGKILL')),
    stop: () => server.end('SIGTERM'),
    call,
    async until(id, status, withinMs) {
      await eventually(
        async () => (await call('GET', `/v1/messages/${id}`)).body.status === status,
        withinMs,
      );
    },
    send: (fields = {}, key = newKey()) =>
      call(
        'POST',
        '/v1/messages',
        {
          from: 'billing@sandbox.test',
          to: 'delivered@sandbox.test',
          subject: 'Hello',
          text: 'Hello Ana',
          ...fields,
        },
        { 'idempotency-key': key },
      ),
  };
}
