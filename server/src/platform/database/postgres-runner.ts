import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process';
import { chownSync, closeSync, lchownSync, openSync, readdirSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { DataFolderError } from './data-folder.ts';
import {
  completeBinaries,
  copyBinaries,
  findPostgresBinaries,
  makeCopyHome,
  type PostgresBinaries,
  USE_OWN_DATABASE,
} from './postgres-binaries.ts';

/**
 * The user that PostgreSQL runs as. PostgreSQL refuses root, so that root needs a user namespace (root's own
 * files under another name) or another user. Which way works is found by trying.
 */
export interface PostgresRunner {
  readonly how: 'as-is' | 'user-namespace' | 'other-user';
  /** Owner of PostgreSQL's files, as this process sees it. */
  readonly owner: { uid: number; gid: number };
  /** Runs a PostgreSQL program on a data folder; `args` gets the folder's name as the program sees it. */
  spawn(
    program: 'postgres' | 'initdb',
    folder: string,
    args: (folder: string) => string[],
    output: number | 'pipe',
  ): ChildProcess;
  /** True when PostgreSQL can enter the folder by its own path. */
  reaches(folder: string): boolean;
}

interface Way {
  how: PostgresRunner['how'];
  owner: { uid: number; gid: number };
  /** Wrapper commands, such as unshare and setpriv. */
  prefix: string[];
  /** Set when the child starts as another user. */
  ids: { uid: number; gid: number } | undefined;
}

/** Folders of unshare, setpriv and flock; our own environment is not passed on. */
export const SYSTEM_TOOL_PATH = '/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/bin:/run/current-system/sw/bin';
/** `nobody` (65534 on every current Linux) owns nothing. */
const NOBODY = 65534;
/** Root's copy of the programs, readable by another user; FHS 3.0 §5.5. */
const ROOT_CACHE = '/var/cache/acuse';
/** Time-out of `--version` and `test` (ms). */
const PROBE_TIMEOUT_MS = 10_000;
/** The folder is passed as an open file, so that the program need not reach its path (a 0700 home). */
const FOLDER_FD = 3;

/** Finds a way to run PostgreSQL on `clusterDir`, which exists. Throws with all that was tried. */
export function choosePostgresRunner(options: {
  dataDir: string;
  clusterDir: string;
  toolPath: string;
}): PostgresRunner {
  const { toolPath } = options;
  const binaries = findPostgresBinaries();
  const ways = waysToRun(options.clusterDir, toolPath);
  const failures: string[] = [];
  const attempt = (root: string): PostgresRunner | null => {
    for (const way of ways) {
      const failure = tryWay(way, root, toolPath);
      if (failure === null) return makeRunner(way, root, toolPath);
      failures.push(`${way.how} with ${root}: ${failure}`);
    }
    return null;
  };
  const runner =
    attemptAsInstalled(binaries, attempt, failures) ??
    attemptCopies(binaries, options, ways, attempt, failures);
  if (runner === null)
    throw new Error(
      `the embedded PostgreSQL cannot run here; ${USE_OWN_DATABASE}\n  tried ${failures.join('\n  tried ')}`,
    );
  giveTo(options.clusterDir, runner.owner);
  return runner;
}

type Attempt = (root: string) => PostgresRunner | null;

function attemptAsInstalled(
  binaries: PostgresBinaries,
  attempt: Attempt,
  failures: string[],
): PostgresRunner | null {
  if (completeBinaries(binaries.root)) return attempt(binaries.root);
  failures.push(`${binaries.root}: links or execute bits are missing and it cannot be written`);
  return null;
}

/** Copies the programs (60 MB) only if they cannot be used in place and some way works. */
function attemptCopies(
  binaries: PostgresBinaries,
  { dataDir, toolPath }: { dataDir: string; toolPath: string },
  ways: Way[],
  attempt: Attempt,
  failures: string[],
): PostgresRunner | null {
  for (const home of process.getuid?.() === 0 ? [dataDir, ROOT_CACHE] : [dataDir]) {
    try {
      makeCopyHome(home);
      const copy = ways.some((way) => canEnter(way, home, toolPath)) ? copyBinaries(binaries, home) : null;
      const runner = copy === null ? null : attempt(copy);
      if (runner !== null) return runner;
    } catch (error) {
      failures.push(`a copy in ${home}: ${(error as Error).message}`);
    }
  }
  return null;
}

function waysToRun(clusterDir: string, toolPath: string): Way[] {
  const uid = process.getuid?.() ?? -1;
  const gid = process.getgid?.() ?? -1;
  const self = { uid, gid };
  const folder = statSync(clusterDir);
  // Stops PostgreSQL when we die. Not available everywhere: a start stops leftovers too.
  const bound = hasParentDeathSignal(toolPath) ? ['setpriv', '--pdeathsig', 'INT', '--'] : [];
  const renamed: Way = {
    how: 'user-namespace',
    owner: self,
    prefix: ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--', ...bound],
    ids: undefined,
  };
  if (uid !== 0) {
    if (folder.uid !== uid)
      throw new DataFolderError(
        'unusable',
        `${clusterDir} belongs to uid ${folder.uid}, this is uid ${uid}: start as that user, or set ACUSE_DATA_DIR to a folder of your own`,
      );
    // initdb needs a user name; an id without one gets a made-up name.
    return [
      ...(hasUserName() ? [{ how: 'as-is', owner: self, prefix: bound, ids: undefined } satisfies Way] : []),
      renamed,
    ];
  }
  const other = folder.uid === 0 ? { uid: NOBODY, gid: NOBODY } : { uid: folder.uid, gid: folder.gid };
  const switched: Way = { how: 'other-user', owner: other, prefix: bound, ids: other };
  // A cluster of another user stays that user's.
  return folder.uid === 0 ? [renamed, switched] : [switched];
}

function hasParentDeathSignal(toolPath: string): boolean {
  return runProbe('setpriv', ['--pdeathsig', 'INT', '--', 'true'], { env: { PATH: toolPath } }) === null;
}

function hasUserName(): boolean {
  try {
    userInfo();
    return true;
  } catch {
    return false;
  }
}

/** Null if the way works, else the reason why not. */
function tryWay(way: Way, root: string, toolPath: string): string | null {
  const [command, ...args] = [...way.prefix, join(root, 'bin/postgres'), '--version'];
  return runProbe(command!, args, { ...way.ids, cwd: '/', env: { PATH: toolPath } });
}

function runProbe(
  command: string,
  args: string[],
  options: { uid?: number; gid?: number; cwd?: string; env: { PATH: string } },
): string | null {
  const done = spawnSync(command, args, { ...options, timeout: PROBE_TIMEOUT_MS, encoding: 'utf8' });
  if (done.error !== undefined) return done.error.message;
  return done.status === 0 ? null : done.stderr.trim() || `exit code ${done.status}`;
}

function canEnter(way: Way, folder: string, toolPath: string): boolean {
  const [command, ...args] = [...way.prefix, 'sh', '-c', 'cd "$1"', 'sh', folder];
  return runProbe(command!, args, { ...way.ids, cwd: '/', env: { PATH: toolPath } }) === null;
}

function makeRunner(way: Way, root: string, toolPath: string): PostgresRunner {
  const env = { PATH: toolPath, LC_ALL: 'C', TZ: 'UTC' };
  const reaches = (folder: string): boolean => canEnter(way, folder, toolPath);
  return {
    how: way.how,
    owner: way.owner,
    reaches,
    spawn(program, folder, makeArgs, output) {
      const direct = process.platform !== 'linux' || reaches(folder);
      const fd = direct ? null : openSync(folder, 'r');
      const [command, ...args] = [
        ...way.prefix,
        join(root, 'bin', program),
        ...makeArgs(direct ? folder : `/proc/self/fd/${FOLDER_FD}`),
      ];
      const stdio: StdioOptions = ['ignore', output, output];
      if (fd !== null) stdio[FOLDER_FD] = fd;
      try {
        // Its own session: Ctrl-C must reach us first.
        return spawn(command!, args, { ...way.ids, cwd: '/', env, stdio, detached: true });
      } finally {
        if (fd !== null) closeSync(fd);
      }
    },
  };
}

/** Changes the owner of a folder and its contents: an earlier start may have used another user. */
export function giveTo(folder: string, owner: { uid: number; gid: number }): void {
  if (statSync(folder).uid === owner.uid) return;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    lchownSync(join(entry.parentPath, entry.name), owner.uid, owner.gid);
  // Last, so that an interrupted change is repeated.
  chownSync(folder, owner.uid, owner.gid);
}
