import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@acuse/testkit/eventually';
import pg from 'pg';
import { migrate } from '../../src/platform/database/migrate.ts';
import { clusterPaths, initializeCluster } from '../../src/platform/database/postgres-cluster.ts';
import {
  choosePostgresRunner,
  giveTo,
  type PostgresRunner,
  SYSTEM_TOOL_PATH,
} from '../../src/platform/database/postgres-runner.ts';

/**
 * A primary and its synchronous standby: two real PostgreSQL on folders of their own, of the programs that
 * are embedded. Every process here was started here, and is signalled by its number.
 */
export interface SynchronousPair {
  /**
   * Where the primary is reached, whichever of the two is it; with every migration, and its login owns the
   * database.
   */
  readonly url: string;
  /** Both by themselves, the standby first: a URL with two hosts. */
  readonly hosts: string;
  /** The standby alone. */
  readonly standby: string;
  /** Cuts every connection that was made through `url`. */
  cut(): void;
  /** One statement as superuser; a standby that is not frozen first applies what it has received. */
  onPrimary(sql: string, values?: unknown[]): Promise<Row[]>;
  onStandby(sql: string, values?: unknown[]): Promise<Row[]>;
  /** Stops the standby's receiver (SIGSTOP): from then on commits on the primary wait. */
  freeze(): Promise<void>;
  /** Lets it go on, and resolves when it has all that the primary has written. */
  thaw(): Promise<void>;
  /** Resolves with the backends that wait for the standby, once there are `count` of them. */
  waiting(count?: number): Promise<number[]>;
  /** Ends the primary as SIGKILL to all of its processes would; `restartPrimary` has it recover. */
  killPrimary(): Promise<void>;
  /** Stops every process of the primary (SIGSTOP), as a machine that is frozen; `resumePrimary` thaws it. */
  suspendPrimary(): void;
  resumePrimary(): void;
  /** A fast shutdown (SIGINT). */
  stopPrimary(): void;
  restartPrimary(): Promise<void>;
  /**
   * The standby becomes a primary of its own that waits for nobody, with what it had when it was frozen;
   * `url` leads to it from now on.
   */
  promote(): Promise<void>;
  end(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the statement returns
type Row = any;

const DATABASE = 'acuse';
const LOGIN = 'acuse';
const STANDBY = 'standby';
const SETTINGS = {
  listen_addresses: '',
  wal_level: 'replica',
  max_connections: '60',
  // A receiver that is frozen is not given up: its commits wait, as they do for one that is cut off.
  wal_sender_timeout: '0',
  wal_receiver_timeout: '0',
  wal_receiver_status_interval: '1s',
  // Fast shutdowns and kills are survived, power cuts are not.
  fsync: 'off',
  autovacuum: 'off',
  lc_messages: 'C',
};

interface Instance {
  readonly folder: string;
  readonly cluster: string;
  readonly runner: PostgresRunner;
  child: ChildProcess | null;
  /** The test's own connection, as superuser: one for each question would cost a process. */
  client: Promise<pg.Client> | null;
}

export async function startSynchronousPair(): Promise<SynchronousPair> {
  const home = mkdtempSync(join(tmpdir(), 'acuse-pair-'));
  const primary = makeInstance(home, 'a');
  const standby = makeInstance(home, STANDBY);
  const log = openSync(join(home, 'log'), 'a');
  let receiver: number | null = null;
  let suspended: number[] = [];
  const way = await openWay(primary);

  const start = async (instance: Instance, more: Record<string, string> = {}) => {
    instance.client = null;
    instance.child = launch(instance, { ...SETTINGS, ...more }, log);
    await untilReady(instance);
  };
  const startPrimary = () => start(primary, { synchronous_standby_names: STANDBY });

  prepared ??= prepare();
  for (const { cluster } of [primary, standby]) copy(await prepared, cluster);
  writeFileSync(join(standby.cluster, 'standby.signal'), '');
  const from = `host=${primary.folder} user=postgres application_name=${STANDBY}`;
  appendFileSync(join(standby.cluster, 'postgresql.auto.conf'), `primary_conninfo = '${from}'\n`);
  await startPrimary();
  await start(standby);
  await inStep();

  async function inStep(): Promise<void> {
    await holds(async () => {
      const [state] = await ask(
        primary,
        `select count(*) filter (where sync_state = 'sync' and flush_lsn >= pg_current_wal_flush_lsn())::int as n
           from pg_stat_replication`,
      );
      return state.n === 1;
    });
    await holds(async () => {
      const [{ lsn }] = await ask(primary, 'select pg_current_wal_flush_lsn() as lsn');
      const [{ done }] = await ask(standby, 'select pg_last_wal_replay_lsn() >= $1::pg_lsn as done', [lsn]);
      return done;
    });
  }

  return {
    url: way.url,
    hosts: urlOf(standby, primary),
    standby: urlOf(standby),
    cut: way.cut,
    onPrimary: (sql, values) => ask(primary, sql, values),
    async onStandby(sql, values) {
      // A receiver that is frozen may not have told the startup process of its last WAL.
      if (receiver === null) await holds(() => hasApplied(standby));
      return ask(standby, sql, values);
    },
    async freeze() {
      await inStep();
      const [row] = await ask(standby, 'select pid from pg_stat_wal_receiver');
      receiver = row.pid as number;
      process.kill(receiver, 'SIGSTOP');
    },
    async thaw() {
      if (receiver !== null) process.kill(receiver, 'SIGCONT');
      receiver = null;
      await inStep();
    },
    async waiting(count = 1) {
      let pids: number[] = [];
      await holds(async () => {
        pids = (await ask(primary, "select pid from pg_stat_activity where wait_event = 'SyncRep'")).map(
          ({ pid }) => pid,
        );
        return pids.length >= count;
      });
      return pids;
    },
    async killPrimary() {
      await stop(primary, 'SIGKILL');
    },
    suspendPrimary() {
      const postmaster = primary.child!.pid!;
      process.kill(postmaster, 'SIGSTOP');
      suspended = [postmaster, ...childrenOf(postmaster)];
      for (const pid of suspended) signalQuietly(pid, 'SIGSTOP');
    },
    resumePrimary() {
      for (const pid of suspended.splice(0)) signalQuietly(pid, 'SIGCONT');
    },
    stopPrimary() {
      primary.child!.kill('SIGINT');
    },
    async restartPrimary() {
      if (primary.child!.exitCode === null && primary.child!.signalCode === null)
        await once(primary.child!, 'exit');
      await startPrimary();
    },
    async promote() {
      // Bytes in the frozen receiver's socket are lost, as with a line that was cut.
      if (receiver !== null) process.kill(receiver, 'SIGKILL');
      receiver = null;
      const promote = 'select case when pg_is_in_recovery() then pg_promote(true, 30) else true end as done';
      await holds(() =>
        ask(standby, promote).then(
          ([row]) => row.done,
          () => false,
        ),
      );
      way.leadTo(standby);
    },
    async end() {
      if (receiver !== null) process.kill(receiver, 'SIGCONT');
      for (const pid of suspended) signalQuietly(pid, 'SIGCONT');
      await way.close();
      for (const { client } of [primary, standby]) void client?.then((it) => it.end()).catch(() => {});
      await stop(standby, 'SIGQUIT');
      await stop(primary, 'SIGQUIT');
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** The cluster that every primary and standby of this process begins as: migrated, and stopped. */
let prepared: Promise<string> | null = null;

async function prepare(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'acuse-pair-'));
  process.once('exit', () => rmSync(home, { recursive: true, force: true }));
  const instance = makeInstance(home, 'a');
  await initializeCluster(pathsOf(instance), instance.runner);
  instance.child = launch(instance, SETTINGS, openSync(join(home, 'log'), 'a'));
  await untilReady(instance);
  await askOnce(instance, `create role ${LOGIN} login createrole createdb`);
  await askOnce(instance, `create database ${DATABASE} owner ${LOGIN}`);
  await migrate(urlOf(instance));
  await stop(instance, 'SIGINT');
  return instance.cluster;
}

/** With owners and modes, those of the folder too. */
function copy(from: string, to: string): void {
  execFileSync('cp', ['-a', `${from}/.`, to]);
}

/** As a proxy or an address that moves: TCP in front of the Unix socket of whichever is the primary. */
async function openWay(first: Instance) {
  const sockets = new Set<Socket>();
  let target = first;
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    const upstream = connect(join(target.folder, '.s.PGSQL.5432'));
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return {
    url: `postgresql://${LOGIN}@127.0.0.1:${port}/${DATABASE}`,
    cut,
    leadTo(next: Instance) {
      target = next;
      cut();
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A commit waits until the standby has its WAL on disk, not until a read there sees it. */
async function hasApplied(standby: Instance): Promise<boolean> {
  const [{ done }] = await ask(
    standby,
    `select not pg_is_in_recovery() or coalesce(pg_last_wal_replay_lsn() >= pg_last_wal_receive_lsn(), true) as done`,
  );
  return done;
}

function makeInstance(home: string, name: string): Instance {
  const folder = join(home, name);
  const cluster = join(folder, 'data');
  mkdirSync(cluster, { recursive: true, mode: 0o700 });
  const runner = choosePostgresRunner({ dataDir: folder, clusterDir: cluster, toolPath: SYSTEM_TOOL_PATH });
  for (const path of [home, folder]) giveTo(path, runner.owner);
  return { folder, cluster, runner, child: null, client: null };
}

function pathsOf({ folder, cluster, runner }: Instance) {
  const unfinished = join(folder, 'unfinished');
  mkdirSync(unfinished, { mode: 0o700 });
  giveTo(unfinished, runner.owner);
  return { ...clusterPaths(folder), cluster, unfinished, socketDir: folder };
}

function launch(
  { runner, cluster, folder }: Instance,
  settings: Record<string, string>,
  log: number,
): ChildProcess {
  const all = { ...settings, unix_socket_directories: folder };
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return runner.spawn('postgres', cluster, (path) => ['-D', path, ...args], log);
}

/** The end of the postmaster ends its children; with SIGKILL they notice on their own. */
async function stop(instance: Instance, signal: NodeJS.Signals): Promise<void> {
  const { child, cluster } = instance;
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  const children = signal === 'SIGKILL' ? childrenOf(child.pid!) : [];
  const ended = once(child, 'exit');
  child.kill(signal);
  for (const pid of children) signalQuietly(pid, 'SIGKILL');
  await ended;
  await holds(async () => children.every((pid) => !isAlive(pid)));
  if (signal === 'SIGKILL') rmSync(join(cluster, 'postmaster.pid'), { force: true });
}

function childrenOf(pid: number): number[] {
  const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return list === '' ? [] : list.split(' ').map(Number);
}

function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

function urlOf(...instances: Instance[]): string {
  const folders = instances.map(({ folder }) => folder).join(',');
  return `postgresql:///${DATABASE}?host=${encodeURIComponent(folders)}&user=${LOGIN}`;
}

async function untilReady(instance: Instance): Promise<void> {
  await holds(async () => {
    if (instance.child!.exitCode !== null) throw new Error(`PostgreSQL ended: see ${instance.folder}/../log`);
    return askOnce(instance, 'select 1').then(
      () => true,
      () => false,
    );
  });
}

/** Where there is no database of ours yet. */
async function askOnce(instance: Instance, sql: string): Promise<void> {
  const client = await connectTo(instance, 'postgres');
  await client.query(sql).finally(() => client.end());
}

async function ask(instance: Instance, sql: string, values: unknown[] = []): Promise<Row[]> {
  instance.client ??= connectTo(instance, DATABASE);
  const asked = instance.client;
  try {
    return (await (await asked).query(sql, values)).rows;
  } catch (error) {
    // Whatever it was, the next question is asked anew.
    if (instance.client === asked) instance.client = null;
    void asked.then((client) => client.end()).catch(() => {});
    throw error;
  }
}

async function connectTo({ folder }: Instance, database: string): Promise<pg.Client> {
  const client = new pg.Client({ host: folder, user: 'postgres', database });
  client.on('error', () => {});
  await client.connect();
  // A test's question never waits itself; a standby takes no other setting, and needs none.
  await client.query('set synchronous_commit = local');
  return client;
}

const holds = (look: () => Promise<boolean>) => eventually(look);
