// Fail-over under load: `npm run bench -- failover [kills] [messages] [kill | freeze]`. A server with all
// roles on three PostgreSQL, of which it is told all addresses: programs send, each message with a key of
// its own and again with the same key until it is answered 2xx, while the primary is killed with -9, or
// frozen, again and again, the most advanced standby promoted and the dead node made anew. Every key that
// was answered 2xx is then looked up. Exit code 1: one of them is not there, or is there twice, or was sent
// twice, or the evidence does not hold.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startNodes } from './failover-nodes.mjs';
import { startNode, stop } from './processes.mjs';
import { digits, median, printTable } from './table.mjs';

const PROGRAM = fileURLToPath(new URL('../server/bin/acuse.mjs', import.meta.url));
const SENDERS = 8;
const ANSWER_WITHIN_MS = 30_000;
const AGAIN_AFTER_MS = 100;
const DRAIN_WITHIN_MS = 300_000;
/** A run that stands still is ended. */
const STANDSTILL_MS = 120_000;

export const run = ([kills = 20, messages = 20_000, how = 'kill']) =>
  runOn(startNodes, { kills: Number(kills), messages: Number(messages), how, pauseMs: 0 });

/** `start`: startNodes, or what has the same functions. At least `messages` are sent. */
export async function runOn(start, { kills, messages, how, pauseMs }) {
  const folder = mkdtempSync(join(tmpdir(), 'acuse-failover-'));
  const cleanups = [() => rmSync(folder, { recursive: true, force: true })];
  const cleanUp = async () => {
    for (const each of cleanups.splice(0).reverse()) await each();
  };
  const interrupted = () => cleanUp().finally(() => process.exit(130));
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    const nodes = await start(folder);
    cleanups.push(nodes.stop);
    const server = await startServer(folder, nodes.url);
    cleanups.push(() => stop(server.child));
    const load = startLoad(server, messages, pauseMs);
    const rounds = await breakAgainAndAgain(nodes, load, { kills, messages, how });
    load.breaking = false;
    await load.ended;
    await report(nodes, server, load, rounds);
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    await cleanUp();
  }
}

async function startServer(folder, databaseUrl) {
  const dataDir = join(folder, 'acuse');
  mkdirSync(dataDir);
  mkdirSync(join(folder, 'anchor'));
  const env = {
    ...{ DATABASE_URL: databaseUrl, ACUSE_DATA_DIR: dataDir, ACUSE_LOG_ANCHOR: join(folder, 'anchor') },
    ...{ ACUSE_KEY_RATE: '0', ACUSE_ADDRESS_RATE: '0', ACUSE_SEAL_INTERVAL: '1s', ACUSE_LOG_LEVEL: 'warn' },
  };
  for (const port of ['PORT', 'ADMIN_PORT', 'SANDBOX_SMTP_PORT', 'RETURN_PATH_PORT'])
    env[`ACUSE_${port}`] = '0';
  for (const port of ['SUBMISSION_PORT', 'SUBMISSIONS_PORT']) env[`ACUSE_${port}`] = '0';
  const { child, match } = await startNode([PROGRAM, 'serve'], { env, ready: /API +(http\S+)\/v1$/ });
  const { api_key: key } = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8'));
  return { child, url: match[1], key, env };
}

