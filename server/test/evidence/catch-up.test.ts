import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyDatabase, testDatabase } from '@acuse/testkit/database';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fsck } from '../../src/evidence/fsck/fsck.ts';
import type { Anchor } from '../../src/evidence/log/anchor/anchor.ts';
import { openAnchorFolder } from '../../src/evidence/log/anchor/anchor-folder.ts';
import { compareWithAnchor, type HeldLog } from '../../src/evidence/log/anchor/compare.ts';
import { openLog } from '../../src/evidence/log/log-key.ts';
import { catchUp } from '../../src/evidence/log/mirror/catch-up.ts';
import type { Mirror } from '../../src/evidence/log/mirror/mirror.ts';
import { openMirrorFolder } from '../../src/evidence/log/mirror/mirror-folder.ts';
import { createMirroring } from '../../src/evidence/log/mirror/mirroring.ts';
import { MirrorWrong } from '../../src/evidence/log/mirror/read-mirror.ts';
import { sequenceBatch } from '../../src/evidence/log/sequence.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createSteps } from './crash-points.ts';
import { type Outside, openOutside } from './outside.ts';
import {
  addLeaves,
  addTenant,
  InjectedCrash,
  ORIGIN,
  openTestDb,
  openWorld,
  secrets,
  type World,
} from './support.ts';

/** A restored database gets the leaves that it lacks from the mirror, and its log has one history. */

let folder: string;
let anchor: Anchor;
let mirror: Mirror;
/** The database that was lost, and the copy that is left of it. */
let lost: World;
let left: World;
let log: HeldLog;
let outside: Outside;
let dropLater: (() => Promise<void>)[];
/** Of accepted leaves that the backup has, and had no place yet. */
let waiting: Buffer[];

const batch = (world: World, own: Mirror = mirror) =>
  sequenceBatch({ ...world, anchor, mirror: createMirroring(world.db, own) }, world.log);
const run = (deps: { db: World['db'] } = left, own: Mirror = mirror) =>
  anchor.read(log.origin).then((note) => catchUp({ ...left, ...deps }, own, log, note!));
const standing = async () => (await compareWithAnchor(left.db, anchor, log)).standing;

/** The world, opened again, and a copy of it: a database is copied while nobody uses it. */
async function split(of: World): Promise<[World, World]> {
  await of.db.close();
  const copied = await copyDatabase(of.url);
  dropLater.push(copied.drop);
  return [await reopen(of, of.url), await reopen(of, copied.url)];
}

async function reopen(of: World, url: string): Promise<World> {
  const db = openTestDb(url);
  const opened = { db, url, clock: of.clock, secrets, archived: of.archived };
  return { ...opened, log: await openLog(opened, ORIGIN), close: () => db.close() };
}

/** Of every table that a catch-up writes. */
async function everything(): Promise<unknown> {
  const { db } = left;
  return {
    logs: await db.query('select tree_size, published_size from logs'),
    leaves: await db.query('select leaf_index, canonical_hash from leaves order by 1'),
    lost: await db.query('select * from lost_leaves order by leaf_index'),
    tiles: await db.query('select level, tile_index, hashes from log_tiles order by 1, 2'),
    checkpoints: await db.query('select tree_size, note from checkpoints order by 1'),
    pending: await db.query('select leaf_id from pending_leaves order by 1'),
    stamps: await db.query('select tree_size from stamp_queue order by 1'),
  };
}
const tampered = async () =>
  (await fsck({ db: left.db, anchor })).problems.filter(({ check }) => TREE.includes(check));
/** A message, which leaves of any hash do not have. */
const TREE = [
  'anchor',
  'tree_size',
  'leaf_index',
  'leaf_missing',
  'batch',
  'tile',
  'root',
  'checkpoint',
  'stamp',
];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'acuse-catch-up-'));
  for (const name of ['anchor', 'mirror']) mkdirSync(join(folder, name));
  anchor = openAnchorFolder(join(folder, 'anchor'));
  mirror = openMirrorFolder(join(folder, 'mirror'));
  const database = await testDatabase();
  dropLater = [database.drop];
  lost = await openWorld(systemClock, Promise.resolve(database));
  log = { ...lost.log, publicKey: lost.log.key.publicKey };
  const tenantId = await addTenant(lost.db);
  for (const count of [3, 100]) {
    await addLeaves(lost.db, lost.log, tenantId, count);
    await batch(lost);
  }
  waiting = await addLeaves(lost.db, lost.log, tenantId, 7);
  [lost, left] = await split(lost);
  outside = await openOutside(lost);
  for (const count of [0, 170, 5, 300]) {
    await addLeaves(lost.db, lost.log, tenantId, count);
    await batch(lost);
    if (count === 170) expect((await outside.look()).alerts).toEqual([]);
  }
});
afterEach(async () => {
  await outside.close();
  await lost.close();
  await left.close();
  for (const drop of dropLater) await drop();
  rmSync(folder, { recursive: true, force: true });
});

