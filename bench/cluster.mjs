// A cluster under load: `npm run bench -- cluster [messages a second] [seconds a node is away] [processes]
// [kill|freeze]`. Three workers of Citus: one is added and takes its share of the accounts, one is killed
// with -9 (or stopped with SIGSTOP) and comes back, one is emptied and removed, while eight accounts send
// certified and plain mail. Then what was accepted is held against what servers took and what the database
// says. Needs PostgreSQL with Citus: ACUSE_BENCH_CITUS names the folder of its programs. Exit code 1:
// something was lost or sent twice, fsck finds something, or accounts on living nodes had fewer than 99 % of
// their sends answered 2xx.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCluster } from './cluster-nodes.mjs';
import { findFaults, readRecords } from './faults-audit.mjs';
import { startMailServer, startReceiver } from './faults-peers.mjs';
import { createService, fsck, openAccount, ownSettings, settingsOf, startLoad } from './faults-world.mjs';
import { PROGRAM } from './send-service.mjs';
import { printTable } from './table.mjs';

const ACCOUNTS = 8;
const SHARDS = '8';
const CALM_MS = 10_000;
const DRAIN_WITHIN_MS = 300_000;
const MOVED_WITHIN_MS = 600_000;
const LOOK_EVERY_MS = 500;
const TRIES = 5;
const LOCK_MS = 2_000;
/** A deadlock, and a lock that was not had in time. */
const LOCKED = new Set(['40P01', '55P03']);
/** Of sends for accounts on living nodes. */
const AIM = 0.99;

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export async function run([perSecond = 16, awaySeconds = 60, processes = 2, how = 'kill']) {
  const programs = process.env.ACUSE_BENCH_CITUS;
  if (programs === undefined) {
    console.log('cluster: skipped: needs Citus; ACUSE_BENCH_CITUS names the folder with its postgres');
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'acuse-cluster-'));
  const keep = process.env.ACUSE_BENCH_KEEP_LOGS !== undefined;
  const cleanups = keep ? [] : [() => rmSync(folder, { recursive: true, force: true })];
  const cleanUp = async () => {
    for (const each of cleanups.splice(0).reverse()) await each();
  };
  const interrupted = () => cleanUp().finally(() => process.exit(130));
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    const world = await open(folder, programs, Number(processes), cleanups);
    const seen = await breakIt(world, Number(perSecond), Number(awaySeconds) * 1_000, how);
    process.exitCode = (await report(world, seen)) ? 0 : 1;
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    await cleanUp();
  }
}

async function open(folder, programs, processes, cleanups) {
  const cluster = await startCluster(folder, programs, 3);
  cleanups.push(cluster.stop);
  const mail = await startMailServer({ random: Math.random });
  const receiver = await startReceiver({ random: () => 1 });
  cleanups.push(mail.stop, receiver.stop);
  const shared = await settingsOf({
    folder: join(folder, 'acuse'),
    origin: 'cluster.test',
    sinkPort: mail.port,
  });
  const env = { ...shared, DATABASE_URL: cluster.url };
  acuse(env, 'db', 'migrate');
  distribute(cluster, env, ['--shards', SHARDS]);
  const services = [];
  for (let n = 0; n < processes; n++) {
    const name = `p${n}`;
    const own = await ownSettings(`${name}.cluster.test`);
    const service = createService({ name, env: { ...env, ...own }, logFolder: folder, withClock: false });
    services.push(service);
    cleanups.push(service.stop);
    await service.start();
  }
  const installation = { name: 'cluster', services, env, databaseUrl: cluster.url, accounts: [] };
  for (let n = 0; n < ACCOUNTS; n++)
    installation.accounts.push(
      await openAccount({
        ...installation,
        url: services[0].url,
        name: `account${n}`,
        receiverPort: receiver.port,
      }),
    );
  return { cluster, mail, receiver, installation, folder };
}

