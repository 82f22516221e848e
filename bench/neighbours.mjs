// The effect of one account's costly requests on another: p50 and p99 of the neighbour's small sends, one
// every 20 ms, while hostile templates are rendered, bodies of up to 64 MiB arrive, or 32 connections fetch
// proof bundles. npm run bench -- neighbours [seconds of each]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { call } from './neighbours-client.mjs';
import { startNode, stop } from './processes.mjs';
import { settings } from './send-service.mjs';
import { digits, printTable } from './table.mjs';

const DEFAULT_SECONDS = 8;
const READY = /API +(http\S+)\/v1$/;
const SEND_EVERY_MS = 20;
const SEALED_MESSAGES = 32;
const PHASES = ['idle', 'templates', 'json', 'rfc822', 'batch', 'bundles', 'one bundle'];

const program = fileURLToPath(new URL('../server/bin/acuse.mjs', import.meta.url));
const attacker = fileURLToPath(new URL('neighbours-attack.mjs', import.meta.url));
const accountMaker = fileURLToPath(new URL('neighbours-account.mjs', import.meta.url));

export async function run(args) {
  const seconds = Number(args[0] ?? DEFAULT_SECONDS);
  const dataDir = mkdtempSync(join(tmpdir(), 'acuse-bench-'));
  try {
    const rows = await measure(dataDir, seconds);
    console.log(
      `\n${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.version}; ${seconds} s each\n`,
    );
    printTable(rows, 2);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function measure(dataDir, seconds) {
  const env = {
    ...settings(dataDir),
    ACUSE_LOG_LEVEL: 'error',
    ...JSON.parse(process.env.BENCH_ENV ?? '{}'),
  };
  // The sandbox's account is there once the service has run with every role; its mailbox is no part of what
  // is measured.
  const first = await startNode([program, 'serve'], { env, ready: READY });
  const key = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')).api_key;
  await stop(first.child);
  const { child, match } = await startNode([program, 'serve', '--roles', 'api,sealing'], {
    env,
    ready: READY,
  });
  try {
    const url = match[1];
    const postgres = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8'));
    const made = await startNode([accountMaker], {
      env: { ...env, DATABASE_URL: postgres.url },
      ready: /^(acuse_\S+)$/,
    });
    const neighbour = { url, key: made.match[1], from: 'n@neighbour.test' };
    await sendFor(neighbour, 3);
    const messages = await sealedMessages({ url, key });
    const rows = [];
    for (const phase of PHASES)
      rows.push(await measurePhase(phase, { url, key, messages }, neighbour, seconds));
    return rows;
  } finally {
    await stop(child);
  }
}

async function measurePhase(phase, attack, neighbour, seconds) {
  const options = JSON.stringify({ ...attack, phase, seconds: seconds + 1 });
  const running = phase === 'idle' ? null : await startNode([attacker, options], { ready: /^attacking$/ });
  const latencies = await sendFor(neighbour, seconds);
  const answers = running === null ? '' : await answersOf(running.child);
  const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
  return {
    'meanwhile, the other account': phase,
    'p50 ms': digits(at(0.5), 1),
    'p99 ms': digits(at(0.99), 1),
    'max ms': digits(at(1), 1),
    sends: String(latencies.length),
    'its answers': answers,
  };
}

async function answersOf(child) {
  const text = await new Promise((resolve) => {
    child.stdout.on('data', (chunk) => resolve(String(chunk).trim()));
    child.once('exit', () => resolve(''));
  });
  await stop(child);
  return text;
}

/**
 * One small send every 20 ms, whether or not the one before was answered: what waits counts. Sorted
 * latencies.
 */
async function sendFor({ url, key, from }, seconds) {
  const agent = new Agent({ keepAlive: true });
  const latencies = [];
  const pending = [];
  const untilMs = performance.now() + seconds * 1_000;
  for (let nextMs = performance.now(); nextMs < untilMs; nextMs += SEND_EVERY_MS) {
    await new Promise((resolve) => setTimeout(resolve, nextMs - performance.now()));
    const startedMs = performance.now();
    const body = { from, to: 'ana@sandbox.test', subject: 'Hello', text: 'Hello Ana' };
    pending.push(
      call(agent, { url: `${url}/v1/messages`, key, body: Buffer.from(JSON.stringify(body)) }).then(
        (answer) => {
          if (answer.status !== 201)
            throw new Error(`a neighbour's send was answered ${answer.status}: ${answer.text}`);
          latencies.push(performance.now() - startedMs);
        },
      ),
    );
  }
  await Promise.all(pending);
  agent.destroy();
  return latencies.sort((a, b) => a - b);
}

async function sealedMessages({ url, key }) {
  const agent = new Agent({ keepAlive: true });
  const ids = [];
  for (let at = 0; at < SEALED_MESSAGES; at++) {
    const body = {
      from: 'billing@sandbox.test',
      to: 'ana@sandbox.test',
      subject: 's',
      text: 'x',
      certified: true,
    };
    const { text } = await call(agent, {
      url: `${url}/v1/messages`,
      key,
      body: Buffer.from(JSON.stringify(body)),
    });
    ids.push(JSON.parse(text).id);
  }
  for (const id of ids) {
    while (
      (await call(agent, { url: `${url}/v1/messages/${id}/evidence`, key, method: 'GET' })).status !== 200
    )
      await new Promise((resolve) => setTimeout(resolve, 500));
  }
  agent.destroy();
  return ids;
}
