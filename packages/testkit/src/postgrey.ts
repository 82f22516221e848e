import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PATIENCE_MS } from './eventually.ts';
import { freePort } from './free-port.ts';
import { PATH_ENV, userOf } from './postfix.ts';

/**
 * Greylisting as most Postfix installations have it: Debian's postgrey, a policy service that Postfix asks.
 * RFC 6647 §2
 */
export interface Postgrey {
  /** As `check_policy_service` takes it. */
  readonly service: string;
  stop(): Promise<void>;
}

/** Why postgrey cannot run here, as the title of a skipped test says it; null when it can. */
export const postgreyMissing: string | null =
  process.getuid?.() !== 0
    ? 'skipped: postgrey needs root'
    : spawnSync('postgrey', ['--version'], { env: PATH_ENV }).status === 0
      ? null
      : 'skipped: needs postgrey';

/** Starts it with memory of its own; what it sees for the first time is put off for `delaySeconds`. */
export async function startPostgrey(delaySeconds: number): Promise<Postgrey> {
  const folder = mkdtempSync(join(tmpdir(), 'acuse-postgrey-'));
  const { uid, gid } = userOf('postgrey');
  chownSync(folder, uid, gid);
  chmodSync(folder, 0o700);
  const port = await freePort();
  const options = [`--inet=127.0.0.1:${port}`, `--dbdir=${folder}`, `--delay=${delaySeconds}`];
  // Its own default list lets large providers pass, by the name of the client.
  options.push('--whitelist-clients=/dev/null', '--whitelist-recipients=/dev/null');
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', '--', 'postgrey', ...options], {
    stdio: 'ignore',
    env: PATH_ENV,
  });
  async function stop(): Promise<void> {
    await ended(child);
    rmSync(folder, { recursive: true, force: true });
  }
  for (const until = Date.now() + PATIENCE_MS; !(await answers(port)); ) {
    if (Date.now() > until || child.exitCode !== null) {
      await stop();
      throw new Error(`postgrey does not answer on port ${port} (exit code ${child.exitCode})`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { service: `inet:127.0.0.1:${port}`, stop };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
