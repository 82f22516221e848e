// A PostgreSQL with one synchronous standby, from the programs that the service embeds.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './postfix-queue.mjs';
import { command, makeFolder } from './postgres-programs.mjs';

const READY_WITHIN_MS = 30_000;
const USER = 'acuse';

/** `folder` must be one that nobody can reach. */
export async function startPair(folder) {
  chmodSync(folder, 0o755);
  const [primary, standby] = ['primary', 'standby'].map((name) => join(folder, name));
  makeFolder(primary);
  const made = spawnSync(
    ...command('initdb', ['-D', primary, '-U', USER, '--auth=trust', '-E', 'UTF8', '--no-sync']),
    {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
    },
  );
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  const ports = [await freePort(), await freePort()];
  appendFileSync(
    join(primary, 'postgresql.conf'),
    [
      "listen_addresses = '127.0.0.1'",
      "unix_socket_directories = ''",
      'max_connections = 200',
      'wal_keep_size = 2GB',
      'shared_buffers = 128MB',
      'logging_collector = off\nlog_min_messages = fatal\n',
    ].join('\n'),
  );
  // Nothing has been written yet: a copy is the same cluster.
  const copied = spawnSync('cp', ['-a', primary, standby]);
  if (copied.status !== 0) throw new Error('the cluster could not be copied');
  writeFileSync(join(standby, 'standby.signal'), '');
  appendFileSync(
    join(standby, 'postgresql.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${ports[0]} user=${USER} application_name=standby'\n`,
  );
  const sync = ['-c', 'synchronous_standby_names=*', '-c', 'synchronous_commit=on'];
  const first = await startServer(primary, ports[0], sync);
  let second = await startServer(standby, ports[1], []);
  return {
    url: `postgresql://${USER}@127.0.0.1:${ports[0]}/postgres`,
    port: ports[0],
    user: USER,
    freeze: () => second.kill('SIGSTOP'),
    thaw: () => second.kill('SIGCONT'),
    async killStandby() {
      second.kill('SIGQUIT');
      await ended(second);
    },
    async startStandby() {
      second = await startServer(standby, ports[1], []);
    },
    async stop() {
      second.kill('SIGCONT');
      for (const child of [second, first]) {
        child.kill('SIGQUIT');
        await ended(child);
      }
    },
  };
}

const ended = (child) => (child.exitCode !== null || child.signalCode !== null ? null : once(child, 'exit'));

async function startServer(folder, port, options) {
  const child = spawn(...command('postgres', ['-D', folder, '-p', String(port), ...options]), {
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  for (const until = Date.now() + READY_WITHIN_MS; ; ) {
    const client = new pg.Client({ host: '127.0.0.1', port, user: USER, database: 'postgres' });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return child;
    } catch (error) {
      if (child.exitCode !== null || Date.now() > until)
        throw new Error('PostgreSQL did not start', { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
