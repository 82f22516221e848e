// The installations that the fault run breaks: two processes with all roles on a PostgreSQL with a
// synchronous standby, and one with its embedded PostgreSQL; their accounts, and the programs that send
// through them.
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from './postfix-queue.mjs';

const exec = promisify(execFile);
const PROGRAM = fileURLToPath(new URL('../server/bin/acuse.mjs', import.meta.url));
const READY = /API +(http\S+)\/v1$/;
const READY_WITHIN_MS = 60_000;
/** A clock that can be set, for one process: Debian's package faketime. */
const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';
const ANSWER_WITHIN_MS = 30_000;
const RETRY_EVERY_MS = 400;

export const canStepClocks = () => existsSync(FAKETIME);

/** A process that is started again whenever it ends. `port` stays, so that clients find it again. */
export function createService({ name, env, logFolder, withClock }) {
  const clockFile = join(logFolder, `${name}.clock`);
  writeFileSync(clockFile, '+0s');
  const log = createWriteStream(join(logFolder, `${name}.log`), { flags: 'a' });
  const service = { name, url: null, child: null, starts: 0, starting: null, wanted: true };
  const fake = withClock
    ? {
        LD_PRELOAD: FAKETIME,
        FAKETIME_TIMESTAMP_FILE: clockFile,
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
        FAKETIME_CACHE_DURATION: '1',
      }
    : {};

  async function startOnce() {
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', process.execPath, PROGRAM, 'serve'], {
      env: { ...process.env, ...env, ...fake },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    service.child = child;
    service.starts++;
    child.stderr.pipe(log, { end: false });
    const url = await new Promise((resolve) => {
      createInterface(child.stdout).on('line', (line) => {
        const match = READY.exec(line);
        if (match !== null) resolve(match[1]);
      });
      child.once('exit', () => resolve(null));
      setTimeout(() => resolve(null), READY_WITHIN_MS).unref();
    });
    if (url === null && child.exitCode === null) child.kill('SIGKILL');
    if (url !== null) service.url = url;
    return url !== null;
  }

  /** Until it runs: its database may be away when it starts. */
  async function start() {
    while (service.wanted && !service.isUp() && !(await startOnce()))
      await new Promise((resolve) => setTimeout(resolve, 500));
  }

  service.start = () => {
    service.starting ??= start().finally(() => {
      service.starting = null;
    });
    return service.starting;
  };
  service.isUp = () =>
    service.child !== null && service.child.exitCode === null && service.child.signalCode === null;
  service.signal = (signal) => service.isUp() && service.child.kill(signal);
  service.setClock = (offset) => writeFileSync(clockFile, offset);
  service.stop = async () => {
    service.wanted = false;
    if (!service.isUp()) return;
    const gone = once(service.child, 'exit');
    service.signal('SIGCONT');
    service.signal('SIGTERM');
    const limit = setTimeout(() => service.child.kill('SIGKILL'), 15_000);
    await gone;
    clearTimeout(limit);
  };
  return service;
}

/** Common to all processes of an installation. */
export async function settingsOf({ folder, origin, sinkPort }) {
  mkdirSync(folder, { recursive: true });
  return {
    ACUSE_DATA_DIR: folder,
    ACUSE_MASTER_KEY: randomBytes(32).toString('base64'),
    ACUSE_SMARTHOST: `smtp://127.0.0.1:${sinkPort}`,
    ACUSE_LOG_ORIGIN: `${origin}/log`,
    ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true',
    ACUSE_WEBHOOK_NETWORKS: '127.0.0.1',
    ACUSE_KEY_RATE: '0',
    ACUSE_ADDRESS_RATE: '0',
    ACUSE_LOG_LEVEL: 'info',
    ACUSE_SEAL_INTERVAL: '1s',
  };
}

/** Settings of one process. Its host name tells the mail server who speaks. */
export async function ownSettings(host) {
  return {
    ACUSE_HOSTNAME: host,
    ACUSE_PORT: String(await freePort()),
    ACUSE_ADMIN_PORT: '0',
    ACUSE_RETURN_PATH_PORT: String(await freePort()),
  };
}

/** The embedded PostgreSQL of a data folder that a service runs on. */
export function embeddedUrl(folder) {
  return JSON.parse(readFileSync(join(folder, 'postgres.json'), 'utf8')).url;
}

