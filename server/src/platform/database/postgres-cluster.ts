import { once } from 'node:events';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { syncFolder } from '../durable-file.ts';
import { asDataFolderError, DataFolderError } from './data-folder.ts';
import type { PostgresRunner } from './postgres-runner.ts';

export interface ClusterPaths {
  dataDir: string;
  cluster: string;
  /** initdb works here; renamed to `cluster` when complete. */
  unfinished: string;
  /** Exists while a restore is incomplete. */
  restoring: string;
  lock: string;
  /** How to reach a running server: for commands, and for the start after kill -9. */
  connection: string;
  log: string;
  socketDir: string;
}

export interface Connection {
  url: string;
  socketDir: string;
  pid: number;
}

/** sun_path less its terminating NUL: 108 bytes on Linux (unix(7)), 104 on macOS. */
const SOCKET_PATH_MAX_BYTES = process.platform === 'linux' ? 107 : 103;
const SOCKET_NAME = '.s.PGSQL.5432';
const SHORT_SOCKET_PREFIX = 'acuse-pg-';
/** A larger log is rotated at the next start; one old log is kept. */
const LOG_MAX_BYTES = 16 * 1024 * 1024;

export function clusterPaths(dataDir: string): ClusterPaths {
  return {
    dataDir,
    cluster: join(dataDir, 'postgres'),
    unfinished: join(dataDir, 'postgres.unfinished'),
    restoring: join(dataDir, 'restore.unfinished'),
    lock: join(dataDir, 'postgres.lock'),
    connection: join(dataDir, 'postgres.json'),
    log: join(dataDir, 'postgres.log'),
    socketDir: join(dataDir, 'postgres-socket'),
  };
}

export function isInitialized(paths: ClusterPaths): boolean {
  return existsSync(join(paths.cluster, 'PG_VERSION'));
}

