// Sends to this checkout and to another one in turns: processor time and bytes of the write-ahead log a
// message. Each has a folder of its own and only accepts; nothing is delivered or sealed.
//   npm run bench -- ingest [rounds] [folder of another checkout]
// BENCH_STATEMENTS=1: what the statements of this checkout take, after the rounds.
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { cpuSeconds, runLoad } from './processes.mjs';
import { inFreshFolder, makeAccount, PROGRAM, programIn, startService } from './send-service.mjs';
import { countAccepted, sends } from './sends.mjs';
import { countStatements, prepareStatements } from './statements.mjs';
import { digits, median, printTable } from './table.mjs';

const ROUND_SECONDS = 4;
/** Until what is called for each send is compiled, however slow a busy machine is. */
const WARM_UP_MESSAGES = 15_000;
const KINDS = {
  certified: 'certified, one a request',
  plain: 'plain, one a request',
  batch: 'certified, batches of 100',
};

export async function runTurns(rounds, other, options) {
  const programs = { here: PROGRAM, there: programIn(other) };
  const worlds = [];
  const results = new Map();
  let work = () => measureAll(worlds, rounds, results);
  for (const [name, program] of Object.entries(programs)) {
    const next = work;
    work = () =>
      inFreshFolder((dataDir) =>
        inWorld({ name, program, dataDir, ...options }, (world) => {
          worlds.unshift(world);
          return next();
        }),
      );
  }
  await work();
  print(results, rounds);
}

async function inWorld({ name, program, dataDir, env, flags }, work) {
  const key = await makeAccount(dataDir, { program });
  if (name === 'here') prepareStatements(dataDir);
  const service = await startService(dataDir, { program, roles: 'api', env, flags });
  const postgres = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8'));
  const database = new pg.Client({ connectionString: postgres.url });
  await database.connect();
  try {
    await work({ ...service, name, key, database, postgres });
  } finally {
    await database.end();
    await service.stop();
  }
}

async function measureAll(worlds, rounds, results) {
  const counting = { messages: 0 };
  let stopCounting = null;
  for (const kind of wantedKinds())
    for (let round = -1; round < rounds; round++)
      for (const world of round % 2 === 0 ? worlds : worlds.toReversed()) {
        // The first round warms up.
        if (round < 0) await warmUp(kind, world);
        else {
          if (world.name === 'here') stopCounting ??= await countStatements(world.postgres);
          const figures = await measure(kind, world);
          if (world.name === 'here') counting.messages += figures.messages;
          const name = `${KINDS[kind]}, ${world.name}`;
          results.set(name, [...(results.get(name) ?? []), figures]);
        }
      }
  await stopCounting?.(counting.messages);
}

async function warmUp(kind, world) {
  for (let messages = 0; messages < WARM_UP_MESSAGES; )
    messages += countAccepted(kind, await runLoad(sends(kind, world, ROUND_SECONDS))).messages;
}

/** BENCH_KINDS=certified,batch: those alone. */
function wantedKinds() {
  const wanted = process.env.BENCH_KINDS?.split(',') ?? Object.keys(KINDS);
  return wanted.filter((kind) => kind in KINDS);
}

async function measure(kind, target) {
  const before = await snapshot(target);
  const load = await runLoad(sends(kind, target, ROUND_SECONDS));
  const after = await snapshot(target);
  const { messages, refused } = countAccepted(kind, load);
  const perMessage = (what) => (after[what] - before[what]) / messages;
  return {
    messages,
    perSecond: messages / load.seconds,
    server: 1e6 * perMessage('server'),
    database: 1e6 * perMessage('postgres'),
    all: 1e6 * (perMessage('server') + perMessage('postgres')),
    wal: perMessage('wal'),
    perCommit: 1 / perMessage('commits'),
    refused,
  };
}

async function snapshot({ pid, postgres, database }) {
  // Counts of backends reach the view within a second at most.
  await new Promise((done) => setTimeout(done, 1_100));
  const { rows } = await database.query(
    `select xact_commit::float8 as commits, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as wal
       from pg_stat_database where datname = current_database()`,
  );
  return { server: cpuSeconds(pid), postgres: cpuSeconds(postgres.pid, { tree: true }), ...rows[0] };
}

function print(results, rounds) {
  const rows = [...results].map(([send, list]) => {
    const middle = (key, places) => digits(median(list.map((round) => round[key])), places);
    return {
      send,
      'CPU µs/message': middle('all'),
      least: digits(Math.min(...list.map(({ all }) => all))),
      server: middle('server'),
      PostgreSQL: middle('database'),
      'WAL bytes': middle('wal'),
      'messages/s': middle('perSecond'),
      'messages/commit': middle('perCommit'),
      'requests refused': digits(list.reduce((sum, { refused }) => sum + refused, 0)),
    };
  });
  const machine = `${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.version}`;
  console.log(`\n${machine}; ${rounds} rounds of ${ROUND_SECONDS} s each in turns, medians\n`);
  printTable(rows, 1);
}
