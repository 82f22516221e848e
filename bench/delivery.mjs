// Delivered messages a second from the durable queue to a sink, beside Postfix as Debian configures it. Both
// relay everything to the same smtp-sink, both have taken and fsynced all messages before the clock starts,
// both are warm; they take turns, so that a busy machine slows both. A round of Acuse ends when the last
// message is on record, not when the sink has it.
//   npm run bench -- delivery [rounds] [messages] [kind …] [folder of another checkout]
// With a folder, that checkout takes the turns instead of Postfix.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAcuseQueue } from './acuse-queue.mjs';
import { freePort, postfixMissing, startPostfixQueue } from './postfix-queue.mjs';
import { cpuSeconds } from './processes.mjs';
import { programIn } from './send-service.mjs';
import { startSink } from './smtp-sink.mjs';
import { digits, median, printTable } from './table.mjs';

const DEFAULT_ROUNDS = 3;
const DEFAULT_MESSAGES = 10_000;
/** After so many the JavaScript of a kind is compiled for good. */
const WARM_UP_MESSAGES = 10_000;
const POSTFIX_WARM_UP_MESSAGES = 2_000;
/** Slower than this and something is wrong: the bench ends. */
const SLOWEST_PER_SECOND = 50;

/** Accounts of Acuse by the DKIM keys of their domain. */
const KINDS = {
  unsigned: { name: 'Acuse, no DKIM', algorithms: [], certified: false },
  rsa: { name: 'Acuse, RSA-2048', algorithms: ['rsa-sha256'], certified: false },
  ed25519: { name: 'Acuse, Ed25519', algorithms: ['ed25519-sha256'], certified: false },
  certified: {
    name: 'Acuse, both keys, certified',
    algorithms: ['rsa-sha256', 'ed25519-sha256'],
    certified: true,
  },
};

const MESSAGE = {
  to: 'Ana Pérez <ana@dest.test>',
  subject: 'Your invoice 2041 of March',
  text: `Hello Ana,\n\n${'your invoice 2041 over 1 250.00 MXN is ready; it is due within 30 days.\n'.repeat(20)}\nThank you,\nBilling\n`,
};

export async function run([rounds = DEFAULT_ROUNDS, messages = DEFAULT_MESSAGES, ...rest]) {
  const other = rest.find((each) => each.includes('/'));
  const wanted = rest.filter((each) => each !== other);
  const unknown = wanted.filter((kind) => !Object.hasOwn(KINDS, kind));
  if (unknown.length > 0)
    throw new Error(`no kind ${unknown.join(', ')}: there is ${Object.keys(KINDS).join(', ')}`);
  const there = other === undefined ? null : programIn(other);
  const missing = there === null ? await postfixMissing() : null;
  if (missing !== null) {
    console.log(`delivery: ${missing}`);
    return;
  }
  const kinds = wanted.length === 0 ? Object.keys(KINDS) : wanted;
  const folder = mkdtempSync(join(tmpdir(), 'acuse-bench-'));
  const cleanups = [() => rmSync(folder, { recursive: true, force: true })];
  const cleanUp = async () => {
    for (const each of cleanups.splice(0)) await each();
  };
  process.once('SIGINT', () => cleanUp().finally(() => process.exit(130)));
  try {
    const sides = await open(folder, kinds, there, cleanups);
    const results = await measureAll(sides, Number(rounds), Number(messages));
    print(results, Number(rounds), Number(messages));
  } finally {
    await cleanUp();
  }
}

/** Name → what measures so many messages of it. `there`: another checkout's program. */
async function open(folder, kinds, there, cleanups) {
  async function opened(server) {
    const made = await server;
    cleanups.unshift(() => made.stop());
    return made;
  }
  const port = await freePort();
  const sink = await opened(startSink(port, folder));
  const accounts = Object.fromEntries(kinds.map((kind) => [kind, KINDS[kind].algorithms]));
  const acuse = await opened(startAcuseQueue(join(folder, 'data'), port, accounts));
  const sidesOf = (queue, suffix) =>
    kinds.map((kind) => ({
      name: `${KINDS[kind].name}${suffix}`,
      warmUp: WARM_UP_MESSAGES,
      besides: null,
      measure: (messages) => measureAcuse({ acuse: queue, sink }, kind, messages),
    }));
  const here = sidesOf(acuse, there === null ? '' : ', here');
  if (there !== null) {
    const queue = await opened(startAcuseQueue(join(folder, 'there'), port, accounts, there));
    return here.flatMap((side, at) => {
      const besides = sidesOf(queue, ', there')[at];
      return [besides, { ...side, besides: besides.name }];
    });
  }
  const postfix = await opened(startPostfixQueue(port));
  const besides = {
    name: 'Postfix',
    warmUp: POSTFIX_WARM_UP_MESSAGES,
    besides: null,
    async measure(messages) {
      return measurePostfix({ postfix, sink }, messages, await acuse.sizeOf(kinds[0]));
    },
  };
  return [...here.map((side) => ({ ...side, besides: besides.name })), besides];
}

