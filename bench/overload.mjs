// What becomes of sends when there are more of them than can be taken: a service at its capacity, then with
// ten times as many connections that all send again at once whatever they are answered, and with far more.
// Every answer must be a 2xx within two seconds, or a 503 that says when to retry.
//   npm run bench -- overload [seconds]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runLoad, startNode, stop } from './processes.mjs';
import { digits, printTable } from './table.mjs';

const CAPACITY_CONNECTIONS = 64;
const OVERLOADS = [1, 10, 36];
const BATCH_CONNECTIONS = 8;
const BATCH_ITEMS = 100;
const WARM_UP_SECONDS = 6;
const DEFAULT_SECONDS = 8;
/** Longest that a 2xx may take (ms). */
const ANSWER_MAX_MS = 2_000;
/** As load.mjs replaces it. */
const KEY = 'KKKKKKKKKKKKKKKKKKKKKKKK';

const program = fileURLToPath(new URL('../server/bin/acuse.mjs', import.meta.url));

const MESSAGE = {
  from: 'Billing <billing@sandbox.test>',
  to: 'Ana Pérez <delivered@sandbox.test>',
  subject: 'Your invoice 2041 of March',
  text: 'Hello Ana,\n\nyour invoice 2041 over 1 250.00 MXN is ready.\n\nThank you,\nBilling\n',
};

export async function run(args) {
  const seconds = Number(args[0] ?? DEFAULT_SECONDS);
  const dataDir = mkdtempSync(join(tmpdir(), 'acuse-bench-'));
  try {
    const key = await makeAccount(dataDir);
    const service = await startService(dataDir, 'api');
    try {
      await runLoad(loadOf('single', service.url, key, CAPACITY_CONNECTIONS, WARM_UP_SECONDS));
      const rows = [];
      for (const kind of ['single', 'batch']) {
        const connections = kind === 'batch' ? BATCH_CONNECTIONS : CAPACITY_CONNECTIONS;
        for (const times of OVERLOADS) {
          const load = await runLoad(loadOf(kind, service.url, key, connections * times, seconds));
          rows.push(rowOf(kind, connections * times, load));
        }
      }
      printTable(rows, 2);
      const late = rows.filter(
        (row) =>
          Number(row['2xx max ms']) > ANSWER_MAX_MS || row.other !== '0' || row['no Retry-After'] !== '0',
      );
      console.log(
        late.length === 0
          ? '\nevery answer a 2xx within 2 s, or a 503 with Retry-After'
          : '\nNOT KEPT: see above',
      );
    } finally {
      await service.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function rowOf(kind, connections, { requests, seconds, statuses, byStatusMs, withoutRetryAfter }) {
  const good = kind === 'batch' ? '200' : '201';
  const of = (status) => statuses[status] ?? 0;
  return {
    sends: kind === 'batch' ? 'batches of 100' : 'one a request',
    connections: String(connections),
    'answers/s': digits(requests / seconds),
    '2xx/s': digits(of(good) / seconds),
    'share of 2xx': digits(of(good) / requests, 2),
    '2xx p50 ms': digits(byStatusMs[good]?.p50 ?? null),
    '2xx p99 ms': digits(byStatusMs[good]?.p99 ?? null),
    '2xx max ms': digits(byStatusMs[good]?.max ?? null),
    '503 p99 ms': digits(byStatusMs['503']?.p99 ?? null),
    other: String(requests - of(good) - of('503')),
    'no Retry-After': String(withoutRetryAfter),
  };
}

function loadOf(kind, url, key, connections, seconds) {
  const authorization = `Bearer ${key}`;
  if (kind === 'batch') {
    const item = { idempotency_key: KEY, ...MESSAGE };
    const body = JSON.stringify({ messages: Array.from({ length: BATCH_ITEMS }, () => item) });
    return { url, path: '/v1/messages/batch', headers: { authorization }, body, connections, seconds };
  }
  const headers = { authorization, 'Idempotency-Key': KEY };
  return { url, path: '/v1/messages', headers, body: JSON.stringify(MESSAGE), connections, seconds };
}

async function makeAccount(dataDir) {
  const first = await startService(dataDir, null);
  await first.stop();
  return JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')).api_key;
}

/** `roles`: null for all. */
async function startService(dataDir, roles) {
  const args = [program, 'serve', ...(roles === null ? [] : ['--roles', roles])];
  const { child, match } = await startNode(args, { env: settings(dataDir), ready: /API +(http\S+)\/v1$/ });
  return { url: match[1], stop: () => stop(child) };
}

function settings(dataDir) {
  return {
    ACUSE_DATA_DIR: dataDir,
    ACUSE_PORT: '0',
    ACUSE_SANDBOX_SMTP_PORT: '0',
    ACUSE_RETURN_PATH_PORT: '0',
    ACUSE_SUBMISSION_PORT: '0',
    ACUSE_SUBMISSIONS_PORT: '0',
    // The limits on requests are not what is measured.
    ACUSE_KEY_RATE: '0',
    ACUSE_ADDRESS_RATE: '0',
    ACUSE_LOG_LEVEL: 'error',
  };
}
