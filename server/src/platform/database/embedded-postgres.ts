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
 * PostgreSQL without an installation, started in the data folder and stopped with the server. It listens on a
 * Unix socket only and fsyncs every commit. No kind of end hinders the next start.
 */
interface EmbeddedPostgres {
  /** For the login `acuse`: owns the database and may create roles, but is no superuser. */
  readonly url: string;
  readonly how: PostgresRunner['how'];
  /** Fast shutdown; resolves once PostgreSQL has ended and the folder is free. */
  stop(): Promise<void>;
}

interface EmbeddedPostgresOptions {
  dataDir: string;
  command: string;
  /** A service holds the folder for long, so that others are refused; a command is waited for. */
  kind: 'service' | 'command';
  log: { info(fields: object, message: string): void; error(fields: object, message: string): void };
  settings?: Record<string, string>;
  /** Never creates a cluster. */
  mustExist?: boolean;
  /** Longest crash recovery (ms); START_TIMEOUT_MS when absent. */
  startTimeoutMs?: number;
  /** PostgreSQL ended and could not be restarted. */
  onGone?: (error: Error) => void;
  /** PATH for unshare, setpriv and flock. */
  toolPath?: string;
}

const DATABASE_NAME = 'acuse';
const DATABASE_USER = 'acuse';
const SUPERUSER = 'postgres';

export function superuserOf(url: string): pg.ClientConfig {
  const host = new URLSearchParams(url.split('?')[1]).get('host');
  if (host === null) throw new Error(`${url} is not that of an embedded PostgreSQL`);
  return { host, user: SUPERUSER, database: DATABASE_NAME };
}

const BORROW_POLL_MS = 100;
/** Longest wait for a command on the same folder (ms). */
const LOCK_WAIT_MS = 30_000;
/**
 * Starts PostgreSQL on the data folder, creating cluster and database if needed. Throws DataFolderInUse,
 * DataFolderError.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  // Checked first, so that a mistyped path leaves no trace.
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
 * For commands: uses the PostgreSQL of the running service, or else starts one for the duration on an
 * existing cluster. `stop` ends only what was started here (`own`).
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
      // A starting service may not have written postgres.json yet, or left an old one.
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

/** Owns its tables and may create the two roles, but is no superuser, as on a managed PostgreSQL. */
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
