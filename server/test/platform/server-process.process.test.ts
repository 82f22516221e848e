import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { type ServerProcess, startServer } from '@acuse/testkit/server-process';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

/** A stop that was asked for ends within this (ms), whatever was going on. */
const STOP_LIMIT_MS = 30_000;

let folder: string;
let databases: TestDatabase[] = [];
let servers: ServerProcess[] = [];

beforeEach(() => {
  folder = tempFolder();
});

afterEach(async () => {
  await Promise.all(servers.map((server) => server.end('SIGKILL')));
  await Promise.all(databases.map((database) => database.drop()));
  servers = [];
  databases = [];
});

async function serve(databaseUrl: string | null, dataDir = folder): Promise<ServerProcess> {
  const server = await startServer({ databaseUrl, dataDir });
  servers.push(server);
  return server;
}

async function database(): Promise<string> {
  const made = await testDatabase();
  databases.push(made);
  return made.url;
}

function send(server: ServerProcess, key: string): Promise<Response> {
  return fetch(`${server.baseUrl}/v1/messages`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${server.sandbox!['api_key']}`,
      'idempotency-key': key,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      from: 'a@sandbox.test',
      to: 'delivered@sandbox.test',
      subject: 'Hello',
      text: 'Hello.',
    }),
  });
}

describe('a server process', () => {
  test('without DATABASE_URL runs its own PostgreSQL, accepts a message, and keeps it over SIGTERM and kill -9', async () => {
    const first = await serve(null);
    const created = (await (await send(first, 'one')).json()) as { id: string };
    expect(await first.end('SIGTERM')).toBe(0);
    const second = await serve(null);
    expect(((await (await send(second, 'one')).json()) as { id: string }).id).toBe(created.id);
    await second.end('SIGKILL');
    const third = await serve(null);
    expect(((await (await send(third, 'one')).json()) as { id: string }).id).toBe(created.id);
  });

  test('SIGTERM ends it cleanly and in time', async () => {
    const server = await serve(await database());
    expect((await fetch(`${server.baseUrl}/readyz`)).status).toBe(200);
    const before = performance.now();
    expect(await server.end('SIGTERM')).toBe(0);
    expect(performance.now() - before).toBeLessThan(STOP_LIMIT_MS);
  });

  test('two on one database at once both serve, and agree on an idempotency key', async () => {
    const url = await database();
    const [one, two] = await Promise.all([serve(url), serve(url)]);
    const answers = await Promise.all([
      send(one, 'same'),
      send(two, 'same'),
      send(one, 'same'),
      send(two, 'same'),
    ]);
    const ids = await Promise.all(
      answers.map(async (answer) => ((await answer.json()) as { id: string }).id),
    );
    expect(new Set(ids).size).toBe(1);
    expect(existsSync(join(folder, 'master.key'))).toBe(true);
  });
});
