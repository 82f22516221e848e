// A whole service of the repository's, in a process of its own, with an empty data folder and free ports.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
export const STARTER = join(ROOT, 'scripts/start.mjs');
const COMMAND = join(ROOT, 'server/bin/acuse.mjs');

/** How long a service may take to be ready, a build included (ms). */
const READY_LIMIT_MS = 180_000;

const SETTINGS = {
  ACUSE_PORT: '0',
  ACUSE_SANDBOX_SMTP_PORT: '0',
  ACUSE_ADMIN_PORT: '0',
  ACUSE_RETURN_PATH_PORT: '0',
  ACUSE_SUBMISSION_PORT: '0',
  ACUSE_SUBMISSIONS_PORT: '0',
  ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true',
};

/** `stop` ends it and deletes the folder. `settings`: variables besides. */
export async function startService(settings = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'acuse-client-'));
  const child = spawn(process.execPath, [STARTER], {
    cwd: ROOT,
    env: { ...process.env, ...SETTINGS, ...settings, ACUSE_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
  const said = () => Buffer.concat(output).toString();
  const ended = new Promise((resolve) => child.once('exit', resolve));
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
  const sandbox = JSON.parse(await readFile(join(dataDir, 'sandbox.json'), 'utf8'));
  const { api_key: key, base_url: url, return_path_port: returnPathPort, portal_sign_in: signIn } = sandbox;
  return { url, key, stop, dataDir, returnPathPort, signIn, command: COMMAND };
}
