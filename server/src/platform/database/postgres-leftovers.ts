import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What a start that was killed left behind in a cluster folder: processes of PostgreSQL's that are still
 * there, and a postmaster.pid whose number may by now belong to somebody else. The caller holds the data
 * folder's lock, so no PostgreSQL on it belongs to anyone alive.
 */

/** A fast shutdown writes a checkpoint; then an immediate one (recovered at the next start); then the end. */
const FAST_WAIT_MS = 20_000;
const IMMEDIATE_WAIT_MS = 5_000;
const KILL_WAIT_MS = 2_000;
const POLL_MS = 20;

/** Ends PostgreSQL's processes on `clusterDir` and removes its pid file. Throws when some cannot be ended. */
export async function stopLeftovers(clusterDir: string): Promise<void> {
  const pidFile = join(clusterDir, 'postmaster.pid');
  const postmaster = readPid(pidFile);
  const steps: [NodeJS.Signals, number][] = [
    ['SIGINT', FAST_WAIT_MS],
    ['SIGQUIT', IMMEDIATE_WAIT_MS],
    ['SIGKILL', KILL_WAIT_MS],
  ];
  for (const [signal, waitMs] of steps) {
    const found = processesOn(clusterDir, postmaster);
    if (found.length === 0) break;
    // SIGINT means "fast shutdown" to the postmaster alone; without one, its orphans can only be sent
    // SIGQUIT.
    const told = signal === 'SIGINT' ? found.filter((pid) => pid === postmaster) : found;
    for (const pid of told) tell(pid, signal);
    const deadline = performance.now() + (told.length === 0 ? 0 : waitMs);
    while (performance.now() < deadline && processesOn(clusterDir, postmaster).length > 0)
      await sleep(POLL_MS);
  }
  const left = processesOn(clusterDir, postmaster);
  if (left.length > 0)
    throw new Error(
      `an earlier PostgreSQL on ${clusterDir} does not end (process ${left.join(', ')}): stop it by hand`,
    );
  rmSync(pidFile, { force: true });
}

/** The number on the first line of postmaster.pid, or null. */
function readPid(pidFile: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
    return Number.isSafeInteger(pid) && pid > 1 ? pid : null;
  } catch {
    return null;
  }
}

function processesOn(clusterDir: string, postmaster: number | null): number[] {
  return process.platform === 'linux' ? fromProc(clusterDir) : fromPidFile(clusterDir, postmaster);
}

/**
 * Every process of PostgreSQL's has the cluster as its working folder; the number in a pid file proves
 * nothing after a reboot.
 */
function fromProc(clusterDir: string): number[] {
  let folder: string;
  try {
    folder = realpathSync(clusterDir);
  } catch {
    return [];
  }
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .filter(
      (name) =>
        link(`/proc/${name}/cwd`) === folder &&
        basename(link(`/proc/${name}/exe`) ?? '').startsWith('postgres'),
    )
    .map(Number);
}

function fromPidFile(clusterDir: string, postmaster: number | null): number[] {
  if (postmaster === null) return [];
  try {
    const command = execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(postmaster)], {
      encoding: 'utf8',
    });
    return command.includes('postgres') && command.includes(clusterDir) ? [postmaster] : [];
  } catch {
    return [];
  }
}

/** Null for a process that ended meanwhile or that is not ours to look at. */
function link(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

function tell(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
