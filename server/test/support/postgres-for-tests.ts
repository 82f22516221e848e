import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded-postgres.ts';
import { migrate } from '../../src/platform/database/migrate.ts';

/**
 * A program of its own: one PostgreSQL for a run of the tests, with a database that has every migration, to
 * be cloned. Prints `{url, template, prefix}` as a line of JSON and ends, removing what it made, when its
 * standard input does: the end of whoever started it, even by kill -9, is the end of it too. Argument: the
 * URL of a PostgreSQL to use in place of an embedded one.
 */
const given = process.argv[2];
const prefix = `acuse_test_${randomBytes(4).toString('hex')}`;
const template = `${prefix}_template`;
const quiet = { info: () => {}, error: (fields: object, message: string) => console.error(message, fields) };

async function startServer(): Promise<{ url: string; stop(): Promise<void> }> {
  if (given !== undefined) return { url: given, stop: async () => {} };
  const dataDir = mkdtempSync(join(tmpdir(), 'acuse-postgres-'));
  // Nothing here outlives the run, so that it need not outlive a power cut; crashes of processes are as
  // survivable as with fsync.
  const settings = {
    fsync: 'off',
    full_page_writes: 'off',
    autovacuum: 'off',
    max_connections: '400',
    wal_level: 'minimal',
    max_wal_senders: '0',
  };
  const server = await startEmbeddedPostgres({
    dataDir,
    command: 'tests',
    kind: 'service',
    log: quiet,
    settings,
  });
  return {
    url: server.url,
    async stop() {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function administer(url: string, statements: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await statements(client);
  } finally {
    await client.end();
  }
}

async function dropAll(url: string): Promise<void> {
  await administer(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      'select quote_ident(datname) name from pg_database where starts_with(datname, $1)',
      [prefix],
    );
    for (const { name } of rows) await client.query(`drop database ${name} with (force)`);
  });
}

const ended = new Promise<void>((resolve) => {
  process.stdin.on('end', resolve).on('close', resolve).resume();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => resolve());
});

const server = await startServer();
try {
  const templateUrl = new URL(server.url);
  templateUrl.pathname = `/${template}`;
  await administer(server.url, (client) => client.query(`create database ${template}`));
  await migrate(templateUrl.href);
  console.log(JSON.stringify({ url: server.url, template, prefix }));
  await ended;
} finally {
  if (given !== undefined) await dropAll(server.url);
  await server.stop();
}
process.exit(0);
