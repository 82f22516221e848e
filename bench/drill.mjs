// npm run bench -- drill [leaves]: how long a backup of an installation with such a log takes, and how long
// it takes to know that it can be restored. Messages from the API, delivered to the sandbox, sealed by the
// service; the commands are the operator's own.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  BATCH_ITEMS,
  inFreshFolder,
  MESSAGE,
  makeAccount,
  PROGRAM,
  settings,
  startService,
} from './send-service.mjs';
import { digits, printTable } from './table.mjs';

const LEAVES = 100_000;
/** Fewer than the service can do beside delivering and sealing them. */
const CONNECTIONS = 2;
/** Each message has one for its acceptance and one for its outcome. */
const LEAVES_PER_MESSAGE = 2;
const LOOK_EVERY_MS = 1_000;
/** A log that does not grow for so long does not get there (ms). */
const STALLED_MS = 120_000;

export async function run([leaves = LEAVES]) {
  await inFreshFolder((folder) => measure(folder, Number(leaves)));
}

async function measure(folder, leaves) {
  const dataDir = join(folder, 'data');
  const env = settings(dataDir);
  const key = await makeAccount(dataDir);
  const service = await startService(dataDir, { env: { ACUSE_LOG_LEVEL: 'error' } });
  let made;
  try {
    await send({ url: service.url, key }, Math.ceil(leaves / LEAVES_PER_MESSAGE / BATCH_ITEMS));
    await sealed(service.url, leaves);
    made = JSON.parse(await acuse(['backup', '--to', join(folder, 'backups'), '--json'], env));
  } finally {
    await service.stop();
  }
  const drill = ['restore', 'drill', '--from', made.backup, '--scratch', folder];
  print(made, JSON.parse(await acuse([...drill, '--json'], env)));
  // Once more, as an operator reads it.
  console.log(`\n${await acuse(drill, env)}`);
}

/** Certified messages, a batch a request. */
async function send(to, batches) {
  let left = batches;
  async function connection() {
    while (left-- > 0) {
      const item = () => ({ idempotency_key: randomUUID(), ...MESSAGE, certified: true });
      const body = JSON.stringify({ messages: Array.from({ length: BATCH_ITEMS }, item) });
      while (!(await isTaken(to, body)));
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
}

/** False: the service is busy, and now is the time to repeat it. */
async function isTaken({ url, key }, body) {
  const answer = await fetch(`${url}/v1/messages/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
  });
  const text = await answer.text();
  if (answer.ok && !text.includes('"error":{')) return true;
  if (answer.status !== 503) throw new Error(`${answer.status} ${text.slice(0, 300)}`);
  await sleep(Number(answer.headers.get('retry-after') ?? 1) * 1_000);
  return false;
}

/** Until the published log has them all. */
async function sealed(url, leaves) {
  let size = 0;
  for (let grewMs = performance.now(); size < leaves; await sleep(LOOK_EVERY_MS)) {
    const text = await (await fetch(`${url}/log/checkpoint`)).text();
    const now = Number(text.split('\n')[1] ?? 0);
    if (now > size) {
      size = now;
      grewMs = performance.now();
      process.stderr.write(`${size} of ${leaves} leaves\n`);
    } else if (performance.now() - grewMs > STALLED_MS) {
      throw new Error(`the log stays at ${size} leaves`);
    }
  }
}

async function acuse(args, env) {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (said += text));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`acuse ${args.join(' ')} ended with ${code}: ${said}`);
  return said;
}

function print(made, { checked, problemCount, seconds, logs, bytes, files }) {
  const machine = `${cpus().length} × ${cpus()[0].model.trim()}, load ${digits(loadavg()[0], 1)}`;
  console.log(
    `\n${machine}, Node ${process.version}; ${checked.leaves} leaves, ${checked.messages} messages,`,
  );
  console.log(`${files} files, ${digits(bytes / 1e6)} MB, ${logs[0].size} leaves in the manifest,`);
  console.log(`${checked.certificates} constancias, ${problemCount} problems\n`);
  const rows = [
    ['acuse backup, beside the service', made.seconds],
    ['acuse restore drill', seconds.total],
    ['of it: SHA-256 of every file', seconds.verify],
    ['of it: copied, recovered, held to the manifest', seconds.restore],
    ['of it: fsck', seconds.fsck],
  ];
  printTable(
    rows.map(([what, value]) => ({ what, seconds: digits(value, 1) })),
    1,
  );
}
