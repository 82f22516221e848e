// Three etcd and three Patroni with PostgreSQL, from the very files of deploy/patroni. Each node has an
// address of its own in 127.0.0.0/8: only addresses, passwords and folders differ from three machines.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const TEMPLATES = fileURLToPath(new URL('../deploy/patroni/', import.meta.url));
const ADDRESSES = { db1: '127.0.77.1', db2: '127.0.77.2', db3: '127.0.77.3' };
const PORTS = [2379, 2380, 5432, 8008];
const BIN = '/usr/lib/postgresql/15/bin/postgres';
const PASSWORD = 'only-for-this-run';
const READY_WITHIN_MS = 180_000;
const LOOK_EVERY_MS = 200;
const ASK_WITHIN_MS = 5_000;
const isRoot = process.getuid() === 0;

/** `folder`: one that anybody may enter. */
export async function startPatroni(folder) {
  checkPrograms();
  await checkPorts();
  chmodSync(folder, 0o755);
  const nodes = Object.entries(ADDRESSES).map(([name, address]) => makeNode(folder, name, address));
  const stopAll = async () => {
    for (const node of nodes) await kill(node);
    for (const { etcd } of nodes) await end(etcd);
  };
  try {
    for (const node of nodes) node.etcd = startEtcd(node);
    for (const node of nodes) startNode(node);
    await until(() => allWell(nodes), 'three nodes, of which one is synchronous');
    makeDatabase(folder, await leaderOf(nodes));
  } catch (error) {
    await stopAll();
    throw error;
  }
  const hosts = nodes.map(({ address }) => `${address}:5432`).join(',');
  return {
    url: `postgresql://acuse:${PASSWORD}@${hosts}/acuse`,
    ask: async (sql, values) => ask(await leaderOf(nodes), sql, values),
    /** SIGKILL to Patroni and PostgreSQL of the leader; resolves once Patroni has elected another. */
    async failOver() {
      const lost = await leaderOf(nodes);
      const startedMs = performance.now();
      await kill(lost);
      const others = nodes.filter((each) => each !== lost);
      await until(async () => {
        const leader = await leaderOf(others).catch(() => null);
        return leader !== null && leader !== lost;
      }, 'another leader');
      return { lost, promotedMs: performance.now() - startedMs };
    },
    async rebuild(node) {
      startNode(node);
      await until(() => allWell(nodes), `node ${node.name} to come back`);
    },
    describe: () => cluster(nodes).catch(({ message }) => message),
    stop: stopAll,
  };
}

function checkPrograms() {
  for (const [needs, program] of [
    ['patroni', 'patroni'],
    ['etcd', 'etcd'],
    ['PostgreSQL 15', BIN],
  ])
    if (spawnSync(program, ['--version'], { stdio: 'ignore' }).error !== undefined)
      throw new Error(
        `needs patroni, etcd and postgresql (no ${needs}): apt install patroni etcd-server postgresql`,
      );
}

async function checkPorts() {
  for (const address of Object.values(ADDRESSES))
    for (const port of PORTS)
      if (await isTaken(address, port))
        throw new Error(`${address}:${port} is taken: stop what listens there`);
}