describe('a database that is behind', () => {
  it('gets every leaf and checkpoint, places what waited, and goes on as one history', async () => {
    expect(await standing()).toMatchObject({ kind: 'behind', size: 585, databaseSize: 103 });
    expect(await run()).toEqual({ from: 103, to: 585, lost: 475, placed: 7 });
    expect(await standing()).toMatchObject({ kind: 'same', size: 585 });
    expect(await tampered()).toEqual([]);
    // The leaves that waited have the place that they had, and none has two.
    const own = await lost.db.query(
      'select leaf_index, canonical_hash, tree_size from leaves where canonical_hash = any($1) order by 1',
      [waiting],
    );
    expect(own).toHaveLength(7);
    expect(
      await left.db.query(
        'select leaf_index, canonical_hash, tree_size from leaves where leaf_index >= 103 order by 1',
      ),
    ).toEqual(own);
    const notes =
      'select tree_size, previous_tree_size, batch_id, root_hash, note from checkpoints order by 1';
    expect(await left.db.query(notes)).toEqual(await lost.db.query(notes));
    expect(await left.db.query('select * from pending_leaves')).toEqual([]);
    // Whoever watched the log that was lost goes on with this one.
    const after = await openOutside(left);
    await addLeaves(left.db, left.log, await addTenant(left.db), 4);
    await batch(left);
    expect(await standing()).toMatchObject({ kind: 'same', size: 589 });
    expect(await tampered()).toEqual([]);
    expect((await after.look()).alerts).toEqual([]);
    await after.close();
  });

  it('caught up twice, or up to date, is not changed', async () => {
    await run();
    const before = await everything();
    expect((await standing()).kind).toBe('same');
    const again = await Promise.allSettled([run(), run()]);
    for (const each of again) expect(each.status === 'fulfilled' ? each.value : null).toBeNull();
    expect(await everything()).toEqual(before);
  });

  it('by several at once is written once', async () => {
    const other = openTestDb(left.url);
    try {
      const done = await Promise.all([run(), run({ db: other }), run(), run({ db: other })]);
      expect(done.filter((each) => each !== null && each.from === 103)).toHaveLength(1);
      expect(done.filter((each) => each === null || each.from === 103)).toHaveLength(4);
    } finally {
      await other.close();
    }
    expect(await standing()).toMatchObject({ kind: 'same' });
    expect(await tampered()).toEqual([]);
  });

  it('is as it was after a death at any step, and caught up by the next', async () => {
    const watched = createSteps();
    const [own, dry] = await split(left);
    left = own;
    await run({ db: watched.db(dry.db) });
    await dry.close();
    const names = [...new Set(watched.taken)];
    expect(names.length).toBeGreaterThan(8);
    const before = await everything();
    for (const step of names)
      for (const when of ['before', 'after'] as const) {
        // After its commit it is done, whoever heard of it.
        if (step === 'commit' && when === 'after') continue;
        const dying = createSteps({ step, when });
        await expect(run({ db: dying.db(left.db) }), `${when} ${step}`).rejects.toThrow(InjectedCrash);
        expect(await everything(), `${when} ${step}`).toEqual(before);
      }
    const dying = createSteps({ step: 'commit', when: 'after' });
    await expect(run({ db: dying.db(left.db) })).rejects.toThrow(InjectedCrash);
    expect(await standing()).toMatchObject({ kind: 'same', size: 585 });
    expect(await tampered()).toEqual([]);
  });

  it('is not changed by a mirror that lacks something, was changed, or changes while it is read', async () => {
    const before = await everything();
    const place = join(folder, 'mirror');
    const own = join(place, encodeURIComponent(log.origin), '000000000');
    const names = readdirSync(own).sort();
    cpSync(place, join(folder, 'whole'), { recursive: true });
    for (const name of names) {
      const file = join(own, name);
      const whole = readFileSync(file, 'utf8');
      rmSync(file);
      await expect(run(), `without ${name}`).rejects.toMatchObject({ kind: 'lacks' });
      for (const hostile of ['', whole.slice(0, -100), whole.replace('"version":1', '"version":9')]) {
        writeFileSync(file, hostile);
        await expect(run(), name).rejects.toMatchObject({ kind: 'lacks' });
      }
      const read = JSON.parse(whole);
      // The last leaf, which no part of the database can know.
      const entries = Buffer.from(read.entries, 'base64');
      entries[entries.length - 1]! ^= 1;
      writeFileSync(file, JSON.stringify({ ...read, entries: entries.toString('base64') }));
      await expect(run(), name).rejects.toMatchObject({ kind: 'contradicts' });
      writeFileSync(file, JSON.stringify({ ...read, checkpoints: read.checkpoints.slice(0, -1) }));
      await expect(run(), name).rejects.toMatchObject({ kind: 'contradicts' });
      writeFileSync(file, whole);
    }
    let reads = 0;
    const changing: Mirror = {
      ...mirror,
      // Whole when it is verified, and another when it is written.
      read: async (...given) => {
        const block = await mirror.read(...given);
        if (block === null || ++reads <= names.length) return block;
        return { ...block, entries: new Uint8Array(block.entries).fill(7) };
      },
    };
    await expect(run(left, changing)).rejects.toThrow(MirrorWrong);
    expect(reads).toBeGreaterThan(names.length);
    expect(await everything()).toEqual(before);
    expect(await run()).toMatchObject({ from: 103, to: 585 });
  });

  it('with leaves that are not those that were published is told so, and not changed', async () => {
    await left.db.execute(
      "update log_tiles set hashes = sha256('x') || substring(hashes from 33) where level = 0 and tile_index = 0",
    );
    const before = await everything();
    await expect(run()).rejects.toThrow(/database are not those that were published/);
    expect(await everything()).toEqual(before);
  });

  it('without any leaf is filled from the first', async () => {
    const { db } = left;
    for (const table of ['stamp_queue', 'checkpoints', 'leaves', 'log_tiles'])
      await db.execute(`delete from ${table}`);
    await db.execute('update logs set tree_size = 0, published_size = 0');
    expect(await run()).toEqual({ from: 0, to: 585, lost: 578, placed: 7 });
    expect(await tampered()).toEqual([]);
  });
});
