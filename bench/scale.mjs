// npm run bench -- scale [messages …] [--accounts n] [--in folder]: what each statement of the running
// service reads as its tables grow. A database for each size is filled, the service runs on it with all
// roles, and PostgreSQL tells of every statement how many buffers it touched, for how long, and by which
// plan. Buffers are the figure to compare: they do not depend on what else the machine does. With `--in` the
// databases stay there, and another run goes on with them.

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { caller, inDatabase, pathsOf } from './lists.mjs';
import { fill } from './lists-fill.mjs';
import { readPlans, tellPlans } from './scale-plans.mjs';
import { BATCH_ITEMS, MESSAGE, makeAccount, settings, startService } from './send-service.mjs';
import { digits, printTable } from './table.mjs';

const SIZES = [10_000, 100_000, 1_000_000];
/** Of a filled database, its WAL and what vacuum needs beside it (bytes a message): measured, rounded up. */
const BYTES_PER_MESSAGE = 4_500;
/** A named statement is planned for all values alike from its sixth run on a connection: reached by all. */
const ROUNDS = 8;
const SENDS = 100;
/** How many statements are printed: those that touch most. */
const SHOWN = 40;
const SETTLED_WITHIN_MS = 120_000;

const execute = promisify(execFile);
const program = fileURLToPath(new URL('../server/bin/acuse.mjs', import.meta.url));

export async function run(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { accounts: { type: 'string', default: '1' }, in: { type: 'string' } },
  });
  const sizes = positionals.length > 0 ? positionals.map(Number) : SIZES;
  const accounts = Number(values.accounts);
  const folder = values.in ?? mkdtempSync(join(tmpdir(), 'acuse-scale-'));
  mkdirSync(folder, { recursive: true });
  requireSpace(folder, sizes);
  const bySize = new Map();
  try {
    for (const size of sizes) {
      process.stderr.write(`${size} messages in ${accounts} accounts\n`);
      bySize.set(size, await measure(join(folder, `${size}-${accounts}`), size, accounts));
    }
  } finally {
    if (values.in === undefined) rmSync(folder, { recursive: true, force: true });
  }
  print(bySize);
}

/** Says how much it takes, and goes no further where that is not there. */
function requireSpace(folder, sizes) {
  const { bavail, bsize } = statfsSync(folder);
  const needed = sizes.reduce((sum, size) => sum + size * BYTES_PER_MESSAGE, 1e9);
  const gigabytes = (bytes) => `${(bytes / 1e9).toFixed(1)} GB`;
  process.stderr.write(
    `needs ${gigabytes(needed)} in ${folder}, of ${gigabytes(bavail * bsize)} that are free\n`,
  );
  if (bavail * bsize >= needed) return;
  throw new Error(`not enough room in ${folder}: free some, or name another folder by --in`);
}

/** What one size costs, statement by statement. A folder that was filled before is taken as it is. */
async function measure(dataDir, size, accounts) {
  mkdirSync(dataDir, { recursive: true });
  const key = existsSync(join(dataDir, 'sandbox.json'))
    ? JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')).api_key
    : await makeAccount(dataDir);
  const env = { ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true' };
  const filling = await startService(dataDir, { roles: 'api', env });
  const known = await (async () => {
    try {
      const webhookId = await endpoint(caller(filling.url, key));
      const oldest = await inDatabase(dataDir, async (client) => {
        await client.query('set role acuse_worker');
        const { rows } = await client.query('select tenant_id from webhook_endpoints');
        return fill(client, { tenantId: rows[0].tenant_id, webhookId }, size, { accounts });
      });
      return { webhookId, oldest };
    } finally {
      await filling.stop();
    }
  })();
  tellPlans(dataDir);
  const log = join(dataDir, 'postgres.log');
  rmSync(log, { force: true });
  const service = await startService(dataDir, { env });
  try {
    await drive(service, key, dataDir, known);
  } finally {
    await service.stop();
  }
  return readPlans(log);
}

async function endpoint(call) {
  const { data } = await call('GET', '/v1/webhooks');
  // Nobody listens there: deliveries are claimed, tried and put off.
  const url = 'https://127.0.0.1:1/';
  return data[0]?.id ?? (await call('POST', '/v1/webhooks', { url, events: ['*'] })).id;
}

/** Everything that the service does, often enough for its statements to have the plans that they keep. */
async function drive({ url }, key, dataDir, known) {
  const call = caller(url, key);
  const step = (text) => process.stderr.write(`  ${text}\n`);
  step('lists');
  for (const path of pathsOf(known)) for (let round = 0; round < ROUNDS; round++) await call('GET', path);
  step('sends, deliveries, seals, webhooks');
  let last;
  for (let n = 0; n < SENDS; n++) {
    const idempotency = { 'idempotency-key': `scale-${Date.now()}-${n}` };
    last = await call('POST', '/v1/messages', { ...MESSAGE, certified: n % 2 === 1 }, idempotency);
  }
  const items = Array.from({ length: BATCH_ITEMS }, (_, n) => ({
    ...MESSAGE,
    idempotency_key: `scale-batch-${Date.now()}-${n}`,
  }));
  await call('POST', '/v1/messages/batch', { messages: items });
  await settled(call, last.id);
  for (let round = 0; round < ROUNDS; round++) {
    await call('GET', `/v1/messages/${last.id}/evidence`);
    await call('GET', `/v1/messages/${last.id}/attempts`);
  }
  step('metrics');
  for (let round = 0; round < ROUNDS; round++) await (await fetch(`${url}/metrics`)).text();
  step('commands');
  const commands = [
    'queue list',
    'queue list --by tenant',
    'queue list --by age',
    'sealing status',
    'retention status',
  ];
  for (const command of commands)
    await execute(process.execPath, [program, ...command.split(' ')], {
      env: { ...process.env, ...settings(dataDir) },
    });
}

async function settled(call, id) {
  const end = Date.now() + SETTLED_WITHIN_MS;
  while (Date.now() < end) {
    const { status, sealed_at: sealedAt } = await call('GET', `/v1/messages/${id}`);
    if (status === 'sent' && sealedAt !== null) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error(`message ${id} was not delivered and sealed in time`);
}

function print(bySize) {
  const sizes = [...bySize.keys()];
  const largest = bySize.get(sizes.at(-1));
  const most = [...largest.values()].toSorted((a, b) => b.buffers - a.buffers).slice(0, SHOWN);
  printTable(
    most.map(({ text }) => ({
      statement: text.slice(0, 90),
      ...Object.fromEntries(
        sizes.flatMap((size) => {
          const found = bySize.get(size).get(text);
          return [
            [`buffers at ${size}`, digits(found?.buffers)],
            [`ms at ${size}`, digits(found?.ms, 1)],
          ];
        }),
      ),
    })),
    1,
  );
  for (const { text, plan } of most.slice(0, 5)) console.log(`\n${text}\n${plan}`);
}
