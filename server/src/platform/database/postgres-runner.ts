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
 * The user that PostgreSQL runs as. It refuses root, so root needs another name for itself (a user namespace,
 * in which the process keeps root's own files and has no more than that) or another user. Which way works is
 * found out by trying it.
 */
export interface PostgresRunner {
  readonly how: 'as-is' | 'user-namespace' | 'other-user';
  /** Ids that own what PostgreSQL makes, as this process sees them. */
  readonly owner: { uid: number; gid: number };
  /**
   * Runs a program of PostgreSQL's on a data folder; `args` is given the name by which the program reaches
   * that folder.
   */
  spawn(
    program: 'postgres' | 'initdb',
    folder: string,
    args: (folder: string) => string[],
    output: number | 'pipe',
  ): ChildProcess;
  /** True when PostgreSQL could enter this folder by its own path. */
  reaches(folder: string): boolean;
}

interface Way {
  how: PostgresRunner['how'];
  owner: { uid: number; gid: number };
  /** Commands that start the next one, such as unshare and setpriv. */
  prefix: string[];
  /** Set where the child is to be another user from its first instruction on. */
  ids: { uid: number; gid: number } | undefined;
}

/**
 * Where unshare, setpriv and flock are looked for; our own PATH and the rest of our environment stay with us.
 */
export const SYSTEM_TOOL_PATH = '/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/bin:/run/current-system/sw/bin';
/** `nobody` (65534 on every current Linux): a user that owns nothing, for want of one of our own. */
const NOBODY = 65534;
/** Where root keeps a copy of the programs that another user can reach; FHS 3.0 §5.5. */
const ROOT_CACHE = '/var/cache/acuse';
/** A `--version` or a `test` that takes longer is not going to end. */
const PROBE_TIMEOUT_MS = 10_000;
/**
 * The folder is handed to the program as this open file, so that it need not be able to walk the path to it
 * (a 0700 home).
 */
const FOLDER_FD = 3;

/**
 * Finds a way to run PostgreSQL on `clusterDir` (which exists, perhaps empty). Throws with what was tried
 * when there is none.
 */
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

/**
 * The package may be in a place where it cannot be completed or that PostgreSQL's user cannot reach; a copy
 * (60 MB) is made only where some way leads.
 */
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
  // PostgreSQL is told to stop when we are gone, however we went. Not everywhere there: a start stops
  // leftovers too.
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
    // initdb insists on a name for its user; one without an entry in the user database borrows nobody's.
    return [
      ...(hasUserName() ? [{ how: 'as-is', owner: self, prefix: bound, ids: undefined } satisfies Way] : []),
      renamed,
    ];
  }
  const other = folder.uid === 0 ? { uid: NOBODY, gid: NOBODY } : { uid: folder.uid, gid: folder.gid };
  const switched: Way = { how: 'other-user', owner: other, prefix: bound, ids: other };
  // A cluster that another user owns already stays that user's.
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

/** Null when the way works, else why not. */
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

/** True when this way's user can walk the path to the folder. */
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
        // A session of its own: Ctrl-C in a terminal reaches us first, and PostgreSQL when we say so.
        return spawn(command!, args, { ...way.ids, cwd: '/', env, stdio, detached: true });
      } finally {
        if (fd !== null) closeSync(fd);
      }
    },
  };
}

/**
 * Gives a folder and all in it to its new owner: after a start in another way the cluster still belongs to
 * the earlier one.
 */
export function giveTo(folder: string, owner: { uid: number; gid: number }): void {
  if (statSync(folder).uid === owner.uid) return;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    lchownSync(join(entry.parentPath, entry.name), owner.uid, owner.gid);
  // Last: a start that was cut off here finds the folder with its old owner and does it again.
  chownSync(folder, owner.uid, owner.gid);
}