/** `accepted`: keys that were answered 2xx; `again`: requests made once more; `breaking`: it goes on. */
function startLoad({ url, key }, messages, pauseMs) {
  const load = { accepted: [], again: 0, breaking: true, ended: null };
  let begun = 0;
  let longestMs = 0;
  let lastMs = performance.now();
  const send = async () => {
    while (begun < messages || load.breaking) {
      const number = begun++;
      while (!(await sendOnce(url, key, number))) {
        load.again++;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
      }
      const nowMs = performance.now();
      longestMs = Math.max(longestMs, nowMs - lastMs);
      lastMs = nowMs;
      load.accepted.push(keyOf(number));
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
  load.ended = Promise.all(Array.from({ length: SENDERS }, send));
  load.ended.catch(() => {});
  /** The longest time without a 2xx since this was asked last (ms). */
  load.takeGap = () => {
    const gapMs = Math.max(longestMs, performance.now() - lastMs);
    longestMs = 0;
    return gapMs;
  };
  return load;
}

const keyOf = (number) => `failover-${number}`;

/** True: answered 2xx. */
async function sendOnce(url, key, number) {
  try {
    const answer = await fetch(`${url}/v1/messages`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        'idempotency-key': keyOf(number),
      },
      body: JSON.stringify({
        ...{ from: 'billing@sandbox.test', to: 'delivered@sandbox.test', subject: `Invoice ${number}` },
        ...{ text: 'Hello.', certified: number % 2 === 0 },
      }),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    await answer.arrayBuffer();
    if (answer.status >= 400 && answer.status < 500)
      throw new Error(`a send was refused with ${answer.status}`);
    return answer.ok;
  } catch (error) {
    if (/refused with/.test(error.message)) throw error;
    return false;
  }
}

async function breakAgainAndAgain(nodes, load, { kills, messages, how }) {
  const rounds = [];
  for (let kill = 1; kill <= kills; kill++) {
    const at = Math.floor((messages / (kills + 1)) * kill);
    await reached(nodes, load, at);
    load.takeGap();
    // Leaves out a failure detector's time: a standby is promoted once the primary is dead.
    const { lost, promotedMs } = await nodes.failOver(how);
    // Half of the messages until the next kill are sent on two nodes, the others on three.
    await reached(nodes, load, load.accepted.length + 50);
    const gapMs = load.takeGap();
    if (how === 'freeze') {
      // The replaced primary takes part again, until it is made anew.
      nodes.thaw(lost);
      await reached(nodes, load, load.accepted.length + 200);
    }
    await nodes.rebuild(lost);
    rounds.push({ gapMs, promotedMs });
    console.log(
      `failover: kill ${kill} of ${kills}: ${(gapMs / 1_000).toFixed(2)} s without a 2xx, promoted after ${(promotedMs / 1_000).toFixed(2)} s, ${load.accepted.length} accepted`,
    );
  }
  return rounds;
}

async function reached(nodes, load, count) {
  for (let before = -1, sinceMs = performance.now(); load.accepted.length < count; ) {
    if (load.accepted.length !== before) {
      before = load.accepted.length;
      sinceMs = performance.now();
    }
    if (performance.now() - sinceMs > STANDSTILL_MS)
      throw new Error(
        `nothing was accepted for ${STANDSTILL_MS / 1_000} s: ${JSON.stringify(await nodes.describe())}`,
      );
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function report(nodes, server, load, rounds) {
  console.log('failover: waiting for what was accepted to be delivered and sealed');
  const left = `select (select count(*) from delivery_queue)::int + (select count(*) from pending_leaves)::int as n`;
  const drainingMs = performance.now();
  for (const end = Date.now() + DRAIN_WITHIN_MS; (await nodes.ask(left))[0].n > 0; ) {
    if (Date.now() > end) throw new Error('what was accepted was not delivered and sealed in time');
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  const drainedMs = performance.now() - drainingMs;
  const [counts] = await nodes.ask(
    `select count(*)::int as stored, count(distinct idempotency_key)::int as keys,
            count(*) filter (where idempotency_key = any ($1))::int as found
       from messages where idempotency_key like 'failover-%'`,
    [load.accepted],
  );
  // The receiving server answers 451 where its own commit in this database is in doubt: such mail is sent
  // again by right, and may be there already.
  const [mails] = await nodes.ask(
    `select count(*)::int as twice,
            count(*) filter (where exists (select from attempts a where a.tenant_id = m.tenant_id
                                and a.message_id = m.message_id and a.outcome = 'deferred'))::int as refused
       from (select reverse_path from sandbox_mail group by 1 having count(*) > 1) s
       join messages m using (reverse_path)`,
  );
  const lost = load.accepted.length - counts.found;
  const doubled = counts.stored - counts.keys;
  await stop(server.child);
  const gaps = rounds.map(({ gapMs }) => gapMs / 1_000);
  const figures = {
    'kills of the primary': String(rounds.length),
    'messages answered 2xx': String(load.accepted.length),
    'of them lost': String(lost),
    'of them stored twice': String(doubled),
    'requests made again': String(load.again),
    'mails that the receiving server has twice': String(mails.twice),
    'of them sent again because it refused them first': String(mails.refused),
    'without a 2xx, median (s)': digits(median(gaps), 2),
    'without a 2xx, longest (s)': digits(Math.max(...gaps), 2),
    'until all was delivered and sealed (s)': digits(drainedMs / 1_000, 1),
    'acuse fsck': fsck(server.env),
  };
  printTable(
    Object.entries(figures).map(([figure, value]) => ({ figure, value })),
    1,
  );
  if (lost > 0 || doubled > 0) process.exitCode = 1;
  // A process that is not killed knows what was answered.
  if (mails.twice > mails.refused) process.exitCode = 1;
}

function fsck(env) {
  try {
    execFileSync(process.execPath, [PROGRAM, 'fsck', '--json'], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    });
    return 'no problem';
  } catch (error) {
    process.exitCode = 1;
    return `${String(error.stdout).slice(0, 500)}`;
  }
}
