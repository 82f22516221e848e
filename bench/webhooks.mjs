// Webhooks: the processor time that the three events of a message take, delivered to one endpoint, without
// what made them: deliveries are put in line beforehand and come due at a steady pace, or all at once. Beside
// another checkout in turns, if its folder is given.
//   npm run bench -- webhooks [rounds] [messages] [folder of another checkout]
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { bytesWritten, cpuSeconds, startNode, stop } from './processes.mjs';
import { inFreshFolder, makeAccount, PROGRAM, startService } from './send-service.mjs';
import { countStatements, prepareStatements } from './statements.mjs';
import { digits, median, printTable } from './table.mjs';

const DEFAULT_ROUNDS = 3;
const DEFAULT_MESSAGES = 3_000;
const EVENTS = ['email.queued', 'email.sent', 'email.sealed'];
/** Messages a second whose events come due; 0: all at once. */
const PACES = [0, 400];
/** Deliveries come due so much after they are put in line: until then they cost nothing (s). */
const LEAD_SECONDS = 3;
const LOOK_EVERY_MS = 100;
const ENDED_WITHIN_MS = 120_000;
const BODY_BYTES = 420;

const FLAGS = (process.env.BENCH_NODE_FLAGS ?? '').split(' ').filter((flag) => flag !== '');

export async function run([rounds = DEFAULT_ROUNDS, messages = DEFAULT_MESSAGES, other]) {
  const programs = { here: PROGRAM };
  if (other !== undefined) programs.there = resolve(other, 'server/bin/acuse.mjs');
  const results = new Map();
  const worlds = [];
  const measureAll = async () => {
    for (let round = -1; round < Number(rounds); round++)
      for (const scheme of ['http', 'https'])
        for (const pace of PACES)
          for (const world of worlds) {
            const figures = await measure(world, { scheme, pace, messages: Number(messages) });
            const name = `${scheme}, ${pace === 0 ? 'at once' : `${pace}/s`}, ${world.name}`;
            // The first round warms up.
            if (round >= 0) results.set(name, [...(results.get(name) ?? []), figures]);
          }
  };
  let work = measureAll;
  for (const [name, program] of Object.entries(programs)) {
    const next = work;
    work = () =>
      inFreshFolder((dataDir) =>
        inWorld({ name, program, dataDir }, (world) => {
          worlds.unshift(world);
          return next();
        }),
      );
  }
  await work();
  print(results, rounds, messages);
}

async function inWorld({ name, program, dataDir }, work) {
  const key = await makeAccount(dataDir, { program });
  prepareStatements(dataDir);
  const sink = await startSink(dataDir);
  const service = await startService(dataDir, {
    program,
    flags: FLAGS,
    env: { NODE_EXTRA_CA_CERTS: sink.certificate, ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true' },
  });
  const postgres = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8'));
  const database = new pg.Client({ connectionString: postgres.url, options: '-c role=acuse_worker' });
  await database.connect();
  try {
    const pids = { worker: service.pid, postgres: postgres.pid, sink: sink.child.pid };
    const endpoints = {};
    for (const scheme of ['http', 'https'])
      endpoints[scheme] = await subscribe({ url: service.url, key }, sink[scheme]);
    await work({ name, pids, database, sink, endpoints, connection: postgres });
  } finally {
    await database.end();
    await service.stop();
    await stop(sink.child);
  }
}

async function startSink(dataDir) {
  const keyPath = join(dataDir, 'sink.key');
  const certificate = join(dataDir, 'sink.pem');
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', keyPath, '-out', certificate, ...subject],
    { stdio: 'ignore' },
  );
  const program = fileURLToPath(new URL('webhook-sink.mjs', import.meta.url));
  const { child, match } = await startNode([program, keyPath, certificate], { ready: /^sink (\d+) (\d+)$/ });
  return {
    child,
    certificate,
    http: `http://127.0.0.1:${match[1]}/`,
    https: `https://localhost:${match[2]}/`,
  };
}

