import { closeSync, openSync, readdirSync, readFileSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Guard } from './guard.ts';
import type { DatabaseProxy } from './proxy.ts';
import { FAKETIME, type Service } from './service.ts';

export interface World {
  readonly service: Service;
  readonly guard: Guard;
  readonly dataDir: string;
  /** Proxy to a database on a machine of its own; null: the embedded one. */
  readonly proxy: DatabaseProxy | null;
  /** A server of the database on this machine: a worker or a standby. Null: none is named. */
  readonly node: number | null;
}

export interface Fault {
  readonly doc: string;
  /** Why it cannot be made here; null: it can. */
  why(world: World): string | null;
  /** Lasts for `ms`, or until `stop`, and undoes itself. */
  run(world: World, ms: number, stop: AbortSignal): Promise<void>;
}

const wait = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => {});

/** Each write of the database takes so long (ms), as on an overloaded disk. */
const SLOW_MS = 200;
/** How long a database runs between two stops (ms). */
const GOES_ON_MS = 20;
/** Most free bytes of a file system that is filled. */
const FILL_MAX_BYTES = 4 * 1024 ** 3;
const CHUNK = Buffer.alloc(1024 * 1024);
const CLOCK_STEP_SECONDS = 120;
export const BALLAST = 'acuse-chaos.ballast';

async function postgresOf(dataDir: string): Promise<number> {
  return Number((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

/** Stops the whole process tree with SIGSTOP; the guard knows it first. */
function freeze({ guard }: World, pid: number): () => void {
  guard.note({ stopped: [pid] });
  signalEach([pid], 'SIGSTOP');
  // It starts no others now.
  const pids = treeOf(pid);
  guard.note({ stopped: pids });
  signalEach(pids, 'SIGSTOP');
  return () => {
    signalEach(pids, 'SIGCONT');
    guard.note({ stopped: [] });
  };
}

async function frozen(world: World, pid: number, ms: number, stop: AbortSignal): Promise<void> {
  const thaw = freeze(world, pid);
  await wait(ms, stop);
  thaw();
}

const ONLY_LINUX = process.platform === 'linux' ? null : 'processes are found in /proc, which only Linux has';
const needsNetwork = ({ proxy }: World) =>
  proxy === null ? 'the embedded PostgreSQL has no network: set DATABASE_URL' : null;

export const FAULTS = {
  kill: {
    doc: 'SIGKILL to the service, which is started again',
    why: () => null,
    async run({ service }, _ms, stop) {
      service.signal('SIGKILL');
      while (service.isUp()) await sleep(20);
      await service.start(stop);
    },
  },
  freeze: {
    doc: 'SIGSTOP to the service',
    why: () => null,
    async run({ service, guard }, ms, stop) {
      guard.note({ stopped: [service.pid] });
      service.signal('SIGSTOP');
      await wait(ms, stop);
      service.signal('SIGCONT');
      guard.note({ stopped: [] });
    },
  },
  'database-freeze': {
    doc: 'SIGSTOP to the embedded PostgreSQL',
    why: ({ proxy }) => (proxy !== null ? 'DATABASE_URL is set: name its process with --node' : ONLY_LINUX),
    run: async (world, ms, stop) => frozen(world, await postgresOf(world.dataDir), ms, stop),
  },
  partition: {
    doc: 'connections to the database break, and no new one is had',
    why: needsNetwork,
    async run({ proxy }, ms, stop) {
      proxy!.set('cut');
      await wait(ms, stop);
      proxy!.set('open');
    },
  },
  silence: {
    doc: 'connections to the database stay, and nothing passes',
    why: needsNetwork,
    async run({ proxy }, ms, stop) {
      proxy!.set('stall');
      await wait(ms, stop);
      proxy!.set('open');
    },
  },
  'slow-disk': {
    doc: `the database takes ${SLOW_MS} ms longer for each answer`,
    why: ({ proxy }) => (proxy === null ? ONLY_LINUX : null),
    async run(world, ms, stop) {
      if (world.proxy !== null) {
        world.proxy.set(SLOW_MS);
        await wait(ms, stop);
        world.proxy.set('open');
        return;
      }
      const pid = await postgresOf(world.dataDir);
      for (const until = performance.now() + ms; performance.now() < until && !stop.aborted; ) {
        await frozen(world, pid, SLOW_MS, stop);
        await wait(GOES_ON_MS, stop);
      }
    },
  },
  'full-disk': {
    doc: 'the file system of the data folder is full',
    why({ dataDir }) {
      const { bavail, bsize } = statfsSync(dataDir);
      const free = bavail * bsize;
      if (free <= FILL_MAX_BYTES) return null;
      return `the file system of ${dataDir} has ${Math.ceil(free / 1024 ** 3)} GB free: put ACUSE_DATA_DIR on one with at most ${FILL_MAX_BYTES / 1024 ** 3} GB`;
    },
    async run({ dataDir, guard, service }, ms, stop) {
      const path = join(dataDir, BALLAST);
      guard.note({ files: [path] });
      fill(path);
      await wait(ms, stop);
      rmSync(path, { force: true });
      guard.note({ files: [] });
      // A service that ended is started as a supervisor does.
      await service.start(stop);
    },
  },
  'full-log-pipe': {
    doc: 'nobody reads the log of the service',
    why: () => null,
    async run({ service }, ms, stop) {
      service.readLog(false);
      await wait(ms, stop);
      service.readLog(true);
    },
  },
  'lost-node': {
    doc: 'SIGSTOP to the server of the database that --node names: a worker, a standby',
    why({ node }) {
      if (node === null) return 'no server of the database is named: --node takes the id of its process here';
      if (ONLY_LINUX !== null) return ONLY_LINUX;
      return maySignal(node) ? null : `process ${node} has ended, or another login runs it`;
    },
    run: (world, ms, stop) => frozen(world, world.node!, ms, stop),
  },
  'clock-step': {
    doc: `the clock of the service is ${CLOCK_STEP_SECONDS} s wrong, forward and back`,
    why: ({ service }) =>
      service.setClock === null ? `a clock for one process needs ${FAKETIME} (Debian: faketime)` : null,
    async run({ service }, ms, stop) {
      for (const seconds of [CLOCK_STEP_SECONDS, -CLOCK_STEP_SECONDS]) {
        service.setClock!(seconds);
        await wait(ms / 2, stop);
      }
      service.setClock!(0);
    },
  },
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;
export const FAULT_NAMES = Object.keys(FAULTS) as readonly FaultName[];

function fill(path: string): void {
  const file = openSync(path, 'w', 0o600);
  try {
    for (;;) writeSync(file, CHUNK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
}

/** A process and its children; empty: it has ended. Linux only. */
function treeOf(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) if (/^\d+$/.test(name)) parents.set(Number(name), parentOf(name));
  if (!parents.has(pid)) return [];
  return [pid, ...[...parents].filter(([, parent]) => parent === pid).map(([each]) => each)];
}

/** The field after the name, which may hold anything. proc(5) */
function parentOf(pid: string): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
}

/** False: it ended, or another login runs it. */
function maySignal(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function signalEach(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
}
