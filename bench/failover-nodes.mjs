// Three PostgreSQL of which one is the primary and one of the others has every commit before it is answered;
// from the programs that the service embeds. A node that was killed is made anew from the primary.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './postfix-queue.mjs';
import { command, makeFolder, OWNER } from './postgres-programs.mjs';
import { signalAll } from './processes.mjs';

const READY_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 50;
const USER = 'acuse';
const SETTINGS = [
  "listen_addresses = '127.0.0.1'",
  "unix_socket_directories = ''",
  'max_connections = 100',
  'shared_buffers = 128MB',
  'wal_keep_size = 1GB',
  'wal_sender_timeout = 5s',
  'wal_receiver_timeout = 5s',
  'wal_retrieve_retry_interval = 200ms',
  'log_min_messages = fatal',
];
const STATE = `select pg_is_in_recovery() as standby, current_setting('synchronous_standby_names') as waits_for,
  pg_last_wal_receive_lsn() as received, (select json_agg(json_build_object('status', status, 'timeline', received_tli))
  from pg_stat_wal_receiver) as receiver, (select json_agg(json_build_object('name', application_name, 'state', state,
  'sync', sync_state)) from pg_stat_replication) as senders`;
const NAMES = ['one', 'two', 'three'];

function run(program, args) {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args[0]}: ${error?.message ?? stderr}`);
}

const give = (path) => OWNER !== null && run('chown', ['-R', OWNER, path]);

/** `folder`: one that anybody may enter. */
export async function startNodes(folder) {
  chmodSync(folder, 0o755);
  const nodes = [];
  for (const name of NAMES) nodes.push({ name, folder: join(folder, name), port: await freePort() });
  let primary = nodes[0];
  makeFolder(primary.folder);
  run(...command('initdb', ['-D', primary.folder, '-U', USER, '--auth=trust', '-E', 'UTF8', '--no-sync']));
  writeFileSync(join(primary.folder, 'postgresql.conf'), `${SETTINGS.join('\n')}\n`, { flag: 'a' });
  await start(primary);
  for (const node of nodes.slice(1)) await makeStandby(node, primary);
  await waitFor(primary, nodes);
  return {
    url: `postgresql://${USER}@${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}/postgres`,
    /** One statement on the primary. */
    ask: (sql, values) => ask(primary, sql, values),
    /**
     * SIGKILL to the primary, or SIGSTOP, which leaves its connections open; promotes the standby that has
     * most, as docs/guides/failover.md tells operators. Resolves with how long that took (ms).
     */
    async failOver(how = 'kill') {
      const lost = primary;
      if (how === 'freeze') signalAll(lost.child.pid, 'SIGSTOP');
      else await kill(lost);
      const startedMs = performance.now();
      const others = nodes.filter((each) => each !== lost);
      for (const each of others) await stopReceiving(each);
      primary = await mostAdvanced(others);
      // Before it is one: its first commit waits too.
      await waitFor(primary, nodes);
      await ask(primary, 'select pg_promote(true, 30)');
      for (const each of others) if (each !== primary) await follow(each, primary);
      return { lost, promotedMs: performance.now() - startedMs };
    },
    /** One that was frozen goes on, with nobody who keeps it from taking writes. */
    thaw: (node) => signalAll(node.child.pid, 'SIGCONT'),
    /** A node that was killed comes back as a standby. */
    async rebuild(node) {
      if (isUp(node)) await kill(node);
      rmSync(node.folder, { recursive: true, force: true });
      await makeStandby(node, primary);
    },
    /** Each node and the one it follows, for the message of a run that stands still. */
    describe: () =>
      Promise.all(
        nodes.map(async (node) => ({
          name: node.name,
          ...(await ask(node, STATE).then(
            ([state]) => state,
            (error) => ({ error: error.message }),
          )),
        })),
      ),
    async stop() {
      for (const node of nodes) if (isUp(node)) await kill(node);
    },
  };
}

const isUp = ({ child }) => child !== undefined && child.exitCode === null && child.signalCode === null;

async function start(node) {
  node.child = spawn(...command('postgres', ['-D', node.folder, '-p', String(node.port)]), {
    stdio: 'ignore',
  });
  await until(async () => {
    if (!isUp(node)) throw new Error(`node ${node.name} ended`);
    return ask(node, 'select 1').then(
      () => true,
      () => false,
    );
  }, `node ${node.name} to answer`);
}

/** PostgreSQL, Continuous Archiving, "Making a Base Backup Using the Low Level API" */
async function makeStandby(node, primary) {
  const client = new pg.Client({ host: '127.0.0.1', port: primary.port, user: USER, database: 'postgres' });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query("select pg_backup_start('standby', true)");
    const copied = spawnSync('cp', ['-a', primary.folder, node.folder], { encoding: 'utf8' });
    // 1: a file vanished while it was copied, as is expected of one that runs.
    if (copied.status > 1) throw new Error(`cp: ${copied.stderr}`);
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)');
    for (const name of ['postmaster.pid', 'postmaster.opts', 'standby.signal', 'recovery.signal'])
      rmSync(join(node.folder, name), { force: true });
    writeFileSync(join(node.folder, 'backup_label'), rows[0].labelfile);
    writeFileSync(join(node.folder, 'standby.signal'), '');
    // Settings of the primary, as a standby and as a primary, are not for this one.
    writeFileSync(
      join(node.folder, 'postgresql.auto.conf'),
      `primary_conninfo = '${wayTo(primary, node)}'\n`,
    );
    give(node.folder);
  } finally {
    await client.end();
  }
  await start(node);
}

/**
 * Records of the lost primary arrive for a while after it: a comparison before their end would be of
 * numbers that still grow, and another standby could have more than the promoted one.
 */
async function stopReceiving(node) {
  await ask(node, "alter system set primary_conninfo = ''");
  await ask(node, 'select pg_reload_conf()');
  await until(
    async () => (await ask(node, 'select from pg_stat_wal_receiver')).length === 0,
    `node ${node.name} to receive no more`,
  );
}

const wayTo = (primary, node) =>
  `host=127.0.0.1 port=${primary.port} user=${USER} application_name=${node.name}`;

async function follow(node, primary) {
  await ask(node, `alter system set primary_conninfo = '${wayTo(primary, node)}'`);
  await ask(node, 'select pg_reload_conf()');
}

/** Commits wait for one of the others from now on. */
async function waitFor(primary, nodes) {
  const others = nodes.filter((each) => each !== primary).map(({ name }) => name);
  await ask(primary, `alter system set synchronous_standby_names = 'ANY 1 (${others.join(', ')})'`);
  await ask(primary, 'select pg_reload_conf()');
}

async function mostAdvanced(nodes) {
  const received = [];
  for (const node of nodes) {
    const [{ at }] = await ask(
      node,
      "select greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0'::pg_lsn as at",
    );
    received.push([Number(at), node]);
  }
  return received.sort(([a], [b]) => b - a)[0][1];
}

/** The postmaster and its children, as a machine that loses power. */
async function kill(node) {
  const ended = once(node.child, 'exit');
  signalAll(node.child.pid, 'SIGKILL');
  await ended;
}

async function ask({ port }, sql, values) {
  const client = new pg.Client({
    ...{ host: '127.0.0.1', port, user: USER, database: 'postgres' },
    connectionTimeoutMillis: 5_000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

async function until(look, what) {
  for (const end = Date.now() + READY_WITHIN_MS; !(await look()); ) {
    if (Date.now() > end) throw new Error(`waited ${READY_WITHIN_MS / 1_000} s for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