async function subscribe({ url, key }, to) {
  const answer = await fetch(`${url}/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: to, events: ['email.complained'] }),
  });
  if (answer.status !== 201) throw new Error(`webhooks: ${answer.status} ${await answer.text()}`);
  return (await answer.json()).id;
}

async function measure(world, { scheme, pace, messages }) {
  await putInLine(world, world.endpoints[scheme], pace, messages);
  const printStatements = await countStatements(world.connection);
  const before = await snapshot(world);
  const startedMs = performance.now();
  await ended(world, before.seen.requests + messages * EVENTS.length);
  const after = await snapshot(world);
  await printStatements(messages);
  const each = (key) => (after[key] - before[key]) / messages;
  const sent = after.seen.requests - before.seen.requests;
  if (sent < messages * EVENTS.length) throw new Error(`only ${sent} deliveries were sent`);
  return {
    perSecond: messages / ((performance.now() - startedMs) / 1_000),
    worker: 1e6 * each('worker'),
    postgres: 1e6 * each('postgres'),
    sink: 1e6 * each('sink'),
    kilobytes: each('bytes') / 1_000,
    transactions: each('transactions'),
    connections: after.seen.connections - before.seen.connections,
  };
}

/** Deliveries of three events a message, and waits until the first is about to come due. */
async function putInLine({ database }, webhookId, pace, messages) {
  await database.query(
    `with endpoint as (select tenant_id, webhook_id from webhook_endpoints where webhook_id = $1),
     made as (
       insert into webhook_deliveries (tenant_id, delivery_id, webhook_id, created_at, event_id, message_id,
         type, body)
       select tenant_id, gen_random_uuid(), webhook_id, now(), gen_random_uuid(), gen_random_uuid(), type,
              convert_to(json_build_object('type', type, 'at', at, 'data', repeat('x', $4::integer))::text,
                'UTF8')
         from endpoint, generate_series(0, $2::integer - 1) as at, unnest($3::text[]) as type
       returning tenant_id, delivery_id, webhook_id, body
     )
     insert into webhook_queue (tenant_id, delivery_id, webhook_id, due_at)
     select tenant_id, delivery_id, webhook_id,
            now() + $5::integer * interval '1 second'
              + coalesce((convert_from(body, 'UTF8')::json ->> 'at')::integer
              * (interval '1 second' / nullif($6::integer, 0)), interval '0')
       from made`,
    [webhookId, messages, EVENTS, BODY_BYTES, LEAD_SECONDS, pace],
  );
  await database.query(`select pg_sleep_until(min(due_at) - interval '0.1 second') from webhook_queue`);
}

/** Asks the receiver first: what the database is asked is counted among what deliveries take of it. */
async function ended({ database, sink }, requests) {
  for (const giveUpMs = performance.now() + ENDED_WITHIN_MS; ; ) {
    const seen = await (await fetch(sink.http)).json();
    if (seen.requests >= requests) {
      const { rows } = await database.query('select 1 from webhook_queue limit 1');
      if (rows.length === 0) return;
    }
    if (performance.now() > giveUpMs) throw new Error('something waits for ever');
    await new Promise((next) => setTimeout(next, LOOK_EVERY_MS));
  }
}

async function snapshot({ pids, database, sink }) {
  const { rows } = await database.query(
    'select xact_commit::integer as count from pg_stat_database where datname = current_database()',
  );
  const seen = await (await fetch(sink.http)).json();
  return {
    worker: cpuSeconds(pids.worker),
    postgres: cpuSeconds(pids.postgres, { tree: true }),
    sink: cpuSeconds(pids.sink),
    bytes: bytesWritten(pids.postgres, { tree: true }),
    transactions: rows[0].count,
    seen,
  };
}

function print(results, rounds, messages) {
  const table = [...results].map(([name, list]) => {
    const middle = (key) => median(list.map((round) => round[key]));
    return {
      'three events': name,
      'messages/s': digits(middle('perSecond')),
      'CPU µs': digits(median(list.map(({ worker, postgres }) => worker + postgres))),
      worker: digits(middle('worker')),
      postgres: digits(middle('postgres')),
      sink: digits(middle('sink')),
      'kB written': digits(middle('kilobytes'), 1),
      transactions: digits(middle('transactions'), 2),
      connections: digits(middle('connections')),
    };
  });
  const machine = `${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.version}`;
  console.log(`\n${machine}; ${rounds} rounds of ${messages} messages, medians\n`);
  printTable(table, 1);
}
