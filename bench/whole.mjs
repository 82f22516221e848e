// The whole way of a certified message in one process with every role: accepted, delivered to the sandbox's
// own server, recorded, sealed. A round ends when nothing waits any more, not when the last send is answered;
// its figures are of all processes, PostgreSQL's and the sandbox's server included, and of all bytes that
// PostgreSQL has written; nothing else writes to a disk.
//   npm run bench -- whole [rounds] [seconds of sending] [kind …] [folder of another checkout]
// With a folder: in turns with that checkout, processor time alone, least and median.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { bytesWritten, cpuSeconds, runLoad } from './processes.mjs';
import { CONNECTIONS, inFreshFolder, loadOf, MESSAGE, makeAccount, startService } from './send-service.mjs';
import { countStatements, prepareStatements } from './statements.mjs';
import { digits, median, printTable } from './table.mjs';

const DEFAULT_ROUNDS = 3;
const DEFAULT_SECONDS = 5;
/**
 * V8 compiles for so long: after 4 000 messages its threads still take 400 µs a message, after this many less
 * than a quarter of it.
 */
const WARM_UP_MESSAGES = 8_000;
const WARM_UP_SECONDS = 4;
const LOOK_EVERY_MS = 50;
const ALONE_PER_SECOND = 10;
/** Slower than this and something is wrong: the bench ends. */
const DRAINED_WITHIN_MS = 300_000;

