// The table of stages: what each step of a certified message's whole way takes of the processor, in one
// process with every role, signed with RSA-2048 and reported to two webhooks.
//   npm run bench -- stages [rounds] [seconds of sending]
// A first service says what the main thread, the other threads and PostgreSQL take together (/proc), a second
// one how the stages share it: the main thread by V8's profile, PostgreSQL by what its statements took
// (pg_stat_statements); commits, their WAL and the protocol go with them.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuSeconds, mainThreadSeconds } from './processes.mjs';
import { samplesOf } from './profile.mjs';
import { CONNECTIONS } from './send-service.mjs';
import { readStatements } from './statements.mjs';
import { digits, median, printTable } from './table.mjs';
import { inWorld, measureRound } from './whole.mjs';

const DEFAULT_ROUNDS = 3;
const DEFAULT_SECONDS = 4;
/** Of the profile: more often costs more than it tells (µs). */
const SAMPLE_EVERY_US = 500;

/** The first that names a frame's file, from the innermost frame outwards, has the sample. */
const STAGES_OF_FILES = [
  ['sandbox (receives)', /^server\/src\/(?:sandbox|platform\/smtp)\/|\/node_modules\/smtp-server\//],
  ['events', /^server\/src\/webhooks\/(?:append|event|event-store)\.ts/],
  ['webhooks', /^server\/src\/(?:webhooks|platform\/network)\/|node_modules\/undici\//],
  [
    'stamp',
    /^server\/src\/evidence\/stamp\/|^packages\/tsa\/|^packages\/evidence\/src\/(?:timestamp|tsa|cms|der)/,
  ],
  ['seal', /^server\/src\/evidence\/|^packages\/evidence\/src\/(?:tree|tile|note|log)/],
  ['claim', /^server\/src\/delivery\/(?:claim\/|worker\.ts)/],
  ['sign', /^packages\/mail\/src\/dkim|^server\/src\/delivery\/attempt\/(?:prepare|signers)\.ts/],
  ['record', /^server\/src\/delivery\/(?:record\/)|^server\/src\/messages\/leaves\/chain-store\.ts/],
  ['converse', /^server\/src\/delivery\/|^packages\/mail\/src\/smtp\//],
  [
    'accept',
    /^server\/src\/(?:messages|accounts|platform\/http|app)\/|\/(?:fastify|find-my-way|ajv)\/|^node:_http/,
  ],
];
const DRIVER = /^server\/src\/platform\/database\/|node_modules\/pg(?:-protocol|-types)?\//;
const QUEUES = /^server\/src\/platform\/queue\//;

/** The first that names a statement has it. */
const STAGES_OF_STATEMENTS = [
  ['sandbox (receives)', /sandbox_mail/],
  ['webhooks', /webhook_/],
  ['events', /insert into events/],
  ['stamp', /stamp_queue|certificates|sealing_costs|authorit|revocation/],
  [
    'record',
    /update messages|insert into attempts|delete from delivery_queue|own\.canonical_hash|kind, ordinal|chain/,
  ],
  [
    'claim',
    /insert into delivery_queue|delivery_queue|dkim_keys|message_contents where|from message_contents/,
  ],
  ['seal', /\bleaves\b(?!.*insert into leaf)|checkpoints|\blogs\b|tiles/],
  ['accept', /insert into|idempotency|quota|tenant_sequences|suppressions|senders|api_keys|tenants/],
];
const TELLS_NOTHING = /^(?:begin|commit|rollback|set |discard|listen|notify|select set_config)/i;
/** The bench's own, in whole.mjs: whether all is done, and how long it took. */
const OF_THE_BENCH = /percentile_cont|exists \(select from delivery_queue\)/;

/** As a message goes through them. */
const STAGES = ['accept', 'claim', 'sign', 'converse', 'record', 'events', 'webhooks', 'seal', 'stamp'];

export async function run([rounds = DEFAULT_ROUNDS, seconds = DEFAULT_SECONDS]) {
  const folder = mkdtempSync(join(tmpdir(), 'acuse-profile-'));
  const flags = ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-interval=${SAMPLE_EVERY_US}`];
  try {
    const measure = (world) => measureRounds(world, Number(rounds), Number(seconds));
    const { list } = await inWorld({ kind: 'rsa', flags: [] }, measure);
    const watched = await inWorld({ kind: 'rsa', flags, statements: true }, measure);
    const [file] = readdirSync(folder);
    print(tableOf(list, watched, join(folder, file)), { list, rounds, seconds });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureRounds(world, rounds, seconds) {
  const endStatements = world.statements ? await readStatements(world.postgres) : async () => [];
  const list = [];
  for (let round = 0; round < rounds; round++) {
    const fromUs = nowUs();
    const mainBefore = mainThreadSeconds(world.pid);
    const allBefore = cpuSeconds(world.pid);
    const { messages, postgres } = await measureRound(world, CONNECTIONS, seconds);
    const main = mainThreadSeconds(world.pid) - mainBefore;
    const others = cpuSeconds(world.pid) - allBefore - main;
    list.push({ messages, between: [fromUs, nowUs()], main, others, postgres: (postgres * messages) / 1e6 });
    console.log(`round ${round + 1} of ${rounds}: ${messages} messages`);
  }
  return { list, statements: await endStatements() };
}

function nowUs() {
  return Number(process.hrtime.bigint() / 1_000n);
}

function tableOf(list, watched, file) {
  const sum = (key) => list.reduce((total, round) => total + round[key], 0);
  const messages = sum('messages');
  const node = new Map();
  const between = watched.list.map((round) => round.between);
  for (const stack of samplesOf(file, between)) count(node, stageOfStack(stack), 1);
  const database = new Map();
  for (const { query, ms } of watched.statements) count(database, stageOfStatement(query), ms);
  const share = (counts, seconds) => {
    counts.delete(null);
    const all = [...counts.values()].reduce((total, each) => total + each, 0);
    return (stage) => ((counts.get(stage) ?? 0) / all) * ((1e6 * seconds) / messages);
  };
  const ofNode = share(node, sum('main'));
  const ofDatabase = share(database, sum('postgres'));
  const names = new Set([...STAGES, ...node.keys(), ...database.keys()]);
  return [
    ...[...names].map((stage) => ({ stage, node: ofNode(stage), postgres: ofDatabase(stage) })),
    { stage: 'other threads (signatures, collection)', node: (1e6 * sum('others')) / messages, postgres: 0 },
  ];
}

function count(counts, stage, by) {
  counts.set(stage, (counts.get(stage) ?? 0) + by);
}

/** Null: the thread slept. */
function stageOfStack(stack) {
  const [{ file, name }] = stack;
  if (file === '' && name === '(idle)') return null;
  if (file === '' && name === '(garbage collector)') return 'garbage collection';
  for (const { file: each } of stack) {
    const stage = STAGES_OF_FILES.find(([, files]) => files.test(each))?.[0];
    if (stage !== undefined) return stage;
  }
  const has = (files) => stack.some(({ file: each }) => files.test(each));
  if (has(DRIVER)) return "PostgreSQL's driver";
  return has(QUEUES) ? 'queues' : 'Node itself, sockets';
}

/** Null: not of the service, or told by others' times. */
function stageOfStatement(query) {
  if (TELLS_NOTHING.test(query) || OF_THE_BENCH.test(query)) return null;
  return STAGES_OF_STATEMENTS.find(([, statements]) => statements.test(query))?.[0] ?? 'the rest';
}

function print(rows, { rounds, seconds, list }) {
  const messages = list.map((round) => round.messages);
  const cell = (value) => (value === 0 ? '' : digits(value));
  const total = (key) => rows.reduce((sum, row) => sum + row[key], 0);
  const all = [...rows, { stage: 'all', node: total('node'), postgres: total('postgres') }];
  console.log(
    `\n${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.version}; ${rounds} rounds of ${seconds} s of sending, ${median(messages)} messages in the middle one; µs of processor time a message\n`,
  );
  printTable(
    all.map(({ stage, node, postgres }) => ({
      stage,
      node: cell(node),
      PostgreSQL: cell(postgres),
      together: digits(node + postgres),
    })),
    1,
  );
}
