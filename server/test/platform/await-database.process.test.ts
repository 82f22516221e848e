import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { awaitDatabase } from '../../src/platform/database/await-database.ts';
import { startCommand } from '../support/command-process.ts';

/** A way to a real database that may say what a starting one says. */
let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const open: { server: Server; sockets: Set<Socket> }[] = [];
afterEach(() => {
  for (const { server, sockets } of open.splice(0)) {
    server.close();
    for (const socket of sockets) socket.destroy();
  }
});

type Answer = 'forward' | 'starting' | 'hang up';

async function openWay(answer: () => Answer, port = 0): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const said = answer();
    sockets.add(client);
    client.on('error', () => {});
    if (said === 'hang up') return client.destroy();
    if (said === 'starting') return client.once('data', () => client.end(CANNOT_CONNECT_NOW));
    const upstream = connect(`${new URL(database.url).searchParams.get('host')}/.s.PGSQL.5432`);
    sockets.add(upstream);
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
    client.pipe(upstream).pipe(client);
  });
  open.push({ server, sockets });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as { port: number }).port;
}

/** ErrorResponse of a PostgreSQL that recovers. */
const CANNOT_CONNECT_NOW = (() => {
  const fields = 'SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0';
  const head = Buffer.from('E\0\0\0\0', 'latin1');
  head.writeUInt32BE(4 + fields.length, 1);
  return Buffer.concat([head, Buffer.from(fields, 'latin1')]);
})();

const urlAt = (port: number, name = new URL(database.url).pathname) =>
  `postgresql://${new URL(database.url).searchParams.get('user')}@127.0.0.1:${port}${name}`;

describe('a database that is starting', () => {
  test.each<[Answer, RegExp]>([
    ['starting', /the database system is starting up/],
    ['hang up', /Connection terminated|ECONNRESET/],
  ])('is waited for: %s', async (answer, reason) => {
    let asked = 0;
    const port = await openWay(() => (++asked <= 3 ? answer : 'forward'));
    const told: string[] = [];
    await awaitDatabase(urlAt(port), { waitMs: 30_000, onWaiting: (why) => told.push(why) });
    // Once every few seconds, not at every try.
    expect([asked, told]).toEqual([4, [expect.stringMatching(reason)]]);
  });

  test('is waited for while nothing listens there yet, or its name or socket is not there', async () => {
    const port = await openWay(() => 'forward');
    open[0]!.server.close();
    await once(open.splice(0)[0]!.server, 'close');
    const told: string[] = [];
    let listening: Promise<unknown> | null = null;
    const onWaiting = (why: string) => {
      told.push(why);
      listening = openWay(() => 'forward', port);
    };
    await awaitDatabase(urlAt(port), { waitMs: 30_000, onWaiting });
    await listening;
    expect(told).toEqual([expect.stringMatching(/ECONNREFUSED/)]);
    for (const url of [`postgresql://${'long'.repeat(20)}.test/x`, 'postgresql:///x?host=/nonexistent'])
      await expect(awaitDatabase(url, { waitMs: 0, onWaiting: () => {} })).rejects.toThrow(
        /could not be reached within 0 s: .*(ENOTFOUND|EAI_AGAIN|ENOENT)/,
      );
  });

  test('is given up after the wait, and when a stop is asked for', async () => {
    const port = await openWay(() => 'starting');
    const waiting = { waitMs: 100, onWaiting: () => {} };
    await expect(awaitDatabase(urlAt(port), waiting)).rejects.toThrow(
      /could not be reached within 0.1 s: the database system is starting up/,
    );
    const stop = new AbortController();
    const stopped = awaitDatabase(urlAt(port), {
      waitMs: 60_000,
      onWaiting: () => stop.abort('stop'),
      signal: stop.signal,
    });
    await expect(stopped).rejects.toBe('stop');
  });

  test('is not what a wrong name, login or file is: that is told at once', async () => {
    const port = await openWay(() => 'forward');
    const told: string[] = [];
    const waiting = { waitMs: 60_000, onWaiting: (why: string) => told.push(why) };
    await expect(awaitDatabase(urlAt(port, '/none'), waiting)).rejects.toMatchObject({ code: '3D000' });
    await expect(awaitDatabase(`postgresql://nobody@127.0.0.1:${port}/x`, waiting)).rejects.toMatchObject({
      code: expect.stringMatching(/^(28|3D)000$/),
    });
    await expect(
      awaitDatabase(`${urlAt(port)}?sslmode=verify-full&sslrootcert=/nonexistent`, waiting),
    ).rejects.toMatchObject({ code: 'ENOENT' });
    expect(told).toEqual([]);
  });

  test('is said to be waited for by acuse serve, which then starts; and by commands, which exit with 3', async () => {
    let ready = false;
    const port = await openWay(() => (ready ? 'forward' : 'starting'));
    const env = {
      DATABASE_URL: urlAt(port),
      ACUSE_DATA_DIR: '/nonexistent',
      ACUSE_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    };
    const late = startCommand(['tenants', 'list', '--json'], { ...env, ACUSE_DB_WAIT: '300ms' });
    expect(await late.ended).toBe(3);
    expect(JSON.parse(late.stdout())).toMatchObject({ error: { code: 'database_unavailable' } });
    expect(late.stderr()).toMatch(/waiting for the database: the database system is starting up/);

    const stopping = startCommand(['serve', '--roles', 'api'], { ...env, ACUSE_PORT: '0' });
    await expect.poll(stopping.stderr).toMatch(/waiting for the database/);
    stopping.child.kill('SIGTERM');
    expect(await stopping.ended).toBe(0);

    const serve = startCommand(['serve', '--roles', 'sealing'], {
      ...env,
      ACUSE_PORT: '0',
      ACUSE_DELIVERY: 'direct',
      ACUSE_HOSTNAME: 'mail.acuse.test',
      ACUSE_LOG_ORIGIN: 'acuse.test/log',
    });
    await expect.poll(serve.stderr).toMatch(/waiting for the database/);
    ready = true;
    await serve.said(/Acuse/i);
    serve.child.kill('SIGTERM');
    expect(await serve.ended).toBe(0);
  });
});
