import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How long a service may take to be ready, a build included (ms). */
const READY_LIMIT_MS = 120_000;
const ROOT = new URL('../..', import.meta.url).pathname;

/**
 * A whole service of its own: an empty data folder, free ports, no limits of rate, and an account with its
 * first key. `stop` ends it and deletes the folder. `settings`: further variables.
 */
export async function startService(settings = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'acuse-contract-'));
  const child = spawn(process.execPath, [join(ROOT, 'scripts/start.mjs')], {
    cwd: ROOT,
    env: { ...process.env, ...SETTINGS, ...settings, ACUSE_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
  const said = () => Buffer.concat(output).toString();
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    await rm(dataDir, { recursive: true, force: true });
  };
  const started = Date.now();
  while (!said().includes('Stop with Ctrl-C')) {
    if (child.exitCode !== null || Date.now() - started > READY_LIMIT_MS) {
      await stop();
      throw new Error(`the service did not start:\n${said()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const { api_key: key, base_url: url } = JSON.parse(await readFile(join(dataDir, 'sandbox.json'), 'utf8'));
  return { url, key, stop, said };
}

const SETTINGS = {
  ACUSE_PORT: '0',
  ACUSE_SANDBOX_SMTP_PORT: '0',
  ACUSE_ADMIN_PORT: '0',
  ACUSE_RETURN_PATH_PORT: '0',
  ACUSE_SUBMISSION_PORT: '0',
  ACUSE_SUBMISSIONS_PORT: '0',
  ACUSE_KEY_RATE: '0',
  ACUSE_ADDRESS_RATE: '0',
  ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true',
};
