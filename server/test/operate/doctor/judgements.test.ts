import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Standing } from '../../../src/evidence/log/anchor/compare.ts';
import { backupName, type Manifest, manifestText } from '../../../src/operate/backup/manifest.ts';
import { anchor, judgeStanding } from '../../../src/operate/doctor/anchor.ts';
import { judgeSealing } from '../../../src/operate/doctor/authorities.ts';
import { backups } from '../../../src/operate/doctor/backups.ts';
import { clocks, judgeDrift } from '../../../src/operate/doctor/clock.ts';
import { judgeDatabase } from '../../../src/operate/doctor/database.ts';
import type { DatabaseFacts } from '../../../src/operate/doctor/database-store.ts';
import { judgeRoom } from '../../../src/operate/doctor/disk.ts';
import { type DoctorDeps, examine, type Group } from '../../../src/operate/doctor/examine.ts';
import { ok, shownRecord } from '../../../src/operate/doctor/finding.ts';
import { journal, judgeUnusable } from '../../../src/operate/doctor/journal.ts';
import { judgeProxy } from '../../../src/operate/doctor/proxy.ts';
import { judgeQueue } from '../../../src/operate/doctor/queue.ts';
import { reverseName } from '../../../src/operate/doctor/sending-hosts.ts';
import { type Db, openDb } from '../../../src/platform/database/db.ts';

/** Conclusions of acuse doctor from facts that a test cannot make happen. */

const now = new Date('2026-11-20T12:00:00.000Z');
const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
const nothing = { domain: null, connect: null, stamp: false };

describe('groups of checks', () => {
  const deps = {} as DoctorDeps;

  test('one that never ends is broken off, one that fails is said, the others are heard', async () => {
    let broken = false;
    const onBreak = () => {
      broken = true;
    };
    const groups: Record<string, Group> = {
      slow: (_deps, _options, signal) => new Promise(() => signal.addEventListener('abort', () => onBreak())),
      failing: async () => {
        throw new Error('no such thing');
      },
      good: async () => [ok('good', 'it', 'Fine.')],
    };
    const found = await examine(groups, deps, nothing, 20);
    expect(found.map(({ check, status }) => [check, status])).toEqual([
      ['slow', 'unknown'],
      ['failing', 'unknown'],
      ['good', 'ok'],
    ]);
    expect(found[1]!.detail).toContain('no such thing');
    expect(broken).toBe(true);
  });
});

describe('clocks', () => {
  let database: TestDatabase;
  let db: Db;
  beforeAll(async () => {
    database = await testDatabase();
    db = openDb({ connectionString: database.url, poolSize: 1, applicationName: 'test' });
  });
  afterAll(async () => {
    await db.close();
    await database.drop();
  });
  const look = (offsetMs: number) => {
    const clock = { now: () => new Date(Date.now() + offsetMs), monotonicMs: () => performance.now() };
    return clocks(
      { db, clock, isClockKept: async () => false } as unknown as DoctorDeps,
      nothing,
      new AbortController().signal,
    );
  };

  test('that of this machine is wrong by minutes', async () => {
    expect(await look(-600_000)).toMatchObject([
      { check: 'clock.system', status: 'warning' },
      { check: 'clock.database', status: 'problem', detail: expect.stringContaining('ahead of') },
    ]);
    expect((await look(600_000))[1]).toMatchObject({
      status: 'problem',
      detail: expect.stringContaining('behind'),
    });
  });

  test('some seconds are a warning, less is none', () => {
    const place = ['clock.database', 'PostgreSQL'] as const;
    expect([1_900, -2_100, 61_000].map((ms) => judgeDrift(place, ms).status)).toEqual([
      'ok',
      'warning',
      'problem',
    ]);
  });
});

describe('PostgreSQL', () => {
  const sound: DatabaseFacts = {
    version: '17.5',
    fsync: 'on',
    fullPageWrites: 'on',
    synchronousCommit: 'on',
    standbyNames: 'ANY 1 (a, b)',
    walLevel: 'replica',
    archiveMode: 'on',
    checksums: 'on',
    maxConnections: 100,
    connections: 12,
    recovering: false,
    archivedAt: ago(1),
    archiveFailedAt: null,
    archiveFailedWal: null,
    standbys: 2,
  };
  const config = { databaseUrl: 'postgresql://db.example/acuse', databasePool: 10 };
  const faults = (facts: Partial<DatabaseFacts>, more: Partial<typeof config> = {}) =>
    judgeDatabase({ ...sound, ...facts }, { ...config, ...more })
      .filter(({ status }) => status !== 'ok')
      .map(({ check, status }) => `${check} ${status}`);

  test.each([
    [{}, []],
    [{ fsync: 'off' }, ['database.fsync problem']],
    [{ synchronousCommit: 'remote_apply' }, []],
    [{ synchronousCommit: 'local' }, ['database.synchronous_commit problem']],
    [{ checksums: 'off' }, ['database.checksums advice']],
    [{ archiveMode: 'off' }, ['database.archive warning']],
    [{ archivedAt: null }, ['database.archive warning']],
    [{ archiveFailedAt: ago(0), archiveFailedWal: '000000010000000000000007' }, ['database.archive problem']],
    [{ archiveFailedAt: ago(5) }, []],
    [{ standbyNames: '' }, ['database.standby advice']],
    [{ standbys: 0 }, ['database.standby problem']],
    [{ recovering: true }, ['database.standby problem']],
    [{ maxConnections: 20 }, ['database.connections warning']],
  ] satisfies [Partial<DatabaseFacts>, string[]][])('%j', (facts, found) => {
    expect(faults(facts)).toEqual(found);
  });
});

