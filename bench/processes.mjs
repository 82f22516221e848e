// Processes that a benchmark runs, and the processor time that they and their children take.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Of /proc/<pid>/stat: clock ticks a second (USER_HZ on every Linux). */
const TICKS_PER_SECOND = 100;
const STARTED_WITHIN_MS = 60_000;

/** Starts `node <args>` and resolves with the match of `ready` in its output. */
export async function startNode(args, { env = {}, ready, withinMs = STARTED_WITHIN_MS, stderr = 'inherit' }) {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', stderr],
  });
  endWithUs(child);
  const lines = createInterface(child.stdout);
  const found = new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      const match = ready.exec(line);
      if (match !== null) resolve(match);
    });
    child.once('exit', (code) => reject(new Error(`${args[0]} ended with ${code} before it was ready`)));
    setTimeout(() => reject(new Error(`${args[0]} was not ready in time`)), withinMs).unref();
  });
  found.catch(() => child.kill('SIGKILL'));
  return { child, match: await found };
}

/** Whatever ends this process ends its children: one that is stopped (SIGSTOP) has to go on to hear of it. */
function endWithUs(child) {
  const end = () => {
    child.kill('SIGTERM');
    child.kill('SIGCONT');
  };
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
}

export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** Runs the load generator once; its result is described in load.mjs. */
export async function runLoad(options) {
  const { child, match } = await startNode(
    [fileURLToPath(new URL('load.mjs', import.meta.url)), JSON.stringify(options)],
    { ready: /^\{.*\}$/ },
  );
  if (child.exitCode === null) await once(child, 'exit');
  return JSON.parse(match[0]);
}

/** Processor seconds that a process has taken; with `tree`, together with its living descendants. */
export function cpuSeconds(pid, { tree = false } = {}) {
  const own = readStat(pid);
  if (own === null) return 0;
  return (
    own.cpuSeconds + (tree ? childrenOf(pid).reduce((sum, child) => sum + cpuSeconds(child, { tree }), 0) : 0)
  );
}

/** Of the thread that runs its JavaScript: one core is all that it can use. */
export function mainThreadSeconds(pid) {
  return readStat(pid, `/proc/${pid}/task/${pid}/stat`)?.cpuSeconds ?? 0;
}

/** Work of the whole machine, and what its host took from it (proc(5), the first line of stat). */
export function machineSeconds() {
  const [user, nice, system, , , , , steal] = /^cpu +(.*)$/m
    .exec(readFileSync('/proc/stat', 'latin1'))[1]
    .split(' ')
    .map(Number);
  return (user + nice + system + steal) / TICKS_PER_SECOND;
}

/**
 * Bytes that a process and its living descendants have written by system calls: wchar of proc(5). For
 * PostgreSQL these are its files (it answers its clients with send(2), which is not counted). write_bytes
 * beside it counts whole folios, several times what was written.
 */
export function bytesWritten(pid, { tree = false } = {}) {
  let own = 0;
  try {
    own = Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'latin1'))[1]);
  } catch {
    return 0;
  }
  return own + (tree ? childrenOf(pid).reduce((sum, child) => sum + bytesWritten(child, { tree }), 0) : 0);
}

/** A signal for a process and its children. Returns their ids. */
export function signalAll(pid, name) {
  // One that is stopped starts no others while they are listed.
  if (name !== 'SIGCONT') process.kill(pid, 'SIGSTOP');
  const pids = [pid, ...childrenOf(pid)];
  signalEach(pids, name);
  return pids;
}

export function signalEach(pids, name) {
  for (const pid of pids)
    try {
      process.kill(pid, name);
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
}

function childrenOf(pid) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => readStat(each)?.parent === pid);
}

function readStat(pid, path = `/proc/${pid}/stat`) {
  try {
    const text = readFileSync(path, 'latin1');
    // The name in parentheses may hold anything: the fields begin behind its end. proc(5)
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // utime, stime, and those of children that ended: fields 14 to 17.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { parent: Number(fields[1]), cpuSeconds: ticks / TICKS_PER_SECOND };
  } catch {
    return null;
  }
}