function isTaken(host, port) {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
      .once('connect', () => resolve(true))
      .once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

function makeNode(parent, name, address) {
  const folder = join(parent, name);
  mkdirSync(folder, { mode: 0o700 });
  const file = (template) => fill(readFileSync(join(TEMPLATES, template), 'utf8'), folder, name, address);
  writeFileSync(join(folder, 'patroni.yml'), file('patroni.yml'), { mode: 0o600 });
  if (isRoot) spawnSync('chown', ['-R', 'postgres:postgres', folder]);
  const settings = file('etcd.env')
    .split('\n')
    .filter((line) => line.startsWith('ETCD_'));
  const env = Object.fromEntries(settings.map((line) => line.split(/=(.*)/, 2)));
  return { name, address, folder, env, data: join(folder, 'data') };
}

function fill(text, folder, name, address) {
  const filled = text
    .replaceAll('@NAME@', name)
    .replaceAll('@ADDRESS@', address)
    .replaceAll(/@(DB\d)@/g, (_, node) => ADDRESSES[node.toLowerCase()])
    .replaceAll('@NETWORK@', '127.0.0.0/8')
    .replaceAll(/@[A-Z]+_PASSWORD@/g, PASSWORD)
    .replaceAll('/var/lib/postgresql/15/acuse', join(folder, 'data'))
    .replaceAll('/var/lib/postgresql/acuse.pgpass', join(folder, 'pgpass'))
    .replaceAll('/var/run/postgresql', folder)
    .replaceAll('/var/lib/etcd/acuse', join(folder, 'etcd'));
  const left = /@[A-Z_\d]+@/.exec(filled);
  if (left !== null) throw new Error(`${left[0]} is not replaced: say in bench/patroni-nodes.mjs by what`);
  return filled;
}

/** As the user that Debian runs PostgreSQL as; it ends with this process. */
function start(node, name, args, env = {}) {
  const as = isRoot ? ['--reuid=postgres', '--regid=postgres', '--init-groups'] : [];
  const log = openSync(join(node.folder, `${name}.log`), 'a');
  const child = spawn('setpriv', [...as, '--pdeathsig', 'KILL', '--', name, ...args], {
    cwd: node.folder,
    env: { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', ...env },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  return child;
}

const startEtcd = (node) => start(node, 'etcd', [], node.env);

function startNode(node) {
  node.child = start(node, 'patroni', [join(node.folder, 'patroni.yml')]);
}

function makeDatabase(folder, leader) {
  const { status, stderr } = spawnSync(
    'psql',
    [
      ...['-X', '-v', 'ON_ERROR_STOP=1', '-v', `password=${PASSWORD}`, '-f', join(TEMPLATES, 'acuse.sql')],
      `postgresql://postgres:${PASSWORD}@${leader.address}/postgres`,
    ],
    { cwd: folder, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`acuse.sql: ${stderr}`);
}

/** The cluster as the first node that answers sees it. */
async function cluster(nodes) {
  let last;
  for (const { address } of nodes)
    try {
      const answer = await fetch(`http://${address}:8008/cluster`, {
        signal: AbortSignal.timeout(ASK_WITHIN_MS),
      });
      return (await answer.json()).members;
    } catch (error) {
      last = error;
    }
  throw new Error('no Patroni answers', { cause: last });
}

async function leaderOf(nodes) {
  for (const node of nodes) {
    // 200 of the leader alone, while it holds the key.
    const answer = await fetch(`http://${node.address}:8008/primary`, {
      signal: AbortSignal.timeout(ASK_WITHIN_MS),
    }).catch(() => null);
    await answer?.arrayBuffer();
    if (answer?.status === 200) return node;
  }
  throw new Error('no node is the leader');
}

async function allWell(nodes) {
  const members = await cluster(nodes).catch(() => []);
  const count = (role) => members.filter((each) => each.role === role).length;
  const timelines = new Set(members.map(({ timeline }) => timeline));
  const run = members.every(({ state }) => state === 'running' || state === 'streaming');
  return (
    members.length === 3 &&
    run &&
    timelines.size === 1 &&
    count('leader') === 1 &&
    count('sync_standby') === 1
  );
}

/** Patroni first: it would start its PostgreSQL again. Then the postmaster and its children. */
async function kill(node) {
  const postmaster = postmasterOf(node);
  await end(node.child);
  if (postmaster === null) return;
  const children = read(`/proc/${postmaster}/task/${postmaster}/children`).trim().split(' ');
  for (const each of [postmaster, ...children.filter(Boolean).map(Number)])
    try {
      process.kill(each, 'SIGKILL');
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
}

/** The file may be of a process long gone: only one whose folder is this node's is its own. */
function postmasterOf({ data }) {
  const pid = Number.parseInt(read(join(data, 'postmaster.pid')), 10);
  return pid > 1 && read(`/proc/${pid}/cmdline`).includes(data) ? pid : null;
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

async function end(child) {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function ask({ address }, sql, values) {
  const client = new pg.Client({
    ...{ host: address, port: 5432, user: 'postgres', password: PASSWORD, database: 'acuse' },
    connectionTimeoutMillis: ASK_WITHIN_MS,
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
