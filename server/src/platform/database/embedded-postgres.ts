import { mkdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { asDataFolderError, makeDataFolder } from './data-folder.ts';
import { acquireDataLock, DataFolderInUse } from './data-lock.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';
import {
  type ClusterPaths,
  clusterPaths,
  initializeCluster,
  isInitialized,
  makeSocketDir,
  readConnection,
  requireCluster,
  requireClusterVersion,
  requireRestored,
  wasBegun,
  writeConnection,
} from './postgres-cluster.ts';
import { stopLeftovers } from './postgres-leftovers.ts';
import { keepPostgresUp, takesConnections } from './postgres-process.ts';
import { choosePostgresRunner, giveTo, type PostgresRunner, SYSTEM_TOOL_PATH } from './postgres-runner.ts';

/**
 * PostgreSQL without an installation: the server starts it itself in its data folder and it ends with the
 * server. It listens on a Unix socket only, and every commit is fsynced. Leaves nothing behind that hinders
 * the next start, however it ended.
 */
export interface EmbeddedPostgres {
  /** For the login `acuse`, which owns the database and may create roles; not a superuser. */
  readonly url: string;
  /** How PostgreSQL is run: see PostgresRunner. */
  readonly how: PostgresRunner['how'];
  /** Fast shutdown; resolves when PostgreSQL is gone and the data folder is free. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  dataDir: string;
  /** What this process is, for the message of a second start: `acuse serve`. */
  command: string;
  /** A service holds the folder for long: others are soon refused. A command is waited for. */
  kind: 'service' | 'command';
  log: { info(fields: object, message: string): void; error(fields: object, message: string): void };
  /** PostgreSQL settings in addition to SETTINGS, for example {max_connections: '200'}. */
  settings?: Record<string, string>;
  /** Only a cluster that is there already: with none, nothing is made. */
  mustExist?: boolean;
  /** How long it may recover before it takes connections (ms); START_TIMEOUT_MS when absent. */
  startTimeoutMs?: number;
  /** Called when PostgreSQL ended on its own and could not be started again. */
  onGone?: (error: Error) => void;
  /** PATH under which unshare, setpriv and flock are looked for. */
  toolPath?: string;
}

export const DATABASE_NAME = 'acuse';
export const DATABASE_USER = 'acuse';
/** Made by initdb; only who may enter the socket's folder can be it. */
const SUPERUSER = 'postgres';

/** The same database as `url` of an embedded PostgreSQL, as its superuser. */
export function superuserOf(url: string): pg.ClientConfig {
  const host = new URLSearchParams(url.split('?')[1]).get('host');
  if (host === null) throw new Error(`${url} is not that of an embedded PostgreSQL`);
  return { host, user: SUPERUSER, database: DATABASE_NAME };
}

const BORROW_POLL_MS = 100;
/** How long a start waits for a command on the same folder to end. */
const LOCK_WAIT_MS = 30_000;
/**
 * Starts PostgreSQL on the data folder, making the cluster and the database if they are not there. Throws
 * DataFolderInUse when it runs there already, DataFolderError when the folder cannot be used.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  // Looked at before anything is made, so that a mistyped path leaves no trace.
  const given = clusterPaths(resolve(options.dataDir));
  if (options.mustExist === true && !wasBegun(given)) requireCluster(given);
  const paths = clusterPaths(makeDataFolder(options.dataDir));
  try {
    return await startIn(paths, options);
  } catch (error) {
    throw asDataFolderError(paths.dataDir, error);
  }
}

async function startIn(paths: ClusterPaths, options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const toolPath = options.toolPath ?? SYSTEM_TOOL_PATH;
  const self = {
    pid: process.pid,
    command: options.command,
    kind: options.kind,
    startedAt: new Date().toISOString(),
  };
  const lock = await acquireDataLock(paths.lock, self, LOCK_WAIT_MS, toolPath);
  try {
    requireRestored(paths);
    if (options.mustExist === true) requireCluster(paths);
    await stopLeftovers(paths.cluster);
    const runner = await prepareCluster(paths, toolPath);
    const socketDir = makeSocketDir(paths, runner);
    const url = `postgresql:///${DATABASE_NAME}?host=${encodeURIComponent(socketDir)}&user=${DATABASE_USER}`;
    const server = await keepPostgresUp({
      paths,
      runner,
      socketDir,
      settings: options.settings ?? {},
      log: options.log,
      ...(options.startTimeoutMs !== undefined && { startTimeoutMs: options.startTimeoutMs }),
      onRestart: (pid) => writeConnection(paths, { url, socketDir, pid }),
      onGone: (error) => options.onGone?.(error),
    });
    try {
      await ensureDatabase(socketDir);
      writeConnection(paths, { url, socketDir, pid: server.pid });
    } catch (error) {
      await server.stop();
      throw error;
    }
    return {
      url,
      how: runner.how,
      async stop() {
        await server.stop();
        rmSync(paths.connection, { force: true });
        rmSync(socketDir, { recursive: true, force: true });
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * For a command that needs the database: that of the service which runs on this data folder, or, when none
 * does, a PostgreSQL of the command's own for as long as it takes, on a cluster that is there already.
 * `stop` ends only what was started here (`own`).
 */
export async function borrowEmbeddedPostgres(
  options: Omit<EmbeddedPostgresOptions, 'kind'>,
): Promise<{ url: string; own: boolean; stop(): Promise<void> }> {
  const deadline = performance.now() + LOCK_WAIT_MS;
  for (;;) {
    try {
      const started = await startEmbeddedPostgres({ ...options, kind: 'command', mustExist: true });
      return { ...started, own: true };
    } catch (error) {
      if (!(error instanceof DataFolderInUse)) throw error;
      // The service may just be starting, so that its postgres.json is of an earlier run or not there yet.
      const running = readConnection(clusterPaths(makeDataFolder(options.dataDir)));
      if (running !== null && (await takesConnections({ connectionString: running.url })))
        return { url: running.url, own: false, stop: async () => {} };
      if (performance.now() >= deadline) throw error;
      await sleep(BORROW_POLL_MS);
    }
  }
}

async function prepareCluster(paths: ClusterPaths, toolPath: string): Promise<PostgresRunner> {
  mkdirSync(paths.cluster, { recursive: true, mode: 0o700 });
  const runner = choosePostgresRunner({ dataDir: paths.dataDir, clusterDir: paths.cluster, toolPath });
  if (isInitialized(paths)) {
    requireClusterVersion(paths, findPostgresBinaries().version);
    return runner;
  }
  rmSync(paths.unfinished, { recursive: true, force: true });
  mkdirSync(paths.unfinished, { mode: 0o700 });
  giveTo(paths.unfinished, runner.owner);
  await initializeCluster(paths, runner);
  return runner;
}

/**
 * The login and its database: owner of its tables, allowed to make the two roles, and no superuser, as on a
 * managed PostgreSQL.
 */
async function ensureDatabase(socketDir: string): Promise<void> {
  const client = new pg.Client({ host: socketDir, user: SUPERUSER, database: SUPERUSER });
  await client.connect();
  try {
    const roles = await client.query('select 1 from pg_roles where rolname = $1', [DATABASE_USER]);
    if (roles.rowCount === 0) await client.query(`create role ${DATABASE_USER} login createrole createdb`);
    const databases = await client.query('select 1 from pg_database where datname = $1', [DATABASE_NAME]);
    if (databases.rowCount === 0)
      await client.query(`create database ${DATABASE_NAME} owner ${DATABASE_USER}`);
  } finally {
    await client.end();
  }
}
