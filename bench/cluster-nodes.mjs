// A coordinator and workers of Citus on this machine, from the programs in ACUSE_BENCH_CITUS.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './postfix-queue.mjs';
import { command, makeFolder } from './postgres-programs.mjs';

const READY_WITHIN_MS = 60_000;
const USER = 'acuse';
const HOST = '127.0.0.1';
const SETTINGS = [
  `listen_addresses = '${HOST}'`,
  "unix_socket_directories = ''",
  "shared_preload_libraries = 'citus'",
  'max_connections = 200',
  'max_prepared_transactions = 200',
  'max_worker_processes = 32',
  'max_logical_replication_workers = 16',
  'max_replication_slots = 64',
  'max_wal_senders = 64',
  'wal_level = logical',
  'wal_receiver_status_interval = 1s',
  'shared_buffers = 64MB',
  "citus.node_conninfo = 'sslmode=disable'",
  'citus.enable_statistics_collection = off',
  'log_min_messages = error',
];

/** Neither a certificate nor a password file of whoever runs it. */
const env = { ...process.env, HOME: '/nonexistent' };

/** `folder`: one that anybody may enter. */
export async function startCluster(folder, programs, workers) {
  chmodSync(folder, 0o755);
  const nodes = [];
  async function addNode() {
    const node = { name: `node${nodes.length}`, port: await freePort(), child: null };
    node.folder = join(folder, node.name);
    makeFolder(node.folder);
    run('initdb', ['-D', node.folder, '-U', USER, '--auth=trust', '-E', 'UTF8', '--no-sync'], programs);
    writeFileSync(join(node.folder, 'postgresql.conf'), `${SETTINGS.join('\n')}\n`, { flag: 'a' });
    nodes.push(node);
    await start(node, programs);
    return node;
  }
  for (let n = 0; n <= workers; n++) await addNode();
  const [coordinator] = nodes;
  return {
    url: `postgresql://${USER}@${HOST}:${coordinator.port}/postgres`,
    coordinator,
    workers: () => nodes.slice(1),
    addNode,
    address: ({ port }) => `${HOST}:${port}`,
    ask: (sql, values, settings) => ask(coordinator, sql, values, settings),
    start: (node) => start(node, programs),
    async kill(node) {
      const ended = once(node.child, 'exit');
      node.child.kill('SIGKILL');
      await ended;
    },
    /** Its connections stay, and answer nothing. */
    freeze: (node) => signalAll(node, 'SIGSTOP'),
    thaw: (node) => signalAll(node, 'SIGCONT'),
    async stop() {
      for (const node of nodes) {
        const { child } = node;
        if (child === null || child.exitCode !== null || child.signalCode !== null) continue;
        signalAll(node, 'SIGCONT');
        const ended = once(child, 'exit');
        child.kill('SIGQUIT');
        await ended;
      }
    },
  };
}

/** PostgreSQL's processes are each in a group of their own. The first one makes no more of them. */
function signalAll({ child: { pid } }, signal) {
  process.kill(pid, signal);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  for (const each of children === '' ? [] : children.split(' '))
    try {
      process.kill(Number(each), signal);
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
}

function run(program, args, programs) {
  const [name, given] = command(program, args, programs);
  const { status, stderr, error } = spawnSync(name, given, { encoding: 'utf8', env });
  if (status !== 0) throw new Error(`${program}: ${error?.message ?? stderr}`);
}

async function start(node, programs) {
  const [name, args] = command('postgres', ['-D', node.folder, '-p', String(node.port)], programs);
  node.child = spawn(name, args, { stdio: ['ignore', 'ignore', openSync(`${node.folder}.log`, 'a')], env });
  for (const until = Date.now() + READY_WITHIN_MS; ; ) {
    if (node.child.exitCode !== null) throw new Error(`${node.name} ended with ${node.child.exitCode}`);
    const answers = await ask(node, 'select 1').then(
      () => true,
      () => false,
    );
    if (answers) return;
    if (Date.now() > until) throw new Error(`${node.name} does not answer`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

export async function ask({ port }, sql, values, settings = {}) {
  const client = new pg.Client({ host: HOST, port, user: USER, database: 'postgres', ...settings });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}