const FLAGS = (process.env.BENCH_NODE_FLAGS ?? '').split(' ').filter((flag) => flag !== '');
/** Of the other checkout. */
const FLAGS_THERE = process.env.BENCH_NODE_FLAGS_THERE?.split(' ') ?? FLAGS;
/** The sink of webhooks is on this machine. */
const ENV = { ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true', ...JSON.parse(process.env.BENCH_ENV ?? '{}') };

/** Steps of a message besides being accepted, delivered and sealed. */
const KINDS = {
  plain: { name: 'plain', algorithms: [], certified: false, webhooks: 0 },
  certified: { name: 'certified', algorithms: [], certified: true, webhooks: 0 },
  rsa: {
    name: 'certified, RSA-2048, two webhooks',
    algorithms: ['rsa-sha256'],
    certified: true,
    webhooks: 2,
  },
};

export async function run([rounds = DEFAULT_ROUNDS, seconds = DEFAULT_SECONDS, ...rest]) {
  const other = rest.find((each) => each.includes('/'));
  const wanted = rest.filter((each) => each !== other);
  const unknown = wanted.filter((kind) => !Object.hasOwn(KINDS, kind));
  if (unknown.length > 0)
    throw new Error(`no kind ${unknown.join(', ')}: there is ${Object.keys(KINDS).join(', ')}`);
  if (other !== undefined) return runTurns(wanted, Number(rounds), Number(seconds), other);
  const results = [];
  for (const kind of wanted.length === 0 ? Object.keys(KINDS) : wanted)
    results.push({ kind, ...(await inWorld({ kind }, (world) => measure(world, rounds, seconds))) });
  print(results, rounds, seconds);
}

/**
 * `work` gets a service with every role that is warm; `program`: another checkout's; `statements`: PostgreSQL
 * counts them.
 */
export function inWorld({ kind, flags = FLAGS, program, statements }, work) {
  return inFreshFolder((dataDir) => inFolder({ dataDir, kind, flags, program, statements }, work));
}

async function inFolder({ dataDir, kind, flags, program, statements }, work) {
  const key = await makeAccount(dataDir, { program });
  prepareStatements(dataDir, statements);
  const service = await startService(dataDir, { env: ENV, flags, program });
  const postgres = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8'));
  const database = new pg.Client({ connectionString: postgres.url, options: '-c role=acuse_worker' });
  await database.connect();
  const sink = await startWebhookSink();
  const world = {
    ...service,
    key,
    statements,
    postgres,
    postgresPid: postgres.pid,
    database,
    ...KINDS[kind],
  };
  try {
    await signWith(database, world.algorithms);
    for (let each = 0; each < world.webhooks; each++) await subscribe(world, `${sink.url}/${each}`);
    for (let messages = 0; messages < WARM_UP_MESSAGES; )
      messages += (await measureRound(world, CONNECTIONS, WARM_UP_SECONDS)).messages;
    return await work(world);
  } finally {
    sink.close();
    await database.end();
    await service.stop();
  }
}

async function measure(world, rounds, seconds) {
  const printStatements = await countStatements(world.postgres);
  const list = [];
  for (let round = 0; round < rounds; round++) {
    list.push(await measureRound(world, CONNECTIONS, Number(seconds)));
    console.log(
      `${world.name}: round ${round + 1} of ${rounds}: ${Math.round(list.at(-1).perSecond)} messages/s`,
    );
  }
  await printStatements(list.reduce((sum, { messages }) => sum + messages, 0));
  const perSecond = Math.round(median(list.map((round) => round.perSecond)) / 2);
  const half = await measureRound(world, CONNECTIONS, Number(seconds), perSecond);
  const alone = await measureRound(world, 1, 2, ALONE_PER_SECOND);
  return { list, half, alone };
}

/** Both are there all the while, and idle while the other has its round. */
async function runTurns(wanted, rounds, seconds, other) {
  const there = resolve(other, 'server/bin/acuse.mjs');
  const rows = [];
  for (const kind of wanted.length === 0 ? Object.keys(KINDS) : wanted)
    await inWorld({ kind }, (here) =>
      inWorld({ kind, program: there, flags: FLAGS_THERE }, async (beside) => {
        const worlds = { here, there: beside };
        const lists = { here: [], there: [] };
        for (let round = 0; round < rounds; round++)
          for (const name of round % 2 === 0 ? ['here', 'there'] : ['there', 'here'])
            lists[name].push(await measureRound(worlds[name], CONNECTIONS, seconds));
        for (const [name, list] of Object.entries(lists)) rows.push(turnsRow(here.name, name, list));
      }),
    );
  console.log(`\n${machine()}; ${rounds} rounds of ${seconds} s of sending each in turns\n`);
  printTable(rows, 2);
}

function turnsRow(message, checkout, list) {
  const all = list.map(({ server, postgres }) => server + postgres);
  const middle = (key, places) => digits(median(list.map((round) => round[key])), places);
  return {
    message,
    checkout,
    'CPU µs a message': digits(median(all)),
    least: digits(Math.min(...all)),
    service: middle('server'),
    'service, least': digits(Math.min(...list.map(({ server }) => server))),
    postgres: middle('postgres'),
    'postgres, least': digits(Math.min(...list.map(({ postgres }) => postgres))),
    'kB written': middle('kilobytes', 1),
    messages: digits(list.reduce((sum, { messages }) => sum + messages, 0)),
  };
}

/** The account's domain signs with these only. */
async function signWith(database, algorithms) {
  await database.query(
    `update dkim_keys set status = 'retired', retired_at = now()
      where status = 'active' and algorithm <> all ($1)`,
    [algorithms],
  );
}

async function subscribe({ url, key }, to) {
  const answer = await fetch(`${url}/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: to, events: ['*'] }),
  });
  if (answer.status !== 201) throw new Error(`webhooks: ${answer.status} ${await answer.text()}`);
}

/** Answers 200 to everything; not measured. */
export async function startWebhookSink() {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.end());
  });
  server.keepAliveTimeout = 60_000;
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

export async function measureRound(world, connections, seconds, perSecond) {
  const before = snapshot(world);
  const { rows } = await world.database.query('select now() as "since"');
  const startedMs = performance.now();
  const options = loadOf(world, {
    batch: false,
    message: { ...MESSAGE, certified: world.certified },
    connections,
    seconds,
  });
  const load = await runLoad({ ...options, perSecond });
  if (load.statuses['201'] !== load.requests) throw new Error(`answers: ${JSON.stringify(load.statuses)}`);
  await drained(world.database);
  const took = (performance.now() - startedMs) / 1_000;
  const after = snapshot(world);
  return {
    messages: load.requests,
    perSecond: load.requests / took,
    accepted: load.requests / load.seconds,
    p50: load.latencyMs.p50,
    p99: load.latencyMs.p99,
    delivered: await deliveredWithin(world.database, rows[0].since),
    sealed: await sealedWithin(world.database, rows[0].since),
    server: (1e6 * (after.server - before.server)) / load.requests,
    postgres: (1e6 * (after.postgres - before.postgres)) / load.requests,
    kilobytes: (after.bytes - before.bytes) / load.requests / 1_000,
  };
}

/** From acceptance to the end of the conversation (ms): the middle message, and the 99th of a hundred. */
async function deliveredWithin(database, since) {
  const { rows } = await database.query(
    `select percentile_cont(array[0.5, 0.99]) within group (order by extract(epoch from sent_at - created_at))
       as seconds from messages where created_at >= $1`,
    [since],
  );
  const [p50, p99] = rows[0].seconds.map((each) => 1_000 * each);
  return { p50, p99 };
}

/** From acceptance to the constancia over the message's own leaf (ms), the middle one; null: all plain. */
async function sealedWithin(database, since) {
  const { rows } = await database.query(
    `select percentile_cont(0.5) within group (order by seconds) * 1000 as ms
       from (select extract(epoch from min(c.created_at) - m.created_at) as seconds
               from messages m
               join leaves l using (tenant_id, message_id)
               join certificates c using (log_id, tree_size)
              where m.created_at >= $1
              group by m.tenant_id, m.message_id, m.created_at) sealed`,
    [since],
  );
  return rows[0].ms;
}

/** Nothing to deliver, to seal, to stamp, to tell. */
async function drained(database) {
  for (const giveUpMs = performance.now() + DRAINED_WITHIN_MS; ; ) {
    const { rows } = await database.query(
      `select 1 where exists (select from delivery_queue) or exists (select from pending_leaves)
          or exists (select from stamp_queue) or exists (select from webhook_queue)`,
    );
    if (rows.length === 0) return;
    if (performance.now() > giveUpMs) throw new Error('something waits for ever');
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

function snapshot({ pid, postgresPid }) {
  return {
    server: cpuSeconds(pid),
    postgres: cpuSeconds(postgresPid, { tree: true }),
    bytes: bytesWritten(postgresPid, { tree: true }),
  };
}

function print(results, rounds, seconds) {
  const middle = (list, key) => median(list.map((round) => round[key]));
  const whole = results.map(({ kind, list }) => ({
    message: KINDS[kind].name,
    'messages/s': digits(middle(list, 'perSecond')),
    'accepted/s': digits(middle(list, 'accepted')),
    'p99 ms': digits(middle(list, 'p99'), 1),
    'CPU µs a message': digits(middle(list, 'server') + middle(list, 'postgres')),
    service: digits(middle(list, 'server')),
    postgres: digits(middle(list, 'postgres')),
    'kB written': digits(middle(list, 'kilobytes'), 1),
  }));
  const paced = results.flatMap(({ kind, half, alone }) =>
    [half, alone].map((round) => ({
      message: KINDS[kind].name,
      'begun/s': digits(round.accepted),
      'answered p50 ms': digits(round.p50, 1),
      'p99 ms': digits(round.p99, 1),
      'delivered p50 ms': digits(round.delivered.p50),
      'p99 ms ': digits(round.delivered.p99),
      'sealed p50 ms': digits(round.sealed),
      'CPU µs a message': digits(round.server + round.postgres),
      service: digits(round.server),
      postgres: digits(round.postgres),
      'kB written': digits(round.kilobytes, 1),
    })),
  );
  console.log(`\n${machine()}; ${rounds} rounds of ${seconds} s of sending each, medians\n`);
  printTable(whole, 1);
  console.log('\nAt half of that, and alone:\n');
  printTable(paced, 1);
}

function machine() {
  return `${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.version}`;
}
