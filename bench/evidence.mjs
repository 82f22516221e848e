// The cost of evidence: sequencing a million leaves, building and verifying one bundle against that log, and
// checking all of it again. The server is only there to make real messages and to seal them; what is measured
// runs in this process.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importBundled } from './bundled.mjs';
import { cpuSeconds, runLoad, startNode, stop } from './processes.mjs';
import { settings } from './send-service.mjs';
import { digits, median, printTable } from './table.mjs';

const DEFAULT_LEAVES = 1_000_000;
/** Messages that fsck has to read at least, and how long they are sent for at most (s). */
const FSCK_MESSAGES = 30_000;
const LOAD_SECONDS = 5;
const LOAD_ROUNDS = 12;
/** Leaves in one turn of the sequencer's, between which others get theirs. */
const LEAVES_PER_TURN = 2_048;
const PURE_RUNS = 5;
const FSCK_RUNS = 3;
/** Threads that check: none but the program's own, two, and as `acuse fsck` does it. */
const FSCK_THREADS = [0, 2, Math.max(2, Math.min(8, availableParallelism()))];
const BUNDLE_RUNS = 200;
const REPORT_RUNS = 20;
const SEALED_WITHIN_MS = 180_000;

const program = fileURLToPath(new URL('../server/bin/acuse.mjs', import.meta.url));

const MESSAGE = {
  from: 'Billing <billing@sandbox.test>',
  to: 'Ana Pérez <delivered@sandbox.test>',
  subject: 'Your invoice 2041 of March',
  text: 'Hello Ana,\n\nyour invoice 2041 over 1 250.00 MXN is ready.\nIt is due within 30 days.\n\nThank you,\nBilling\n',
  certified: true,
};
/** As load.mjs replaces it. */
const KEY = 'KKKKKKKKKKKKKKKKKKKKKKKK';

/** `args`: how many leaves the log is to have. */
export async function run(args) {
  const leaves = Number(args[0] ?? DEFAULT_LEAVES);
  if (!Number.isSafeInteger(leaves) || leaves < 100_000) throw new Error('a log of 100 000 leaves at least');
  const parts = await importBundled('evidence-parts.ts');
  const dataDir = mkdtempSync(join(tmpdir(), 'acuse-bench-'));
  try {
    const rows = [
      pureTree(parts, leaves),
      ...(await checking(parts, dataDir)),
      await sequencing(parts, dataDir, leaves),
      ...(await bundles(parts, dataDir)),
    ];
    console.log(`\n${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.version}\n`);
    printTable(rows, 1);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function progress(text) {
  process.stderr.write(`${text}\n`);
}

function pureTree({ growPureTree }, leaves) {
  progress('the tree alone');
  const rates = Array.from({ length: PURE_RUNS }, () =>
    growPureTree(Math.min(leaves, 262_144), LEAVES_PER_TURN),
  );
  return row(
    'leaves sequenced/s, the tree alone',
    { middle: median(rates), least: Math.min(...rates), most: Math.max(...rates) },
    PURE_RUNS,
  );
}

/** Messages from the API, sealed by the service, and then all of them checked. */
async function checking(parts, dataDir) {
  const first = await startService(dataDir, null);
  await stop(first.child);
  const { api_key: key } = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8'));
  const service = await startService(dataDir, 'api,sealing');
  try {
    progress('messages for fsck to read');
    let messages = 0;
    for (let round = 0; round < LOAD_ROUNDS && messages < FSCK_MESSAGES; round++) {
      const { requests } = await runLoad({
        url: service.url,
        path: '/v1/messages/batch',
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({
          messages: Array.from({ length: 100 }, () => ({ idempotency_key: KEY, ...MESSAGE })),
        }),
        connections: 8,
        seconds: LOAD_SECONDS,
      });
      messages += requests * 100;
    }
    const { db, url } = await parts.openInstallation(dataDir);
    try {
      await until('all sealed', async () => {
        const [{ n }] = await db.query(
          'select (select count(*) from pending_leaves) + (select count(*) from stamp_queue) as n',
        );
        return n === 0;
      });
      const rows = [];
      for (const threads of new Set(FSCK_THREADS)) {
        const rates = [];
        let read = 0;
        const cpu = processorTime(service.postgresPid);
        for (let run = 0; run < FSCK_RUNS; run++) {
          const { leaves, seconds } = await parts.checkAll({ db, url }, threads);
          progress(`fsck of ${leaves} leaves, ${threads} threads: ${digits(seconds, 1)} s`);
          rates.push(leaves / seconds);
          read = leaves;
        }
        const figure = `fsck, leaves/s (${read} leaves, ${threads === 0 ? 'no' : threads} threads of its own)`;
        rows.push(
          row(
            figure,
            { middle: median(rates), least: Math.min(...rates), most: Math.max(...rates) },
            FSCK_RUNS,
            cpu(read * FSCK_RUNS),
          ),
        );
      }
      return rows;
    } finally {
      await db.close();
    }
  } finally {
    await stop(service.child);
  }
}

/** Leaves of no message until the log is as large as it is to be, in batches as the sequencer makes them. */
async function sequencing(parts, dataDir, leaves) {
  const service = await startService(dataDir, 'api');
  try {
    const { db, log } = await parts.openInstallation(dataDir);
    try {
      const [{ n }] = await db.query('select count(*) as n from leaves');
      progress(`${leaves - n} leaves put in line`);
      await parts.addBareLeaves(db, log, leaves - n);
      progress('sequencing them');
      const cpu = processorTime(service.postgresPid);
      const batches = await parts.sequenceAll(db, log);
      const each = cpu(leaves - n);
      const rates = batches
        .slice(1)
        .filter(({ leaves: size }) => size === batches[0].leaves)
        .map(({ leaves: size, ms }) => size / (ms / 1_000));
      // No constancia is asked for them: only the last checkpoint counts here.
      await db.execute('delete from stamp_queue');
      return row(
        `leaves sequenced/s, batches of ${batches[0].leaves} in PostgreSQL`,
        { middle: median(rates), least: Math.min(...rates), most: Math.max(...rates) },
        rates.length,
        each,
      );
    } finally {
      await db.close();
    }
  } finally {
    await stop(service.child);
  }
}

/** One message more, sealed at the end of that log, and delivered. */
async function sendLast(parts, dataDir) {
  const service = await startService(dataDir, null);
  const { db } = await parts.openInstallation(dataDir);
  try {
    const { api_key: key } = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8'));
    progress('a message at the end of the log');
    const answer = await fetch(`${service.url}/v1/messages`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'idempotency-key': 'bench-last',
        'content-type': 'application/json',
      },
      body: JSON.stringify(MESSAGE),
    });
    const { id: messageId } = await answer.json();
    const [{ tenantId }] = await db.query(
      'select tenant_id as "tenantId" from messages where message_id = $1',
      [messageId],
    );
    await until('delivered and sealed', async () => {
      const [{ n }] = await db.query(
        'select count(*) as n from leaves l join certificates c using (log_id, tree_size) where l.tenant_id = $1 and l.message_id = $2',
        [tenantId, messageId],
      );
      return n === 2;
    });
    return { tenantId, messageId };
  } finally {
    await db.close();
    await stop(service.child);
  }
}

