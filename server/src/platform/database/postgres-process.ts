import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type ClusterPaths, logTail, openLog } from './postgres-cluster.ts';
import { stopLeftovers } from './postgres-leftovers.ts';
import type { PostgresRunner } from './postgres-runner.ts';

interface PostgresProcess {
  readonly pid: number;
  stop(): Promise<void>;
}

interface ProcessOptions {
  paths: ClusterPaths;
  runner: PostgresRunner;
  socketDir: string;
  settings: Record<string, string>;
  log: { info(fields: object, message: string): void; error(fields: object, message: string): void };
  startTimeoutMs?: number;
  onRestart(pid: number): void;
  onGone(error: Error): void;
}

/** For a small, shared machine; the rest are PostgreSQL's defaults. */
const SETTINGS: Record<string, string> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  // Explicit, because evidence depends on them.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  // Two pools, plus room for a second process and commands.
  max_connections: '100',
  shared_buffers: '128MB',
  max_wal_size: '1GB',
  // Statements are short: compiling them costs more than it saves.
  jit: 'off',
  log_timezone: 'UTC',
  timezone: 'UTC',
  // The server reports refused statements; logging them here could fill a disk.
  log_min_messages: 'log',
  log_checkpoints: 'off',
};

/** Longest crash recovery (ms): max_wal_size replays in seconds. */
const START_TIMEOUT_MS = 300_000;
const START_POLL_MS = 20;
const START_TELL_EVERY_MS = 5_000;
/** Time for a fast shutdown (ms); then an immediate one, with recovery at the next start. */
const STOP_FAST_MS = 4_000;
const STOP_IMMEDIATE_MS = 1_000;
/** Restarts in a row, unless it stays up for this long. */
const RESTARTS_MAX = 5;
const RESTART_WAIT_MS = 250;
const STEADY_MS = 60_000;
const LOG_TAIL_LINES = 15;

/** Starts the postmaster, waits until it accepts connections, and restarts it when it ends. */
export async function keepPostgresUp(options: ProcessOptions): Promise<PostgresProcess> {
  let child = await startProcess(options);
  let startedAt = performance.now();
  let restarts = 0;
  let stopping = false;
  let restarting: Promise<void> = Promise.resolve();

  function watch(): void {
    child.once('exit', (code, signal) => {
      if (stopping) return;
      options.log.error(
        { code, signal, log: options.paths.log },
        'PostgreSQL ended unexpectedly; restarting it',
      );
      restarting = restart().catch((error) =>
        options.onGone(error instanceof Error ? error : new Error(String(error))),
      );
    });
  }

  async function restart(): Promise<void> {
    if (performance.now() - startedAt > STEADY_MS) restarts = 0;
    if (++restarts > RESTARTS_MAX)
      throw new Error(`PostgreSQL ended ${restarts} times in a row; see ${options.paths.log}`);
    await sleep(RESTART_WAIT_MS);
    if (stopping) return;
    await stopLeftovers(options.paths.cluster);
    child = await startProcess(options);
    startedAt = performance.now();
    watch();
    options.onRestart(child.pid!);
  }

  watch();
  return {
    get pid() {
      return child.pid!;
    },
    async stop() {
      stopping = true;
      await restarting;
      await endProcess(child);
    },
  };
}

/** Throws with the tail of PostgreSQL's log. */
async function startProcess({
  paths,
  runner,
  socketDir,
  settings,
  log,
  startTimeoutMs = START_TIMEOUT_MS,
}: ProcessOptions): Promise<ChildProcess> {
  for (const name of readdirSync(socketDir)) rmSync(join(socketDir, name), { force: true });
  const all = { ...SETTINGS, unix_socket_directories: `"${socketDir}"`, ...settings };
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const logFd = openLog(paths);
  const logStart = statSync(paths.log).size;
  let child: ChildProcess;
  try {
    child = runner.spawn('postgres', paths.cluster, (folder) => ['-D', folder, ...args], logFd);
  } finally {
    closeSync(logFd);
  }
  const problem = await untilReady(child, socketDir, startTimeoutMs, (waitedMs) =>
    log.info({ waitedMs: Math.round(waitedMs) }, 'waiting for the embedded PostgreSQL: it is starting'),
  );
  if (problem === null) {
    log.info({ pid: child.pid, how: runner.how, socket: socketDir }, 'embedded PostgreSQL is up');
    return child;
  }
  await endProcess(child);
  throw new Error(
    `the embedded PostgreSQL did not start (${problem}); its log ${paths.log} ends:\n${logTail(paths, logStart, LOG_TAIL_LINES)}`,
  );
}

async function untilReady(
  child: ChildProcess,
  socketDir: string,
  timeoutMs: number,
  onWaiting: (waitedMs: number) => void,
): Promise<string | null> {
  let fault: Error | null = null;
  child.once('error', (error) => {
    fault = error;
  });
  const startedMs = performance.now();
  let toldMs = startedMs;
  while (performance.now() - startedMs < timeoutMs) {
    if (await takesConnections({ host: socketDir, user: 'postgres', database: 'postgres' })) return null;
    if (fault !== null) return (fault as Error).message;
    if (hasEnded(child)) return child.signalCode ?? `exit code ${child.exitCode}`;
    if (performance.now() - toldMs >= START_TELL_EVERY_MS) {
      toldMs = performance.now();
      onWaiting(toldMs - startedMs);
    }
    await sleep(START_POLL_MS);
  }
  return `not ready within ${timeoutMs / 1000} s`;
}

export async function takesConnections(config: pg.ClientConfig): Promise<boolean> {
  const client = new pg.Client(config);
  // A server that stops during the check is an answer, not an unhandled error.
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

async function endProcess(child: ChildProcess): Promise<void> {
  for (const [signal, waitMs] of [
    ['SIGINT', STOP_FAST_MS],
    ['SIGQUIT', STOP_IMMEDIATE_MS],
  ] as const) {
    if (hasEnded(child)) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await Promise.race([ended, sleep(waitMs, undefined, { ref: false })]);
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}
