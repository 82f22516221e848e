import { execFile } from 'node:child_process';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { emptyDatabase, type TestDatabase } from '@acuse/testkit/database';
import { eventually } from '@acuse/testkit/eventually';
import pg from 'pg';
import { afterEach, expect, inject, test } from 'vitest';
import { readMigrations } from '../../src/platform/database/migrate.ts';
import { createProcesses } from '../support/process.ts';

/**
 * An installation of each release, as scripts/releases/fill.mjs had that release's own program fill it,
 * upgraded to this version.
 */
const folder = fileURLToPath(new URL('../../../scripts/releases/', import.meta.url));
const RELEASES = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

interface Facts {
  ids: Record<string, string>;
  statuses: Record<string, string>;
  template: string;
  email: string;
  password: string;
}

const processes = createProcesses();
const databases: TestDatabase[] = [];
afterEach(async () => {
  await processes.end();
  for (const database of databases.splice(0)) await database.drop();
});

/** Its URL, and the migrations that the release had. */
async function restore(release: string): Promise<{ databaseUrl: string; had: string[] }> {
  const database = await emptyDatabase();
  databases.push(database);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(gunzipSync(readFileSync(join(folder, release, 'database.sql.gz'))).toString('utf8'));
  const { rows } = await client.query<{ name: string }>(
    'select name from public.schema_migrations order by number',
  );
  await client.end();
  return { databaseUrl: database.url, had: rows.map(({ name }) => name) };
}

/** A command of this version, on that installation; what it says as JSON. */
async function run(env: Record<string, string>, ...args: string[]) {
  const program = inject('serverProgram');
  if ('error' in program) throw new Error(program.error);
  const { stdout } = await promisify(execFile)(process.execPath, [program.path, ...args, '--json'], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
  }).catch((error) => {
    if (typeof error.stdout === 'string' && error.stdout.startsWith('{')) return error;
    throw error;
  });
  return JSON.parse(stdout);
}

test.each(RELEASES)('an installation of %s is upgraded, whole, and goes on', async (release) => {
  const facts: Facts = JSON.parse(readFileSync(join(folder, release, 'facts.json'), 'utf8'));
  const { databaseUrl, had } = await restore(release);
  const dataDir = processes.folder();
  cpSync(join(folder, release, 'data'), dataDir, { recursive: true });
  const ACUSE_MASTER_KEY = readFileSync(join(dataDir, 'master.key'), 'utf8').trim();
  const env = { DATABASE_URL: databaseUrl, ACUSE_DATA_DIR: dataDir, ACUSE_MASTER_KEY };

  const { applied } = await run(env, 'db', 'migrate');
  expect([...had, ...applied]).toStrictEqual(readMigrations().map(({ name }) => name));
  expect(await run(env, 'fsck')).toMatchObject({ problemCount: 0 });

  const service = await processes.start({ databaseUrl, dataDir, env: { ACUSE_MASTER_KEY } });
  for (const [name, id] of Object.entries(facts.ids)) {
    const { status, body } = await service.call('GET', `/v1/messages/${id}`);
    expect([name, status]).toStrictEqual([name, 200]);
    // A scheduled message is sent when its day comes, which may be over.
    if (name !== 'scheduled') expect([name, body.status]).toStrictEqual([name, facts.statuses[name]]);
  }
  const sent = await service.send({
    subject: undefined,
    text: undefined,
    certified: true,
    template_id: facts.template,
    variables: { number: 'A-2', name: 'Ana' },
  });
  expect(sent.status).toBe(201);
  await eventually(async () => {
    const { body } = await service.call('GET', `/v1/messages/${sent.body.id}/evidence`);
    return body.delivery?.some((outcome: { sealed_at: string | null }) => outcome.sealed_at !== null);
  });

  const signIn = await fetch(`${service.baseUrl}/v1/portal/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ email: facts.email, password: facts.password }),
  });
  expect(signIn.status).toBe(200);
  const { body: hooks } = await service.call('GET', '/v1/webhooks');
  expect(hooks.data.map(({ description }: { description: string }) => description).sort()).toStrictEqual([
    'refuses',
    'takes',
  ]);
  const events = await service.call('GET', `/v1/messages/${facts.ids['certified']}/events`);
  expect(events.body.data.length).toBeGreaterThan(1);

  for (const name of readdirSync(join(folder, release, 'bundles'))) {
    const bundle = join(folder, release, 'bundles', name);
    expect([name, await run({}, 'verify', bundle)]).toMatchObject([
      name,
      { valid: true, verdict: 'unproven' },
    ]);
  }
  expect(await service.stop()).toBe(0);
  expect(await run(env, 'fsck')).toMatchObject({ problemCount: 0 });
});