test('a disk that fills, in bytes or inodes', () => {
  const room = (freeBytes: number, freeInodes: number) =>
    judgeRoom('/data', { freeBytes, totalBytes: 100e9, freeInodes, totalInodes: 1_000 }).status;
  expect([room(50e9, 900), room(9e9, 900), room(50e9, 90), room(2e9, 900)]).toEqual([
    'ok',
    'warning',
    'warning',
    'problem',
  ]);
  // A file system that counts none.
  expect(
    judgeRoom('/data', { freeBytes: 5e10, totalBytes: 1e11, freeInodes: 0, totalInodes: 0 }).status,
  ).toBe('ok');
});

test('a queue that nobody takes from, and one that is too long', () => {
  const judged = (due: number, held: number, minutes: number) =>
    judgeQueue(
      { key: '', due, held, waiting: 3, capped: 0, oldest_at: ago(minutes), next_at: ago(minutes) },
      now,
    );
  expect(judgeQueue(null, now).status).toBe('ok');
  const all = [judged(5, 0, 1), judged(5, 0, 30), judged(5, 2, 30), judged(0, 2, 30)];
  expect(all.map(({ status }) => status)).toEqual(['ok', 'problem', 'warning', 'ok']);
  expect(judged(9_999, 0, 1).detail).not.toContain('There may be more.');
  expect(judged(10_000, 0, 1).detail).toContain('There may be more.');
});

test('sealing that stands still, an authority that fails, a chain that ends, a constancia that ended', () => {
  const log = {
    origin: 'o',
    publicKey: new Uint8Array(32),
    mldsa44PublicKey: null,
    mldsa44From: null,
    leaves: 9,
    endedAt: null,
    stop: null,
    pendingLeaves: 0,
    unsealedLeaves: 0,
    unstamped: 1,
    attempts: 1,
    nextAttemptAt: null,
  };
  const authority = {
    name: 'psc',
    failures: 0,
    pausedUntil: null,
    lastError: null,
    failedAt: null,
    sealedAt: ago(1),
    chainNotAfter: now,
  };
  const cover = { constancias: 1, renewals: 0, firstEnd: null, due: 0, putOff: 0, lapsed: 0 };
  const found = judgeSealing(
    {
      month: '2026-11',
      costs: [],
      logs: [
        { ...log, oldestUnstampedAt: ago(1), lastError: null },
        { ...log, oldestUnstampedAt: ago(60), lastError: 'psc: 503' },
      ],
      authorities: [
        { ...authority, endsSoon: false },
        { ...authority, endsSoon: true },
        { ...authority, endsSoon: false, failures: 7, pausedUntil: now, lastError: '503' },
      ],
      cover: { ...cover, due: 2, lapsed: 1 },
    },
    now,
  );
  expect(found.map(({ status }) => status)).toEqual(['ok', 'problem', 'ok', 'warning', 'problem', 'problem']);
  expect(found[1]!.detail).toContain('psc: 503');
});

test('records as a zone file has them', () => {
  expect(reverseName('2001:db8::1')).toBe(`1${'.0'.repeat(23)}.8.b.d.0.1.0.0.2.ip6.arpa`);
  expect(shownRecord({ name: 'a.test', type: 'CNAME', value: 'b.test' })).toBe('a.test. CNAME b.test.');
  const long = shownRecord({ name: 'k.test', type: 'TXT', value: 'x'.repeat(300) });
  expect(long).toBe(`k.test. TXT "${'x'.repeat(255)}" "${'x'.repeat(45)}"`);
});

test('a log that is what was published, and one that is not', () => {
  const said = (standing: Standing) => judgeStanding('a.test/log', '/mnt/anchor', standing);
  expect(said({ kind: 'same', size: 3, databaseSize: 3 })).toMatchObject({ status: 'ok', fix: null });
  expect(said({ kind: 'new', databaseSize: 0 })).toMatchObject({ status: 'ok' });
  expect(said({ kind: 'behind', size: 9, databaseSize: 3 })).toMatchObject({
    status: 'problem',
    detail: expect.stringContaining('it lacks 6'),
    fix: expect.stringContaining('later point'),
  });
  for (const kind of ['unanchored', 'fork'] as const)
    expect(said({ kind, reason: 'x', databaseSize: 3 } as Standing)).toMatchObject({ status: 'problem' });
});

