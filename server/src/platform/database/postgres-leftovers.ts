import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Cleans up after a killed start: running PostgreSQL processes, and a postmaster.pid whose number may have
 * been reused. The caller holds the data folder's lock, so that no live service owns them.
 */

/** Time for a fast shutdown, which writes a checkpoint (ms); then an immediate one; then SIGKILL. */
const FAST_WAIT_MS = 20_000;
const IMMEDIATE_WAIT_MS = 5_000;
const KILL_WAIT_MS = 2_000;
const POLL_MS = 20;

/** Ends PostgreSQL's processes on `clusterDir` and removes its pid file. Throws if some remain. */
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
    // SIGINT means "fast shutdown" to the postmaster only; orphans get SIGQUIT.
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
 * Every PostgreSQL process has the cluster as its working folder; a pid file proves nothing after a reboot.
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

/** Null: the process ended, or is not ours. */
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
