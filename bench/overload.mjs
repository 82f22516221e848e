// The outcome of sends when there are more of them than can be taken: a service at its capacity, then with
// ten times as many connections that all send again at once whatever they are answered, and with far more.
// Every answer must be a 2xx within two seconds, or a 503 that says when to retry.
//   npm run bench -- overload [seconds]
import { runLoad } from './processes.mjs';
import {
  BATCH_CONNECTIONS,
  CONNECTIONS,
  inFreshFolder,
  loadOf,
  makeAccount,
  startService,
} from './send-service.mjs';
import { digits, printTable } from './table.mjs';

const OVERLOADS = [1, 10, 36];
const WARM_UP_SECONDS = 6;
const DEFAULT_SECONDS = 8;
/** Longest that a 2xx may take (ms). */
const ANSWER_MAX_MS = 2_000;

/** The limits on requests are not what is measured. */
const ENV = { ACUSE_KEY_RATE: '0', ACUSE_ADDRESS_RATE: '0', ACUSE_LOG_LEVEL: 'error' };

export async function run(args) {
  const seconds = Number(args[0] ?? DEFAULT_SECONDS);
  await inFreshFolder(async (dataDir) => {
    const key = await makeAccount(dataDir);
    const service = await startService(dataDir, { roles: 'api', env: ENV });
    try {
      await overload({ url: service.url, key }, seconds);
    } finally {
      await service.stop();
    }
  });
}

async function overload(target, seconds) {
  await runLoad(loadOf(target, { batch: false, connections: CONNECTIONS, seconds: WARM_UP_SECONDS }));
  const rows = [];
  for (const batch of [false, true])
    for (const times of OVERLOADS) {
      const connections = (batch ? BATCH_CONNECTIONS : CONNECTIONS) * times;
      const load = await runLoad(loadOf(target, { batch, connections, seconds }));
      rows.push(rowOf(batch, connections, load));
    }
  printTable(rows, 2);
  const late = rows.filter(
    (row) => Number(row['2xx max ms']) > ANSWER_MAX_MS || row.other !== '0' || row['no Retry-After'] !== '0',
  );
  console.log(
    late.length === 0
      ? '\nevery answer a 2xx within 2 s, or a 503 with Retry-After'
      : '\nNOT KEPT: see above',
  );
}

function rowOf(batch, connections, { requests, seconds, statuses, byStatusMs, withoutRetryAfter }) {
  const good = batch ? '200' : '201';
  const of = (status) => statuses[status] ?? 0;
  return {
    sends: batch ? 'batches of 100' : 'one a request',
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