/** An account that may send as `*@<name>.test`, with a webhook for all of its events. */
export async function openAccount({ env, databaseUrl, url, name, receiverPort }) {
  async function acuse(...args) {
    const { stdout } = await exec(process.execPath, [PROGRAM, ...args, '--json'], {
      env: { ...process.env, ...env, DATABASE_URL: databaseUrl },
    });
    return JSON.parse(stdout);
  }
  const quota = ['--quota', '1000000000', '--plain-quota', '1000000000'];
  const { id: tenantId } = await acuse('tenants', 'create', '--name', name, ...quota);
  const tenant = ['--tenant', tenantId];
  const { id: domainId } = await acuse('domains', 'create', `${name}.test`, ...tenant);
  await acuse('domains', 'vouch', domainId, ...tenant);
  await acuse('senders', 'add', `*@${name}.test`, ...tenant);
  const { key } = await acuse('keys', 'create', '--name', name, ...tenant);
  const answer = await fetch(`${url}/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: `http://127.0.0.1:${receiverPort}/hooks`, events: ['*'] }),
  });
  if (answer.status !== 201)
    throw new Error(`a webhook was answered ${answer.status}: ${await answer.text()}`);
  return { tenantId, key, from: `billing@${name}.test` };
}

/** `acuse fsck`: null, or what it found. */
export async function fsck({ env, databaseUrl }) {
  try {
    await exec(process.execPath, [PROGRAM, 'fsck'], {
      env: { ...process.env, ...env, DATABASE_URL: databaseUrl },
      maxBuffer: 64 * 1024 * 1024,
    });
    return null;
  } catch (error) {
    return `${error.stdout}\n${error.stderr}`.trim().slice(0, 4_000);
  }
}

/** The recipients, by the share of all. */
const DOMAINS = [
  ['slow.test', 0.1],
  ['later.test', 0.05],
  ['gone.test', 0.02],
  ['fast.test', 1],
];

/**
 * Programs that send, each message with a key of its own, and again with the same key until it is answered
 * with a 2xx: what has one is accepted. `sends`: recipient → {installation, id, acceptedMs}. `onAnswer` hears
 * each answer; null: none.
 */
export function startLoad({ installations, perSecond, random, onAnswer = () => {} }) {
  const sends = new Map();
  const state = { running: true, underWay: 0, tries: 0, refusals: {} };
  let serial = 0;

  async function sendOnce(installation, send, said) {
    const up = installation.services.filter((service) => service.url !== null);
    const service = up[Math.floor(random() * up.length)];
    state.tries++;
    const answer = await fetch(`${service.url}/v1/messages`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${send.account.key}`,
        'content-type': 'application/json',
        'idempotency-key': send.key,
      },
      body: JSON.stringify({
        from: send.account.from,
        to: send.to,
        subject: `Invoice ${send.key}`,
        text: 'Your invoice is ready; it is due within 30 days.\n',
        certified: send.certified,
      }),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    said.status = answer.status;
    const body = await answer.json();
    if (answer.status === 200 || answer.status === 201) return body.id;
    said.code = body.error?.code;
    state.refusals[answer.status] = (state.refusals[answer.status] ?? 0) + 1;
    if (answer.status < 500 && answer.status !== 429)
      throw new Fatal(`${answer.status} ${JSON.stringify(body)}`);
    return null;
  }

  async function send(installation) {
    const draw = random();
    const [domain] = DOMAINS.find(
      ([, share], at) => draw < DOMAINS.slice(0, at).reduce((sum, [, s]) => sum + s, share),
    );
    const key = `faults-${++serial}`;
    const account = installation.accounts[Math.floor(random() * installation.accounts.length)];
    const one = {
      installation,
      account,
      key,
      to: `m${serial}@${domain}`,
      certified: random() < 0.4,
      id: null,
      acceptedMs: null,
    };
    sends.set(one.to, one);
    state.underWay++;
    try {
      while (one.id === null && (state.running || one.tries < 100)) {
        one.tries = (one.tries ?? 0) + 1;
        const answer = { account, status: null, atMs: performance.now() };
        one.id = await sendOnce(installation, one, answer).catch((error) => {
          if (error instanceof Fatal) throw error;
          return null;
        });
        answer.tookMs = performance.now() - answer.atMs;
        onAnswer(answer);
        if (one.id === null) await new Promise((resolve) => setTimeout(resolve, RETRY_EVERY_MS));
      }
      if (one.id !== null) {
        one.acceptedMs = performance.now();
        installation.acceptedMs = one.acceptedMs;
      }
    } catch (error) {
      one.fatal = error.message;
    } finally {
      state.underWay--;
    }
  }

  const timers = installations.map((installation) =>
    setInterval(() => void send(installation), (1_000 * installations.length) / perSecond),
  );
  return {
    sends,
    state,
    async stop() {
      state.running = false;
      for (const timer of timers) clearInterval(timer);
      for (const until = Date.now() + 60_000; state.underWay > 0 && Date.now() < until; )
        await new Promise((resolve) => setTimeout(resolve, 100));
    },
  };
}

/** A refusal that no retry changes: a fault of the run itself. */
class Fatal extends Error {}
