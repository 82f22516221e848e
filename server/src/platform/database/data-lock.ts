import { spawnSync } from 'node:child_process';
import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * One owner of a data folder at a time, by flock(2) on an open file. The kernel releases it when the process
 * ends, even after kill -9, and it works across containers that share a volume.
 */
export interface DataLock {
  release(): void;
}

/** The lock holder, written into the lock file for the error message of a second start. */
interface LockHolder {
  pid: number;
  command: string;
  /** A `service` runs until stopped; a `command` ends soon, so it is worth waiting for. */
  kind: 'service' | 'command';
  startedAt: string;
}

export class DataFolderInUse extends Error {
  readonly holder: LockHolder | null;
  constructor(path: string, holder: LockHolder | null) {
    const who =
      holder === null
        ? 'another process'
        : `process ${holder.pid} (${holder.command}, since ${holder.startedAt})`;
    super(
      `the data folder is in use by ${who}: stop it, or set ACUSE_DATA_DIR to another folder (lock: ${path})`,
    );
    this.name = 'DataFolderInUse';
    this.holder = holder;
  }
}

/** Time for a stopping service to release the lock (ms). */
const SERVICE_WAIT_MS = 5_000;
const LOCK_POLL_MS = 100;
/** Exit code that flock(1) must use when the lock is held; any other non-zero code is a fault. */
const CONFLICT_EXIT_CODE = 75;
/** BSD's open(2) flag that takes the lock while opening (macOS: sys/fcntl.h). Node has no name for it. */
const O_EXLOCK = 0x20;

/**
 * Takes the lock at `path`. Waits up to `waitMs` for a command; a service also waits briefly for a stopping
 * service. Throws DataFolderInUse.
 */
export async function acquireDataLock(
  path: string,
  self: LockHolder,
  waitMs: number,
  toolPath: string,
): Promise<DataLock> {
  const started = performance.now();
  for (;;) {
    const fd = tryLock(path, toolPath);
    if (fd !== null) {
      ftruncateSync(fd);
      writeSync(fd, JSON.stringify(self), 0);
      return {
        release() {
          ftruncateSync(fd);
          closeSync(fd);
        },
      };
    }
    const holder = readLockHolder(path);
    const limitMs = holder?.kind !== 'service' ? waitMs : self.kind === 'service' ? SERVICE_WAIT_MS : 0;
    if (performance.now() - started >= limitMs) throw new DataFolderInUse(path, holder);
    await sleep(LOCK_POLL_MS);
  }
}

/** The holder named in the lock file, or null if unreadable. No proof that the lock is held. */
function readLockHolder(path: string): LockHolder | null {
  try {
    const said = JSON.parse(readFileSync(path, 'utf8')) as LockHolder;
    return Number.isSafeInteger(said.pid) && (said.kind === 'service' || said.kind === 'command')
      ? said
      : null;
  } catch {
    return null;
  }
}

function tryLock(path: string, toolPath: string): number | null {
  const flags = constants.O_RDWR | constants.O_CREAT;
  if (process.platform === 'darwin') {
    try {
      return openSync(path, flags | constants.O_NONBLOCK | O_EXLOCK, 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return null;
      throw error;
    }
  }
  const fd = openSync(path, flags, 0o600);
  // Node has no flock(2). The open file, shared with the child, keeps the lock after flock(1) ends.
  const done = spawnSync(
    'flock',
    ['--nonblock', '--exclusive', '--conflict-exit-code', String(CONFLICT_EXIT_CODE), '3'],
    {
      env: { PATH: toolPath },
      stdio: ['ignore', 'ignore', 'pipe', fd],
    },
  );
  if (done.status === 0) return fd;
  closeSync(fd);
  if (done.status === CONFLICT_EXIT_CODE) return null;
  const why = done.error?.message ?? String(done.stderr).trim();
  throw new Error(
    `cannot lock the data folder: flock(1) of util-linux is needed (${why}); install util-linux, or set DATABASE_URL to use your own PostgreSQL`,
  );
}