function acuse(env, ...args) {
  return execFileSync(process.execPath, [PROGRAM, ...args], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
}

function distribute(cluster, env, more = []) {
  const workers = cluster.workers().map(cluster.address).join(',');
  const coordinator = cluster.address(cluster.coordinator);
  acuse(env, 'db', 'distribute', '--coordinator', coordinator, '--workers', workers, ...more);
}

/** The port of the node that each account is on. */
async function placesOf({ cluster, installation }) {
  const rows = await cluster.ask(
    `select t.id, n.nodeport as port
       from unnest($1::uuid[]) as t (id)
       join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('tenants', t.id)
       join pg_dist_node n using (groupid)`,
    [installation.accounts.map(({ tenantId }) => tenantId)],
  );
  return new Map(rows.map(({ id, port }) => [id, port]));
}

async function breakIt(world, perSecond, awayMs, how) {
  const { cluster, installation, mail } = world;
  const answers = [];
  const load = startLoad({
    installations: [installation],
    perSecond,
    random: Math.random,
    onAnswer: (answer) => answers.push(answer),
  });
  const phases = [];
  async function phase(name, work) {
    const lost = { port: null };
    const before = { taken: mail.taken.size, fromMs: performance.now() };
    const places = await placesOf(world);
    await work(lost);
    const toMs = performance.now();
    const made = answers.filter(({ atMs }) => atMs >= before.fromMs && atMs < toMs);
    phases.push({
      name,
      made,
      places,
      lost: lost.port,
      toMs,
      ...before,
      delivered: mail.taken.size - before.taken,
    });
    console.log(`cluster: ${name}: ${((toMs - before.fromMs) / 1_000).toFixed(0)} s`);
  }
  await phase('as it is', () => sleep(CALM_MS));
  await phase('a worker is added', async () => {
    await cluster.addNode();
    distribute(cluster, installation.env);
    await moved(cluster, 'select citus_rebalance_start()');
  });
  const places = [...(await placesOf(world)).values()];
  const victim = cluster.workers().find(({ port }) => places.includes(port));
  await phase('a worker is away', async (lost) => {
    lost.port = victim.port;
    await (how === 'freeze' ? cluster.freeze(victim) : cluster.kill(victim));
    await sleep(awayMs);
  });
  await phase('it starts', async (lost) => {
    lost.port = victim.port;
    await (how === 'freeze' ? cluster.thaw(victim) : cluster.start(victim));
    await sleep(CALM_MS);
  });
  await phase('it is back', () => sleep(CALM_MS));
  const leaving = cluster.workers().find((each) => each !== victim);
  await phase('a worker is removed', async () => {
    await emptied(cluster, leaving);
    await removed(cluster, leaving);
    await sleep(CALM_MS);
  });
  await load.stop();
  const drainedMs = await drain(cluster);
  return { load, phases, drainedMs };
}

/** Moves end one by one: after a deadlock the next try goes on where the last one stopped. */
async function emptied({ ask }, { port }) {
  await repeated('emptying a worker', () => ask('select citus_drain_node($1, $2)', ['127.0.0.1', port]));
}

/** It locks the tables that every node has: without a limit all sends would wait as long as it does. */
async function removed({ ask }, { port }) {
  await repeated('removing a worker', () =>
    ask('select citus_remove_node($1, $2)', ['127.0.0.1', port], { lock_timeout: LOCK_MS }),
  );
}

async function repeated(what, work) {
  for (let left = TRIES; ; left--)
    try {
      await work();
      return;
    } catch (error) {
      if (!LOCKED.has(error.code) || left === 1) throw error;
      console.log(`cluster: ${what}: ${error.message}; again`);
      await sleep(LOOK_EVERY_MS);
    }
}

async function moved(cluster, start) {
  await cluster.ask(start);
  for (const until = Date.now() + MOVED_WITHIN_MS; ; ) {
    const [job] = await cluster.ask('select state from pg_dist_background_job order by job_id desc limit 1');
    if (job === undefined || job.state === 'finished') return;
    if (job.state === 'failed' || Date.now() > until) throw new Error(`moving accounts: ${job.state}`);
    await sleep(LOOK_EVERY_MS);
  }
}

async function drain(cluster) {
  const fromMs = performance.now();
  for (;;) {
    for (const [queue, free] of [
      ['delivery_queue', 'leased_until'],
      ['webhook_queue', 'lease_id'],
    ])
      await cluster.ask(
        `update ${queue} set due_at = now() where ${free} is null and due_at > now() + interval '1 second'`,
      );
    const [{ left }] = await cluster.ask(
      `select (select count(*) from delivery_queue) + (select count(*) from webhook_queue)
              + (select count(*) from pending_leaves) + (select count(*) from stamp_queue) as left`,
    );
    if (Number(left) === 0 || performance.now() - fromMs > DRAIN_WITHIN_MS) return performance.now() - fromMs;
    await sleep(LOOK_EVERY_MS);
  }
}

const share = (answers) =>
  answers.filter(({ status }) => status >= 200 && status < 300).length / answers.length;
const percent = (answers) => (answers.length === 0 ? '' : `${(share(answers) * 100).toFixed(1)} %`);

/** True when all is as it must be. */
async function report({ installation, mail, receiver, folder }, { load, phases, drainedMs }) {
  let sound = true;
  printTable(
    phases.map(({ name, made, places, lost: port, fromMs, toMs, delivered }) => {
      const away = made.filter(({ account }) => places.get(account.tenantId) === port);
      const living = made.filter((answer) => !away.includes(answer));
      if (share(living) < AIM) sound = false;
      const statuses = {};
      for (const { status, code } of made)
        if (status === null || status >= 300)
          statuses[`${status ?? 'none'} ${code ?? ''}`] =
            (statuses[`${status ?? 'none'} ${code ?? ''}`] ?? 0) + 1;
      return {
        phase: name,
        seconds: ((toMs - fromMs) / 1_000).toFixed(0),
        'sends on living nodes': String(living.length),
        'of them 2xx': percent(living),
        'waited 2 s or longer': String(living.filter(({ tookMs }) => tookMs >= 2_000).length),
        'longest, s': (Math.max(0, ...living.map(({ tookMs }) => tookMs)) / 1_000).toFixed(1),
        'on the lost one': String(away.length),
        'of these 2xx': percent(away),
        'answers else': Object.entries(statuses)
          .map(([what, count]) => `${count} × ${what}`)
          .join(', '),
        delivered: String(delivered),
      };
    }),
    1,
  );
  const sends = [...load.sends.values()];
  const records = await readRecords(installation);
  const { lost, faults } = findFaults({ sends, taken: mail.taken, received: receiver.received, records });
  const twice = [...mail.taken].filter(([, copies]) => copies.length > 1);
  const found = await fsck(installation);
  sound &&= lost.length + faults.length + twice.length === 0 && found === null;
  console.log(
    `\naccepted ${sends.filter(({ id }) => id !== null).length}, lost ${lost.length}, twice ${twice.length}, does not add up ${faults.length}; queues empty after ${(drainedMs / 1_000).toFixed(0)} s; fsck ${found === null ? 'clean' : 'FINDS'}`,
  );
  for (const line of [...lost, ...faults].slice(0, 20)) console.log(line);
  for (const [to, copies] of twice.slice(0, 10))
    console.log(
      `twice: ${to}: ${copies.map(({ by, dotMs, heard }) => `${by} at ${Math.round(dotMs)}, ${heard ? 'heard' : 'not heard'}`).join('; ')}`,
    );
  if (found !== null) console.log(found);
  if (!sound && process.env.ACUSE_BENCH_KEEP_LOGS !== undefined) console.log(folder);
  return sound;
}