test('an anchor that is missing, or cannot be reached', async () => {
  const look = (config: object, db: unknown = null) =>
    anchor({ config, db } as never, {} as never, new AbortController().signal);
  expect(await look({ logAnchor: null, delivery: 'sandbox' })).toEqual([]);
  expect(await look({ logAnchor: null, delivery: 'direct' })).toMatchObject([
    { status: 'warning', about: 'ACUSE_LOG_ANCHOR' },
  ]);
  const db = { query: async () => [{ logId: 'x', origin: 'a.test/log' }] };
  expect(await look({ logAnchor: '/not/mounted', delivery: 'direct' }, db)).toMatchObject([
    { status: 'problem', about: '/not/mounted', fix: expect.stringContaining('mount') },
  ]);
});

test('backups: none configured, none there, one of last night, one too old', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'acuse-backups-'));
  const look = (more: object) =>
    backups(
      {
        config: { delivery: 'direct', databaseUrl: null, backupFolder: null, dataDir: '/proc', ...more },
        db: null,
        clock: { now: () => now },
      } as unknown as DoctorDeps,
      nothing,
      new AbortController().signal,
    );
  const make = (daysAgo: number, file = 'manifest.json') => {
    const at = ago(daysAgo * 24 * 60);
    const one = join(folder, backupName(at));
    mkdirSync(one);
    const facts = { format: 1, complete_until: at.toISOString(), installation: null, folders: [], files: [] };
    writeFileSync(join(one, file), manifestText(facts as unknown as Manifest));
  };
  try {
    expect(await look({ delivery: 'sandbox' })).toEqual([]);
    expect(await look({ databaseUrl: 'postgresql://a/b' })).toEqual([]);
    expect(await look({})).toMatchObject([{ status: 'warning', about: 'ACUSE_BACKUP_FOLDER' }]);
    expect(await look({ backupFolder: join(folder, 'away') })).toMatchObject([
      { check: 'backup', status: 'problem', detail: expect.stringContaining('no such file') },
    ]);
    make(0.5, 'not-whole.json');
    expect(await look({ backupFolder: folder })).toMatchObject([
      { status: 'problem', detail: expect.stringContaining('no complete backup') },
    ]);
    make(2.1);
    expect(await look({ backupFolder: folder })).toMatchObject([
      { status: 'problem', detail: expect.stringContaining('2.1 days ago') },
    ]);
    make(1.9);
    expect(await look({ backupFolder: folder })).toMatchObject([{ status: 'ok' }]);
    expect(await look({ backupFolder: folder, dataDir: folder })).toMatchObject([
      { status: 'ok' },
      { status: 'warning', detail: expect.stringContaining('same disk') },
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a proxy that is not named, for certain or likely, one that is, and none', () => {
  const judged = (host: string, trustProxy: string[] | null, publicUrl = 'https://mail.example.com') =>
    judgeProxy({ roles: ['api'], host, publicUrl, trustProxy, delivery: 'direct' })[0]!;
  expect(judged('127.0.0.1', null)).toMatchObject({ status: 'problem', about: 'ACUSE_TRUST_PROXY' });
  expect(judged('0.0.0.0', null)).toMatchObject({
    status: 'warning',
    fix: expect.stringContaining('X-Forwarded-For'),
  });
  expect(judged('0.0.0.0', ['10.0.0.0/8'])).toMatchObject({
    status: 'ok',
    detail: expect.stringContaining('10.0.0.0/8'),
  });
  expect(judged('127.0.0.1', null, 'http://localhost:8025')).toMatchObject({ status: 'ok' });
});

test('a journal that is missing, cannot be used, or is lost together with the database', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'acuse-journal-'));
  try {
    const look = (config: object) =>
      journal(
        { config: { databaseUrl: null, dataDir: folder, delivery: 'direct', ...config }, db: null } as never,
        {} as never,
        new AbortController().signal,
      );
    expect(await look({ journal: null, delivery: 'sandbox' })).toEqual([]);
    expect(await look({ journal: null })).toMatchObject([{ status: 'advice', about: 'ACUSE_JOURNAL' }]);
    expect(await look({ journal: folder, databaseUrl: 'postgresql://a/b' })).toMatchObject([
      { status: 'ok', about: folder },
    ]);
    expect(await look({ journal: folder })).toMatchObject([
      { status: 'advice', detail: expect.stringContaining('same disk') },
    ]);
    expect(await look({ journal: join(folder, 'away') })).toMatchObject([
      { status: 'problem', fix: expect.stringContaining(`mkdir ${folder}/away`) },
    ]);
    writeFileSync(join(folder, 'file'), '');
    expect(await look({ journal: join(folder, 'file') })).toMatchObject([
      { status: 'problem', detail: 'It is not a folder.' },
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
  for (const code of ['EACCES', 'EROFS'])
    expect(judgeUnusable('/mnt/journal', code)).toMatchObject({
      status: 'problem',
      fix: expect.stringContaining('chown -R acuse /mnt/journal'),
    });
  expect(judgeUnusable('/mnt/journal', 'EIO')).toMatchObject({ detail: expect.stringContaining('EIO') });
});
