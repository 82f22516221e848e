import { createServer, type Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { awaitDatabase } from '../../src/platform/database/await-database.ts';
import { type Db, openDb } from '../../src/platform/database/db.ts';
import { isUnavailable } from '../../src/platform/database/failures.ts';
import { hostUrls } from '../../src/platform/database/host-urls.ts';
import { hostsOf } from '../../src/platform/database/hosts.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { type SynchronousPair, startSynchronousPair } from '../support/synchronous-pair.ts';

/** A URL with several hosts: the primary among them is used, whichever it is. */
describe('a URL of the database', () => {
  test.each([
    ['postgresql://u:p@a/db', ['postgresql://u:p@a/db']],
    ['postgres://a,b', ['postgres://a', 'postgres://b']],
    [
      'postgresql://u:p%40x@a:5432,b:5433,[::1]:5434/db?sslmode=verify-full',
      [
        'postgresql://u:p%40x@a:5432/db?sslmode=verify-full',
        'postgresql://u:p%40x@b:5433/db?sslmode=verify-full',
        'postgresql://u:p%40x@[::1]:5434/db?sslmode=verify-full',
      ],
    ],
    ['postgresql://u:p@x@a,b/db', ['postgresql://u:p@x@a/db', 'postgresql://u:p@x@b/db']],
    ['postgresql://a,b/db?target_session_attrs=read-write', ['postgresql://a/db', 'postgresql://b/db']],
    [
      'postgresql:///db?host=%2Fone,%2Ftwo&user=u',
      ['postgresql:///db?host=%2Fone&user=u', 'postgresql:///db?host=%2Ftwo&user=u'],
    ],
    [
      'postgresql:///db?host=a,b&port=1,2',
      ['postgresql:///db?host=a&port=1', 'postgresql:///db?host=b&port=2'],
    ],
    // One host: nothing of it is written anew.
    ['postgresql://u@/db?host=/run/x y&a=%2f', ['postgresql://u@/db?host=/run/x y&a=%2f']],
    ['postgresql://a,b/db?host=c,d', undefined],
    ['postgresql:///db?host=a,b,c&port=1,2', undefined],
    ['postgresql://a/db?target_session_attrs=standby', undefined],
    ['mysql://a,b/db', undefined],
    ['', undefined],
  ])('%s', (url, urls) => {
    expect(hostUrls(url)).toEqual(urls);
  });
});

test('a connection that the system refuses, for whatever reason, means that the database is away', async () => {
  // ENOTDIR, as EMFILE for a process without descriptors: neither is in a list.
  const notAFolder = fileURLToPath(import.meta.url);
  const connectionString = `postgresql:///db?host=${encodeURIComponent(notAFolder)}&user=u`;
  const db = openDb({ connectionString, poolSize: 1, applicationName: 'test' });
  const failed = await db.query('select 1').catch((error) => error);
  expect([isUnavailable(failed), failed.message]).toEqual([true, expect.stringContaining('ENOTDIR')]);
  await db.close();
});

describe('a pair', () => {
  let pair: SynchronousPair;
  let db: Db;
  beforeAll(async () => {
    pair = await startSynchronousPair();
    db = openDb({ connectionString: pair.hosts, poolSize: 3, applicationName: 'test' });
  });
  afterAll(async () => {
    await db?.close();
    await pair?.end();
  });

  const INSERT = `insert into global_suppressions (address, reason, created_at) values ($1, 'test', now())`;
  const isStandby = (from: Pick<Db, 'query'>) =>
    from.query<{ standby: boolean }>('select pg_is_in_recovery() as standby').then(([row]) => row!.standby);

  test('is used by its primary, though the standby is named first', async () => {
    expect(await db.execute(INSERT, ['first@x.test'])).toBe(1);
    await Promise.all(Array.from({ length: 12 }, () => db.transact(isStandby)));
    expect(await isStandby(db)).toBe(false);
    expect((await migrate(pair.hosts)).applied).toEqual([]);
    await awaitDatabase(pair.hosts, { waitMs: 0, onWaiting() {} });
  });

  test('a standby alone is no database to write to, and says so', async () => {
    const alone = openDb({ connectionString: pair.standby, poolSize: 1, applicationName: 'test' });
    const refused = await alone.query('select 1').catch((error) => error);
    expect(refused.message).toMatch(/it is a standby, which takes no changes/);
    expect(isUnavailable(refused)).toBe(true);
    await alone.close();
    await expect(awaitDatabase(pair.standby, { waitMs: 300, onWaiting() {} })).rejects.toThrow(/standby/);
  });

  test('hosts that do not answer, or are no database, are passed over, and named when there is no other', async () => {
    const sockets = await silent();
    const { port } = sockets.address() as { port: number };
    const dead = `postgresql://u:secret@127.0.0.1:1,127.0.0.1:${port}/acuse`;
    const none = openDb({ connectionString: dead, poolSize: 1, applicationName: 'test' });
    const refused = await none.query('select 1').catch((error) => error);
    expect(refused.message).toMatch(
      new RegExp(`no host .* primary.*: 127\\.0\\.0\\.1:1: .*ECONNREFUSED.*; 127\\.0\\.0\\.1:${port}: `),
    );
    expect(refused.message).not.toContain('secret');
    expect(isUnavailable(refused)).toBe(true);
    await none.close();
    sockets.close();
  });

  test('after a fail-over the same connections go on, and hear notifications again', async () => {
    const heard: string[] = [];
    const unlisten = db.listen('hosts_test', (payload) => heard.push(payload));
    await eventually(async () => {
      await db.execute("select pg_notify('hosts_test', 'before')");
      return heard.includes('before') || undefined;
    });
    const waiting = awaitDatabase(pair.standby, { waitMs: 60_000, onWaiting() {} });
    await pair.killPrimary();
    const refused = await db.execute(INSERT, ['lost@x.test']).catch((error) => error);
    expect(isUnavailable(refused)).toBe(true);
    await pair.promote();
    await waiting;
    await eventually(() => db.execute(INSERT, ['second@x.test']).catch(() => null));
    const rows = await db.query<{ address: string }>(
      "select address from global_suppressions where address like '%@x.test' order by 1",
    );
    expect(rows.map(({ address }) => address)).toEqual(['first@x.test', 'second@x.test']);
    await eventually(async () => {
      await db.execute("select pg_notify('hosts_test', 'after')");
      return heard.includes('after') || undefined;
    });
    unlisten();
  });
});

describe('a primary that freezes', () => {
  let pair: SynchronousPair;
  let db: Db;
  beforeAll(async () => {
    pair = await startSynchronousPair();
    db = openDb({ connectionString: pair.hosts, poolSize: 4, applicationName: 'test' });
  });
  afterAll(async () => {
    await db?.close();
    await pair?.end();
  });

  const insert = (address: string) =>
    db.execute(`insert into global_suppressions (address, reason, created_at) values ($1, 'test', now())`, [
      address,
    ]);
  const countOf = (prefix: string) =>
    `select count(*)::int as n from global_suppressions where address like '${prefix}%'`;

  test('is left for the one that was promoted, and never taken again when it thaws unfenced', async () => {
    await insert('before@x.test');
    // Of a pair that does not wait, so that the old one could take writes.
    await pair.onPrimary("alter system set synchronous_standby_names = ''");
    await pair.onPrimary('select pg_reload_conf()');
    await eventually(async () => (await pair.onStandby(countOf('before')))[0].n === 1);
    const connections = await Promise.all(Array.from({ length: 4 }, () => db.query('select 1')));
    expect(connections).toHaveLength(4);

    pair.suspendPrimary();
    const hung = Array.from({ length: 8 }, (_, each) =>
      insert(`hung-${each}@x.test`).catch((error) => error),
    );
    await pair.promote();
    // Waiting work of the old one hears that it is away, and the new one takes further work.
    const ends = await Promise.all(hung);
    expect(ends.filter((end) => end !== 1).every(isUnavailable), String(ends)).toBe(true);
    expect(ends.filter((end) => end !== 1).length).toBeGreaterThanOrEqual(4);
    const taken = ends.filter((end) => end === 1).length;
    expect((await pair.onStandby(countOf('hung')))[0].n).toBe(taken);
    let attempts = 0;
    await eventually(() => {
      attempts++;
      return insert('first@x.test').catch(() => null);
    });
    expect(attempts).toBeLessThan(10);

    pair.resumePrimary();
    for (let each = 0; each < 60; each++) await insert(`after-${each}@x.test`);
    await eventually(async () => pair.onPrimary('select 1'));
    // Two looks at it, and new connections.
    for (let each = 0; each < 5; each++) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await Promise.all(Array.from({ length: 4 }, (_, more) => insert(`late-${each}-${more}@x.test`)));
    }
    expect((await pair.onStandby(countOf('after')))[0].n).toBe(60);
    expect((await pair.onStandby(countOf('late')))[0].n).toBe(20);
    expect((await pair.onPrimary(countOf('after')))[0].n).toBe(0);
    expect((await pair.onPrimary(countOf('late')))[0].n).toBe(0);
  });

  test('that was replaced is refused to whoever knows, and says what to do', async () => {
    const hosts = hostsOf(pair.hosts);
    expect(hosts.timeline()).toBeGreaterThan(1);
    expect(() => hosts.reached(1, 1)).toThrow(/a primary of timeline 1, which was replaced.*Stop it/);
  });
});

/** Takes connections and says nothing. */
async function silent(): Promise<Server> {
  const server = createServer((socket) => socket.on('error', () => {}));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
