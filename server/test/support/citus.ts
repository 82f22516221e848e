import { randomBytes } from 'node:crypto';
import type { TestDatabase } from '@acuse/testkit/database';
import pg from 'pg';

/** A database on the coordinator and on each worker, without a table and without Citus's extension. */
export interface CitusDatabase extends TestDatabase {
  readonly coordinator: CitusNode;
  readonly workers: readonly CitusNode[];
}

export interface CitusNode {
  readonly host: string;
  readonly port: number;
  /** Of the same database there, as the same superuser. */
  readonly url: string;
}

/**
 * Where tests on Citus make their databases: a superuser's URL of a database whose `pg_dist_node` has the
 * coordinator and its workers, each of which lets that login in as it is. Absent: they are skipped.
 */
export const CITUS_URL = process.env['ACUSE_TEST_CITUS_URL'];

/** The end of a test's name. */
export const NEEDS_CITUS = CITUS_URL === undefined ? ' (skipped: needs a cluster, ACUSE_TEST_CITUS_URL)' : '';

export async function citusDatabase(url: string): Promise<CitusDatabase> {
  return makeOnNodes(url, (client, name) => client.query(`create database ${name}`));
}

/**
 * A copy of a cluster's database with all its rows, as a restore of each node to one point makes it: what
 * Citus knows of its nodes and shards is in the database itself. Ends whatever is connected to the original.
 */
export async function copyCitusDatabase(url: string, { coordinator }: CitusDatabase): Promise<CitusDatabase> {
  const original = new URL(coordinator.url).pathname.slice(1);
  return makeOnNodes(url, async (client, name) => {
    for (const statement of [
      // Each node is told by itself.
      'set citus.enable_ddl_propagation = off',
      // Citus connects by itself, again and again: to look after the database.
      `alter database ${original} allow_connections false`,
      `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${original}'`,
      `create database ${name} template ${original}`,
      // Settings of a database are not copied with it.
      `alter database ${name} set citus.propagate_set_commands = 'local'`,
      `alter database ${original} allow_connections true`,
    ])
      await client.query(statement);
  });
}

async function makeOnNodes(
  url: string,
  make: (client: pg.Client, name: string) => Promise<unknown>,
): Promise<CitusDatabase> {
  const name = `acuse_test_${randomBytes(6).toString('hex')}`;
  const nodes = await query<{ host: string; port: number; main: boolean }>(
    url,
    'select nodename as host, nodeport as port, groupid = 0 as main from pg_dist_node order by nodeid',
  );
  const made = nodes.map(({ main, ...node }) => ({ main, ...node, server: at(url, node) }));
  for (const { server } of made) await connected(server, (client) => make(client, name));
  const [coordinator, ...workers] = made
    .sort((a, b) => Number(b.main) - Number(a.main))
    .map(({ host, port, server }) => ({ host, port, url: withName(server, name) }));
  if (coordinator === undefined || workers.length < 2)
    throw new Error('ACUSE_TEST_CITUS_URL: pg_dist_node there must have the coordinator and two workers');
  return {
    url: coordinator.url,
    coordinator,
    workers,
    async drop() {
      for (const { server } of made) await query(server, `drop database if exists ${name} with (force)`);
    },
  };
}

/** As the superuser, outside of what the service may do. */
export async function query<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return connected(url, async (client) => (await client.query<Row>(text, values)).rows);
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function at(url: string, { host, port }: { host: string; port: number }): string {
  const there = new URL(url);
  there.hostname = host;
  there.port = String(port);
  return there.href;
}

function withName(url: string, name: string): string {
  const there = new URL(url);
  there.pathname = `/${name}`;
  return there.href;
}
