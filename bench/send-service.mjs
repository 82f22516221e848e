// The service that sends are measured on, in a folder of its own, and the load of sends: for ingest and
// overload.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startNode, stop } from './processes.mjs';

export const CONNECTIONS = 64;
export const BATCH_CONNECTIONS = 8;
export const BATCH_ITEMS = 100;
/** Of node, as docs/operating.md says to start the service. */
export const START_FLAGS = ['--max-semi-space-size=32'];
/** As load.mjs replaces it. */
const KEY = 'KKKKKKKKKKKKKKKKKKKKKKKK';

export const MESSAGE = {
  from: 'Billing <billing@sandbox.test>',
  to: 'Ana Pérez <delivered@sandbox.test>',
  subject: 'Your invoice 2041 of March',
  text: 'Hello Ana,\n\nyour invoice 2041 over 1 250.00 MXN is ready.\nIt is due within 30 days.\n\nThank you,\nBilling\n',
};

export const PROGRAM = fileURLToPath(new URL('../server/bin/acuse.mjs', import.meta.url));

/** The program of another checkout that is built. */
export function programIn(folder) {
  const program = resolve(folder, 'server/bin/acuse.mjs');
  if (existsSync(program)) return program;
  throw new Error(`${folder} is no checkout of Acuse: it has no server/bin/acuse.mjs`);
}

/** Undelivered and unsealed messages of one service are no work for the next. */
export async function inFreshFolder(work) {
  const dataDir = mkdtempSync(join(tmpdir(), 'acuse-bench-'));
  try {
    return await work(dataDir);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Address that a start prints: of a process without the API where its health is. */
export const READY = /(?:API|Health) +(http\S+)\/(?:v1|readyz)$/;

/** The sandbox's account is there once the service has run with every role. Returns its key. */
export async function makeAccount(dataDir, options = {}) {
  const first = await startService(dataDir, options);
  await first.stop();
  return JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')).api_key;
}

/**
 * `roles`: null for all. `env`: beside the settings; `flags`: of node, after those of every start. `program`:
 * another checkout's; `withinMs`: how long its start may take.
 */
export async function startService(
  dataDir,
  { roles = null, env = {}, flags = [], program = PROGRAM, withinMs } = {},
) {
  const args = [...START_FLAGS, ...flags, program, 'serve', ...(roles === null ? [] : ['--roles', roles])];
  const { child, match } = await startNode(args, {
    env: { ...settings(dataDir), ...env },
    ready: READY,
    withinMs,
  });
  return { url: match[1], pid: child.pid, stop: () => stop(child) };
}

export function settings(dataDir) {
  return {
    ACUSE_DATA_DIR: dataDir,
    ACUSE_PORT: '0',
    ACUSE_SANDBOX_SMTP_PORT: '0',
    ACUSE_ADMIN_PORT: '0',
    ACUSE_RETURN_PATH_PORT: '0',
    ACUSE_SUBMISSION_PORT: '0',
    ACUSE_SUBMISSIONS_PORT: '0',
    // The limit is kept and counted, only never reached.
    ACUSE_KEY_RATE: '1000000',
    ACUSE_ADDRESS_RATE: '1000000',
    ACUSE_ADDRESS_BURST: '1000000',
    ACUSE_KEY_BURST: '1000000',
    ACUSE_LOG_LEVEL: 'warn',
  };
}

/** Sends of `message`, one a request or in batches, for load.mjs. */
export function loadOf({ url, key }, { batch, message = MESSAGE, connections, seconds }) {
  const headers = { authorization: `Bearer ${key}` };
  if (!batch) {
    const body = JSON.stringify(message);
    return {
      url,
      path: '/v1/messages',
      headers: { ...headers, 'Idempotency-Key': KEY },
      body,
      connections,
      seconds,
    };
  }
  const item = { idempotency_key: KEY, ...message };
  const body = JSON.stringify({ messages: Array.from({ length: BATCH_ITEMS }, () => item) });
  return { url, path: '/v1/messages/batch', headers, body, connections, seconds };
}
