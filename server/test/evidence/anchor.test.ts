import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fsck } from '../../src/evidence/fsck/fsck.ts';
import { type Anchor, AnchorUnreachable } from '../../src/evidence/log/anchor/anchor.ts';
import { openAnchorFolder } from '../../src/evidence/log/anchor/anchor-folder.ts';
import { compareWithAnchor } from '../../src/evidence/log/anchor/compare.ts';
import { AnchorContradicts } from '../../src/evidence/log/anchor/publish.ts';
import { findLogsToSequence, findNewestNote } from '../../src/evidence/log/log-store.ts';
import { emptyCheckpoint } from '../../src/evidence/log/published.ts';
import { sequenceBatch } from '../../src/evidence/log/sequence.ts';
import { findContradiction } from '../../src/evidence/log/stop.ts';
import type { Db } from '../../src/platform/database/db.ts';
import { type CrashPoint, createSteps } from './crash-points.ts';
import { type Outside, openOutside } from './outside.ts';
import { sealingRole } from './seal-all.ts';
import { addLeaves, addTenant, InjectedCrash, openWorld, type World } from './support.ts';

/** A published checkpoint is in the anchor first, and a database that does not continue it signs nothing. */

let folder: string;
let anchor: Anchor;
let world: World;
let tenantId: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'acuse-anchor-'));
  anchor = openAnchorFolder(folder);
  world = await openWorld();
  tenantId = await addTenant(world.db);
});
afterEach(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

const sizeOf = (note: string | null | undefined) =>
  note == null ? 0 : openCheckpoint(note, [world.log.key]).checkpoint.size;
const anchored = async () => sizeOf(await anchor.read(world.log.origin));
const published = async () => (await findNewestNote(world.db, world.log.logId))?.treeSize ?? 0;
const stamps = async () =>
  (await world.db.query<{ size: number }>('select tree_size as size from stamp_queue order by 1')).map(
    ({ size }) => size,
  );
const held = async () =>
  (await compareWithAnchor(world.db, anchor, { ...world.log, publicKey: world.log.key.publicKey })).standing;
const batch = (deps: Partial<Parameters<typeof sequenceBatch>[0]> = {}) =>
  sequenceBatch({ ...world, anchor, ...deps }, world.log);

describe('an anchor folder', () => {
  const origin = 'a.test/log';

  it('keeps the newest note of each log, and few old ones', async () => {
    expect(await anchor.read(origin)).toBeNull();
    let before: string | null = null;
    for (let each = 1; each <= 10; each++) {
      const next = `note ${each}\n`;
      expect(await anchor.swap(origin, before, next)).toBe(true);
      expect(await anchor.read(origin)).toBe(next);
      before = next;
    }
    expect(await anchor.read('b.test/log')).toBeNull();
    expect(await anchor.swap('b.test/log', null, 'other\n')).toBe(true);
    expect(await anchor.read(origin)).toBe('note 10\n');
    expect(readdirSync(join(folder, encodeURIComponent(origin)))).toHaveLength(3);
  });

  it('lets one of many swaps from the same note win, whatever process they come from', async () => {
    let before = null as string | null;
    for (let round = 0; round < 20; round++) {
      const notes = Array.from({ length: 8 }, (_, each) => `round ${round}, ${each}\n`);
      const from = before;
      const won = await Promise.all(notes.map((note) => openAnchorFolder(folder).swap(origin, from, note)));
      expect(won.filter(Boolean)).toHaveLength(1);
      before = notes[won.indexOf(true)]!;
      expect(await anchor.read(origin)).toBe(before);
    }
  });

  it('refuses a swap from a note that is not the newest', async () => {
    await anchor.swap(origin, null, 'one\n');
    await anchor.swap(origin, 'one\n', 'two\n');
    expect(await anchor.swap(origin, null, 'three\n')).toBe(false);
    expect(await anchor.swap(origin, 'one\n', 'three\n')).toBe(false);
    expect(await anchor.read(origin)).toBe('two\n');
  });

  it('is never mistaken for an empty one where it cannot be read', async () => {
    await anchor.swap(origin, null, 'one\n');
    const away = `${folder}.away`;
    renameSync(folder, away);
    await expect(anchor.read(origin)).rejects.toThrow(AnchorUnreachable);
    await expect(anchor.swap(origin, 'one\n', 'two\n')).rejects.toThrow(AnchorUnreachable);
    writeFileSync(folder, 'a file');
    await expect(anchor.read(origin)).rejects.toThrow(AnchorUnreachable);
    rmSync(folder);
    renameSync(away, folder);
    expect(await anchor.read(origin)).toBe('one\n');
  });

  it('ignores drafts of a writer that died, and what others put there', async () => {
    await anchor.swap(origin, null, 'one\n');
    const own = join(folder, encodeURIComponent(origin));
    writeFileSync(join(own, '0011223344556677.draft'), 'half');
    writeFileSync(join(own, '9.checkpoint'), 'another');
    mkdirSync(join(own, 'folder'));
    expect(await anchor.read(origin)).toBe('one\n');
    expect(await anchor.swap(origin, 'one\n', 'two\n')).toBe(true);
  });

  it('refuses what is too large for a note', async () => {
    mkdirSync(join(folder, encodeURIComponent(origin)));
    writeFileSync(join(folder, encodeURIComponent(origin), '000000000000001.checkpoint'), 'x'.repeat(70_000));
    await expect(anchor.read(origin)).rejects.toThrow(AnchorUnreachable);
  });
});

describe('a batch', () => {
  it('is in the anchor before it is shown, stamped or cosigned', async () => {
    await addLeaves(world.db, world.log, tenantId, 3);
    let seen: unknown;
    const watched: Anchor = {
      ...anchor,
      async swap(...given) {
        seen = { published: await published(), stamps: await stamps() };
        return anchor.swap(...given);
      },
    };
    expect(await batch({ anchor: watched })).toMatchObject({ treeSize: 3 });
    expect(seen).toEqual({ published: 0, stamps: [] });
    expect([await anchored(), await published(), await stamps()]).toEqual([3, 3, [3]]);
    expect(await held()).toMatchObject({ kind: 'same', size: 3 });
    expect((await fsck({ db: world.db, anchor })).problems.map(({ check }) => check)).not.toContain('anchor');
  });

  it('waits unsigned while the anchor cannot be reached', async () => {
    await addLeaves(world.db, world.log, tenantId, 2);
    const away = openAnchorFolder(join(folder, 'not', 'mounted'));
    await expect(batch({ anchor: away })).rejects.toThrow(AnchorUnreachable);
    expect([await anchored(), await published()]).toEqual([0, 0]);
    expect(await batch()).toMatchObject({ treeSize: 2 });
  });

  it('is stored and not shown when the anchor goes away in the middle, and shown later', async () => {
    await addLeaves(world.db, world.log, tenantId, 2);
    const lost: Anchor = {
      ...anchor,
      swap: (origin, before, next) =>
        before === null
          ? anchor.swap(origin, before, next)
          : Promise.reject(new AnchorUnreachable(folder, new Error('away'))),
    };
    await expect(batch({ anchor: lost })).rejects.toThrow(AnchorUnreachable);
    expect([await anchored(), await published(), await stamps()]).toEqual([0, 0, []]);
    expect(await batch()).toEqual({ kind: 'nothing_pending' });
    expect([await anchored(), await published(), await stamps()]).toEqual([2, 2, [2]]);
  });

  it('that was not shown is shown by the sealing role though no leaf comes after it', async () => {
    await addLeaves(world.db, world.log, tenantId, 2);
    const lost: Anchor = {
      ...anchor,
      swap: (origin, before, next) =>
        before === null
          ? anchor.swap(origin, before, next)
          : Promise.reject(new AnchorUnreachable(folder, new Error('away'))),
    };
    await expect(batch({ anchor: lost })).rejects.toThrow(AnchorUnreachable);
    const now = new Date(Date.now() + 60_000);
    expect(await findLogsToSequence(world.db, now, now)).toEqual([world.log.logId]);
    await sealingRole(world, [], { anchor }).sealNow();
    expect([await anchored(), await published(), await stamps()]).toEqual([2, 2, [2]]);
    expect(await findLogsToSequence(world.db, now, now)).toEqual([]);
  });

  it('that was not shown is shown by a process without an anchor, with its stamp', async () => {
    await addLeaves(world.db, world.log, tenantId, 2);
    const lost: Anchor = {
      ...anchor,
      swap: async () => Promise.reject(new AnchorUnreachable(folder, new Error('x'))),
    };
    await anchor.swap(world.log.origin, null, emptyCheckpoint(world.log).note);
    await expect(batch({ anchor: lost })).rejects.toThrow(AnchorUnreachable);
    expect(await published()).toBe(0);
    expect(await sequenceBatch(world, world.log)).toEqual({ kind: 'nothing_pending' });
    expect([await published(), await stamps()]).toEqual([2, [2]]);
  });

  it('that another process makes first, between two readings, is no contradiction', async () => {
    await addLeaves(world.db, world.log, tenantId, 3);
    let reads = 0;
    const slow: Anchor = {
      ...anchor,
      async read(origin) {
        if (reads++ === 0) {
          await batch();
          return null;
        }
        // A seal before the second reading is in the database when its head is read.
        await addLeaves(world.db, world.log, tenantId, 3);
        await batch();
        return anchor.read(origin);
      },
    };
    const log = { ...world.log, publicKey: world.log.key.publicKey };
    expect((await compareWithAnchor(world.db, slow, log)).standing).toMatchObject({ kind: 'same', size: 6 });
    expect(reads).toBe(2);
  });

  it('of many sequencers at once is one history, in the anchor as in the log', async () => {
    for (let round = 0; round < 6; round++) {
      await addLeaves(world.db, world.log, tenantId, 5);
      const tried = await Promise.allSettled(Array.from({ length: 4 }, () => batch()));
      expect(tried.filter(({ status }) => status === 'rejected')).toEqual([]);
      await batch();
      expect([await anchored(), await published()]).toEqual([5 * (round + 1), 5 * (round + 1)]);
    }
    expect(await stamps()).toHaveLength(
      (await world.db.query('select from checkpoints where log_id = $1', [world.log.logId])).length,
    );
  });
});

describe('a process that dies', () => {
  const READ = 'read the anchor';
  const SWAP = 'swap the anchor';
  const STEPS = [
    ...[READ, 'read_log_head', 'advance_tree_size', 'insert_checkpoint', 'commit'],
    ...[SWAP, 'set_published', 'enqueue_stamps', 'announce_log'],
  ];
  let outside: Outside;
  beforeEach(async () => {
    outside = await openOutside(world);
  });
  afterEach(() => outside.close());

  /** `nth`: at the n-th time that the step is taken. */
  const points = STEPS.flatMap((step) =>
    (['before', 'after'] as const).flatMap((when) => [1, 2].map((nth) => ({ step, when, nth }))),
  );

  it.each(points)('$when $step, time $nth, leaves a log that goes on', async ({ step, when, nth }) => {
    await addLeaves(world.db, world.log, tenantId, 3);
    await batch();
    expect((await outside.look()).status).toBe('ok');
    await addLeaves(world.db, world.log, tenantId, 2);
    const dying = dyingAt({ step, when }, nth);
    const died = await batch(dying).then(
      () => false,
      (error) => {
        expect(error).toBeInstanceOf(InjectedCrash);
        return true;
      },
    );
    // It waits, and is no fault: leaves of no message are what fsck finds here.
    expect((await fsck({ db: world.db, anchor })).problems.map(({ check }) => check)).not.toContain('stamp');
    // Nothing is shown that the anchor does not say.
    expect(await published()).toBeLessThanOrEqual(await anchored());
    expect((await outside.look()).status).toBe('ok');
    while ((await batch()).kind !== 'nothing_pending');
    expect([await anchored(), await published()]).toEqual([5, 5]);
    expect(await stamps()).toEqual([3, 5]);
    const seen = await outside.look();
    expect(seen).toMatchObject({ status: 'ok' });
    expect(died || nth === 2).toBe(true);
  });

  function dyingAt(point: CrashPoint, nth: number) {
    let left = nth;
    const steps = createSteps();
    let dead = false;
    const step = async <T>(name: string, run: () => Promise<T>): Promise<T> => {
      if (dead) throw new InjectedCrash();
      if (name !== point.step || --left > 0) return run();
      dead = true;
      if (point.when === 'after') await run();
      throw new InjectedCrash();
    };
    const isOfAnchor = point.step === READ || point.step === SWAP;
    const db = isOfAnchor || nth > 1 ? steps.db(world.db) : createSteps(point).db(world.db);
    return {
      db,
      anchor: {
        ...anchor,
        read: (...given: Parameters<Anchor['read']>) => step(READ, () => anchor.read(...given)),
        swap: (...given: Parameters<Anchor['swap']>) => step(SWAP, () => anchor.swap(...given)),
      },
    };
  }
});

describe('a database that is not what was published', () => {
  /** Another database with the same log and key, as a restore leaves it. */
  async function restored(leaves: number): Promise<World> {
    const other = await openWorld();
    const [row] = await world.db.query<{ id: string; pub: Buffer; priv: Buffer }>(
      'select log_id as id, public_key as pub, private_key_sealed as priv from logs',
    );
    await other.db.execute('update logs set log_id = $1, public_key = $2, private_key_sealed = $3', [
      row!.id,
      row!.pub,
      row!.priv,
    ]);
    const tenant = await addTenant(other.db);
    const made = { ...other, log: world.log };
    if (leaves > 0) {
      await addLeaves(other.db, world.log, tenant, leaves);
      await sequenceBatch(made, world.log);
    }
    await addLeaves(other.db, world.log, tenant, 1);
    return made;
  }

  it.each([
    ['older', 0, 'behind'],
    ['older, and different', 2, 'behind'],
    ['as large, and different', 3, 'fork'],
    ['larger, and different', 7, 'fork'],
  ] as const)('is found out: %s', async (_, leaves, kind) => {
    await addLeaves(world.db, world.log, tenantId, 3);
    await batch();
    const other = await restored(leaves);
    try {
      const log = { ...world.log, publicKey: world.log.key.publicKey };
      expect((await compareWithAnchor(other.db, anchor, log)).standing).toMatchObject({ kind });
      await expect(sequenceBatch({ ...other, anchor }, world.log)).rejects.toThrow(AnchorContradicts);
      // Nothing was signed, and the anchor is what it was.
      expect(await anchored()).toBe(3);
      const checkpoints = await other.db.query('select from checkpoints where tree_size > $1', [leaves]);
      expect(checkpoints).toEqual([]);
      const { problems } = await fsck({ db: other.db, anchor });
      expect(problems.map(({ check }) => check)).toContain('anchor');
    } finally {
      await other.close();
    }
  });

  it('is not signed on when the anchor was lost, until somebody says so', async () => {
    await addLeaves(world.db, world.log, tenantId, 3);
    await sequenceBatch(world, world.log);
    await addLeaves(world.db, world.log, tenantId, 1);
    await expect(batch()).rejects.toThrow(/acuse log anchor --adopt/);
    expect(await held()).toMatchObject({ kind: 'unanchored', databaseSize: 3 });
    const note = (await findNewestNote(world.db, world.log.logId))!.note;
    await anchor.swap(world.log.origin, null, note);
    expect(await batch()).toMatchObject({ treeSize: 4 });
  });

  it('is not one that answers no more while its tiles are read: a primary was replaced', async () => {
    await addLeaves(world.db, world.log, tenantId, 3);
    await batch();
    const witnessed = (await anchor.read(world.log.origin))!;
    await addLeaves(world.db, world.log, tenantId, 2);
    await sequenceBatch(world, world.log);
    const log = { ...world.log, publicKey: world.log.key.publicKey };
    for (const lost of [
      new Error('Connection terminated: the host is not the primary any more'),
      new Error('Query read timeout'),
      Object.assign(new Error('it is a standby'), { code: '25006' }),
      Object.assign(new Error('canceling statement'), { code: '57014' }),
    ]) {
      const db = losing('read_tiles', lost);
      await expect(compareWithAnchor(db, anchor, log)).rejects.toBe(lost);
      await expect(sequenceBatch({ ...world, db, anchor }, world.log)).rejects.toBe(lost);
      // Else a log would be stopped for good by a fail-over.
      await expect(findContradiction(db, world.log, witnessed, world.log.key)).rejects.toBe(lost);
    }
    expect(await held()).toEqual({ kind: 'continues', size: 3, databaseSize: 5 });
    expect(await findContradiction(world.db, world.log, witnessed, world.log.key)).toBeNull();
    expect(await batch()).toEqual({ kind: 'nothing_pending' });
    expect([await anchored(), await published()]).toEqual([5, 5]);
  });

  /** The database, of which the statements of this name fail. */
  function losing(name: string, lost: Error): Db {
    const query: Db['query'] = (...given) =>
      given[2] === name ? Promise.reject(lost) : world.db.query(...given);
    return { ...world.db, query };
  }

  it.each([
    ['of another key', (note: string) => note.replace(/— (\S+) .*/, '— $1 AAAAAAAA')],
    ['cut short', (note: string) => note.slice(0, note.length / 2)],
    ['empty', () => ''],
    ['of another size', (note: string) => note.replace('\n3\n', '\n2\n')],
  ])('is not signed on when the anchor has a note %s', async (_, change) => {
    await addLeaves(world.db, world.log, tenantId, 3);
    await batch();
    const note = (await anchor.read(world.log.origin))!;
    await anchor.swap(world.log.origin, note, change(note));
    await addLeaves(world.db, world.log, tenantId, 1);
    await expect(batch()).rejects.toThrow(AnchorContradicts);
    expect(await held()).toMatchObject({ kind: 'fork' });
    expect(await published()).toBe(3);
  });
});