async function measureAll(sides, rounds, messages) {
  const results = sides.map((side) => ({ ...side, list: [] }));
  // Postfix last: its messages are as large as those that Acuse has composed.
  for (const { name, measure, warmUp } of sides) {
    await measure(warmUp);
    console.error(`${name} is warm`);
  }
  for (let round = 1; round <= rounds; round++)
    for (const { name, measure, list } of round % 2 === 0 ? results : results.toReversed()) {
      const result = await measure(messages);
      list.push({ ...result, load: loadAverage() });
      console.error(`round ${round} of ${rounds}: ${name}: ${digits(result.perSecond)} messages/s`);
    }
  return results;
}

async function measurePostfix({ postfix, sink }, messages, bytes) {
  await postfix.load(messages, bytes);
  return measure(sink, messages, { sender: [postfix.pid], database: [] }, async () => {
    await postfix.release();
    return sink.until(messages, limitMs(messages));
  });
}

async function measureAcuse({ acuse, sink }, kind, messages) {
  await acuse.load(kind, messages, { ...MESSAGE, certified: KINDS[kind].certified });
  const before = await acuse.records(kind);
  const pids = { sender: [acuse.pid], database: [acuse.postgresPid] };
  const result = await measure(sink, messages, pids, async () => {
    acuse.release();
    const times = await sink.until(messages, limitMs(messages));
    return { ...times, lastMs: await acuse.until(limitMs(messages)) };
  });
  acuse.hold();
  const after = await acuse.records(kind);
  for (const [what, count] of Object.entries(after))
    if (count !== before[what] + messages)
      throw new Error(`${count - before[what]} ${what} on record of ${messages} messages`);
  return result;
}

const limitMs = (messages) => (messages / SLOWEST_PER_SECOND) * 1_000;

/** From the release of the queue to its end. */
async function measure(sink, messages, pids, work) {
  const cpu = () =>
    Object.fromEntries(
      Object.entries({ ...pids, sink: [sink.pid] }).map(([part, list]) => [
        part,
        list.reduce((sum, pid) => sum + cpuSeconds(pid, { tree: true }), 0),
      ]),
    );
  sink.begin();
  const before = cpu();
  const startMs = performance.now();
  const { lastMs } = await work();
  const seconds = (lastMs - startMs) / 1_000;
  const after = cpu();
  const each = (part) => (1e6 * (after[part] - before[part])) / messages;
  return {
    perSecond: messages / seconds,
    senderMicros: each('sender'),
    databaseMicros: each('database'),
    sinkMicros: each('sink'),
  };
}

/** Of the last minute, the bench's own part included. */
function loadAverage() {
  return Number(readFileSync('/proc/loadavg', 'latin1').split(' ')[0]);
}

function print(results, rounds, messages) {
  const of = (list, key) => median(list.map((round) => round[key]));
  const all = (round) => round.senderMicros + round.databaseMicros;
  // Each round beside the other's of the same round.
  const ratios = ({ besides, list }) => {
    const others = results.find(({ name }) => name === besides)?.list ?? [];
    return others.map(({ perSecond }, at) => list[at].perSecond / perSecond);
  };
  const rows = results.map((side) => {
    const { name, list } = side;
    const beside = ratios(side);
    return {
      sender: name,
      'messages/s': digits(of(list, 'perSecond')),
      'of the other': beside.length === 0 ? '' : digits(median(beside), 2),
      'least, most':
        beside.length === 0 ? '' : `${digits(Math.min(...beside), 2)}, ${digits(Math.max(...beside), 2)}`,
      'CPU µs a message': digits(of(list, 'senderMicros')),
      postgres: name === 'Postfix' ? '' : digits(of(list, 'databaseMicros')),
      together: digits(median(list.map(all))),
      least: digits(Math.min(...list.map(all))),
      sink: digits(of(list, 'sinkMicros')),
    };
  });
  const loads = results.flatMap(({ list }) => list.map(({ load }) => load));
  console.log(
    `\n${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.version}; ${rounds} rounds of ${messages} messages each, medians; load of the machine up to ${digits(Math.max(...loads), 1)}\n`,
  );
  printTable(rows, 1);
}
