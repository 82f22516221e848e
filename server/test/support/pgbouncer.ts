import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@acuse/testkit/eventually';
import { freePort } from '@acuse/testkit/free-port';

/** A real PgBouncer in transaction mode: Debian's package. */
export interface PgBouncer {
  /** Of a login, by way of it. */
  url(login: string): string;
  /** Ended at once, with all its connections, and started again on its port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const PROGRAM = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path));
/** False: say "skipped: needs pgbouncer". In CI it must be there. */
export const hasPgBouncer = PROGRAM !== undefined || process.env['CI'] === 'true';

/** It refuses root. */
const NOBODY = 65_534;
const ROOT = process.getuid?.() === 0;

/** `database`: host, port and name, as its configuration has them. */
export async function startPgBouncer(
  database: Readonly<Record<'host' | 'port' | 'dbname', string>>,
  settings: Readonly<Record<string, string>> = {},
): Promise<PgBouncer> {
  if (PROGRAM === undefined) throw new Error('pgbouncer is not installed');
  const folder = mkdtempSync(join(tmpdir(), 'acuse-pgbouncer-'));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    // Fewer than clients: sessions are shared, or nothing goes on.
    default_pool_size: '3',
    max_client_conn: '200',
    ...settings,
  };
  const ini = join(folder, 'pgbouncer.ini');
  const target = Object.entries(database).map(([name, value]) => `${name}=${value}`);
  // With auth_type any the login at PostgreSQL is said by each entry.
  const entries = ['acuse_request', 'acuse_worker', 'acuse'].map(
    (login) => `${login} = ${target.join(' ')} user=${login}`,
  );
  writeFileSync(
    ini,
    `[databases]\n${entries.join('\n')}\n[pgbouncer]\n${Object.entries(all)
      .map(([name, value]) => `${name} = ${value}`)
      .join('\n')}\n`,
  );
  if (ROOT) spawnSync('chown', ['-R', `${NOBODY}:${NOBODY}`, folder]);
  const as = ROOT ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--'] : [];
  const [command, ...args] = [...as, PROGRAM, ini];
  async function start() {
    const made = spawn(command!, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    made.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    await eventually(async () => {
      if (made.exitCode !== null) throw new Error(`pgbouncer ended: ${said}`);
      return (await listens(port)) || undefined;
    });
    return made;
  }
  let child = await start();
  return {
    url: (login) => `postgresql://${login}@127.0.0.1:${port}/${login}`,
    async restart() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      child = await start();
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGINT');
        await once(child, 'exit');
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
