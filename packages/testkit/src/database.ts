import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import './vitest-global-setup.ts';

/** A database of its own for a test file: every migration applied, no rows. */
export interface TestDatabase {
  /** For the login that owns the database; may make roles, is no superuser. */
  url: string;
  /** Ends every connection to it and removes it. */
  drop(): Promise<void>;
}

/**
 * Clones the migrated template, which takes some 20 ms. Call it in `beforeAll` and `drop` it in `afterAll`.
 */
export async function testDatabase(): Promise<TestDatabase> {
  const { template } = inject('postgresForTests');
  return createDatabase(fromTemplate(template));
}

/** A copy of a test's database with all its rows. The original must have no connections. */
export async function copyDatabase(url: string): Promise<TestDatabase> {
  return createDatabase(fromTemplate(new URL(url).pathname.slice(1)));
}

/** An empty database without any migration. */
export async function emptyDatabase(): Promise<TestDatabase> {
  return createDatabase('');
}

/** By its files: a fraction of what it costs to write each of its pages to the log as well. */
const fromTemplate = (template: string) => ` template ${template} strategy file_copy`;

async function createDatabase(from: string): Promise<TestDatabase> {
  const { url, prefix } = inject('postgresForTests');
  const name = `${prefix}_${randomBytes(6).toString('hex')}`;
  await administer(url, `create database ${name}${from}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return {
    url: own.href,
    drop: () => administer(url, `drop database if exists ${name} with (force)`),
  };
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