/** Throws DataFolderError where no service ever started, so that a mistyped path creates nothing. */
export function requireCluster(paths: ClusterPaths): void {
  if (isInitialized(paths)) return;
  try {
    // A folder without access looks empty.
    accessSync(paths.dataDir, constants.X_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw asDataFolderError(paths.dataDir, error);
  }
  throw new DataFolderError(
    'missing',
    `there is no database in ${paths.dataDir}: set ACUSE_DATA_DIR to the folder of your service (default: ./.acuse), or DATABASE_URL to its database; acuse serve creates a new one`,
  );
}

/** Throws DataFolderError after an interrupted restore: a start would create an empty database next to it. */
export function requireRestored(paths: ClusterPaths): void {
  if (!existsSync(paths.restoring)) return;
  throw new DataFolderError(
    'unusable',
    `a restore into ${paths.dataDir} was cut off: run acuse restore run again, which begins it anew`,
  );
}

/** True when a start took the lock here, now or earlier. */
export function wasBegun(paths: ClusterPaths): boolean {
  return existsSync(paths.lock) || isInitialized(paths);
}

/** PostgreSQL itself reports a wrong major version only in its log. */
export function requireClusterVersion(paths: ClusterPaths, ours: string): void {
  const [theirs, mine] = [
    readFileSync(join(paths.cluster, 'PG_VERSION'), 'utf8').trim(),
    ours.split('.')[0]!,
  ];
  if (theirs === mine) return;
  throw new DataFolderError(
    'unusable',
    `the database in ${paths.dataDir} (ACUSE_DATA_DIR) is of PostgreSQL ${theirs}, and this version of Acuse runs PostgreSQL ${mine}: start the version that made it, or move the data with pg_dump into a new ACUSE_DATA_DIR`,
  );
}

/**
 * Creates an empty cluster: UTF-8, the built-in C.UTF-8 locale (the same order on every machine), checksums,
 * sockets only.
 */
export async function initializeCluster(paths: ClusterPaths, runner: PostgresRunner): Promise<void> {
  const initdb = runner.spawn('initdb', paths.unfinished, initdbArguments, 'pipe');
  let said = '';
  for (const stream of [initdb.stdout, initdb.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (said += text));
  const [code, signal] = (await once(initdb, 'close')) as [number | null, string | null];
  if (code !== 0) throw new Error(`initdb failed (${signal ?? `exit code ${code}`}):\n${said.trim()}`);
  // The finished cluster replaces the empty folder.
  rmSync(paths.cluster, { recursive: true, force: true });
  renameSync(paths.unfinished, paths.cluster);
  syncFolder(paths.dataDir);
}

function initdbArguments(folder: string): string[] {
  return [
    `--pgdata=${folder}`,
    '--username=postgres',
    // Only the owner can enter the socket folder, and there is no TCP listener.
    '--auth-local=trust',
    '--auth-host=reject',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--data-checksums',
    '--no-instructions',
  ];
}

/**
 * A socket folder that only the owner can enter: in the data folder, or a short temporary one where that path
 * is too long or not reachable.
 */
export function makeSocketDir(paths: ClusterPaths, runner: PostgresRunner): string {
  removeOldSocketDir(paths);
  mkdirSync(paths.socketDir, { recursive: true, mode: 0o700 });
  ownFolder(paths.socketDir, runner);
  if (
    Buffer.byteLength(join(paths.socketDir, SOCKET_NAME)) <= SOCKET_PATH_MAX_BYTES &&
    !/[",\\]/.test(paths.socketDir) &&
    runner.reaches(paths.socketDir)
  ) {
    return paths.socketDir;
  }
  rmSync(paths.socketDir, { recursive: true, force: true });
  for (const parent of [tmpdir(), '/tmp']) {
    if (Buffer.byteLength(join(parent, `${SHORT_SOCKET_PREFIX}XXXXXX`, SOCKET_NAME)) > SOCKET_PATH_MAX_BYTES)
      continue;
    const folder = mkdtempSync(join(parent, SHORT_SOCKET_PREFIX));
    ownFolder(folder, runner);
    if (runner.reaches(folder)) return folder;
    rmSync(folder, { recursive: true, force: true });
  }
  throw new Error(
    `no folder for PostgreSQL's socket: ${paths.dataDir} and ${tmpdir()} are too long or cannot be reached; set ACUSE_DATA_DIR to a shorter path`,
  );
}

function ownFolder(folder: string, runner: PostgresRunner): void {
  chmodSync(folder, 0o700);
  if (statSync(folder).uid !== runner.owner.uid) chownSync(folder, runner.owner.uid, runner.owner.gid);
}

/** A killed start leaves its short socket folder; postgres.json names it. */
function removeOldSocketDir(paths: ClusterPaths): void {
  const old = readConnection(paths)?.socketDir;
  if (old?.includes(`/${SHORT_SOCKET_PREFIX}`) === true) rmSync(old, { recursive: true, force: true });
}

export function readConnection(paths: ClusterPaths): Connection | null {
  try {
    return JSON.parse(readFileSync(paths.connection, 'utf8')) as Connection;
  } catch {
    return null;
  }
}

export function writeConnection(paths: ClusterPaths, connection: Connection): void {
  const next = `${paths.connection}.new`;
  writeFileSync(next, `${JSON.stringify(connection)}\n`, { mode: 0o600 });
  renameSync(next, paths.connection);
}

export function openLog(paths: ClusterPaths): number {
  if ((statSync(paths.log, { throwIfNoEntry: false })?.size ?? 0) > LOG_MAX_BYTES)
    renameSync(paths.log, `${paths.log}.old`);
  return openSync(paths.log, 'a', 0o600);
}

export function logTail(paths: ClusterPaths, from: number, lines: number): string {
  try {
    return readFileSync(paths.log)
      .subarray(from)
      .toString('utf8')
      .trimEnd()
      .split('\n')
      .slice(-lines)
      .join('\n');
  } catch {
    return '';
  }
}