/** Its bundle, built and verified again and again, beside a service that has nothing to do. */
async function bundles(parts, dataDir) {
  const message = await sendLast(parts, dataDir);
  const service = await startService(dataDir, 'api');
  const { db, log } = await parts.openInstallation(dataDir);
  try {
    // Background work that a million rows leave is no part of a bundle's cost.
    for (const table of ['leaves', 'pending_leaves', 'log_tiles'])
      await db.execute(`vacuum (analyze) ${table}`);
    const rows = [];
    for (const [name, verifyUrl, runs] of [
      ['', null, BUNDLE_RUNS],
      [' with report.pdf', `${service.url}/verify`, REPORT_RUNS],
    ]) {
      progress(`bundles${name}`);
      await parts.buildBundles({ db, log }, message, 5, verifyUrl);
      const building = processorTime(service.postgresPid);
      const built = await parts.buildBundles({ db, log }, message, runs, verifyUrl);
      const builtCpu = building(runs);
      const verifying = processorTime(service.postgresPid);
      const verified = await parts.verifyBundles(built.bytes, runs);
      progress(
        `leaf ${verified.facts.leaf_index} of ${verified.facts.tree_size}, ${built.bytes.length} bytes`,
      );
      rows.push(
        times(`build a bundle${name}, ms`, built.ms, builtCpu),
        times(`verify a bundle${name}, ms`, verified.ms, verifying(runs)),
      );
    }
    return rows;
  } finally {
    await db.close();
    await stop(service.child);
  }
}

async function startService(dataDir, roles) {
  const args = [program, 'serve', ...(roles === null ? [] : ['--roles', roles])];
  const { child, match } = await startNode(args, { env: settings(dataDir), ready: /API +(http\S+)\/v1$/ });
  const { pid } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8'));
  return { child, url: match[1], postgresPid: pid };
}

async function until(what, look) {
  for (const endMs = performance.now() + SEALED_WITHIN_MS; !(await look()); ) {
    if (performance.now() > endMs) throw new Error(`${what}: not in time`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/**
 * Starts a count of processor time; what it took for each of `units`, here and in PostgreSQL, as columns
 * (µs).
 */
function processorTime(postgresPid) {
  const here = process.cpuUsage();
  const there = cpuSeconds(postgresPid, { tree: true });
  return (units) => {
    const { user, system } = process.cpuUsage(here);
    return {
      'CPU µs each': digits((user + system) / units, 1),
      'in PostgreSQL': digits(((cpuSeconds(postgresPid, { tree: true }) - there) * 1e6) / units, 1),
    };
  };
}

const NOT_COUNTED = { 'CPU µs each': '', 'in PostgreSQL': '' };

function row(figure, { middle, least, most }, runs, cpu = NOT_COUNTED, places = 0) {
  return {
    figure,
    median: digits(middle, places),
    least: digits(least, places),
    most: digits(most, places),
    runs: String(runs),
    ...cpu,
  };
}

function times(figure, ms, cpu) {
  return row(
    figure,
    { middle: median(ms), least: Math.min(...ms), most: Math.max(...ms) },
    ms.length,
    cpu,
    2,
  );
}
