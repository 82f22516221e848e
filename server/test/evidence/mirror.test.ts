import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { concat, equalBytes } from '@acuse/evidence/bytes';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openAnchorFolder } from '../../src/evidence/log/anchor/anchor-folder.ts';
import type { HeldLog } from '../../src/evidence/log/anchor/compare.ts';
import { findNewestNote } from '../../src/evidence/log/log-store.ts';
import type { Block } from '../../src/evidence/log/mirror/block.ts';
import { type Mirror, MirrorUnreachable } from '../../src/evidence/log/mirror/mirror.ts';
import { openMirrorFolder } from '../../src/evidence/log/mirror/mirror-folder.ts';
import { copyBlocks, createMirroring } from '../../src/evidence/log/mirror/mirroring.ts';
import { readMirror } from '../../src/evidence/log/mirror/read-mirror.ts';
import { sequenceBatch } from '../../src/evidence/log/sequence.ts';
import { mirror as doctorsMirror } from '../../src/operate/doctor/mirror.ts';
import { addLeaves, addTenant, InjectedCrash, openWorld, type World } from './support.ts';

/** Whatever the anchor names is in the mirror, leaf by leaf, and nothing that is read from it is believed. */

let folder: string;
let mirror: Mirror;
let world: World;
let tenantId: string;
let log: HeldLog;
const anchorOf = () => openAnchorFolder(join(folder, 'anchor'));
const place = () => join(folder, 'mirror');

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'acuse-mirror-'));
  mkdirSync(place());
  mkdirSync(join(folder, 'anchor'));
  mirror = openMirrorFolder(place());
  world = await openWorld();
  tenantId = await addTenant(world.db);
  log = { ...world.log, publicKey: world.log.key.publicKey };
});
afterEach(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

const batch = (deps: Partial<Parameters<typeof sequenceBatch>[0]> = {}) =>
  sequenceBatch(
    { ...world, anchor: anchorOf(), mirror: createMirroring(world.db, mirror), ...deps },
    world.log,
  );
const anchored = async () => (await anchorOf().read(log.origin))!;
/** Throws unless the mirror has all that was published. */
async function readAll(from: Mirror = mirror): Promise<Uint8Array> {
  const read: Uint8Array[] = [];
  await readMirror(from, log, {
    from: { size: 0, edge: [] },
    upTo: await anchored(),
    onLeaves: async ({ entries }) => void read.push(entries),
  });
  return concat(...read);
}
const files = () => {
  const own = join(place(), encodeURIComponent(log.origin));
  return readdirSync(own)
    .filter((name) => name !== 'checkpoint')
    .flatMap((name) => readdirSync(join(own, name)).map((file) => join(own, name, file)))
    .sort();
};

const filled = (value: number, leaves: number) => new Uint8Array(leaves * 32).fill(value);
const block = (leaves: number, value = 1): Block => ({
  index: 0,
  entries: filled(value, leaves),
  checkpoints: [],
});

describe('a mirror folder', () => {
  it('has the longest form of a block, and none that says something else', async () => {
    await mirror.write('a.test/log', [block(3)]);
    await mirror.write('a.test/log', [block(9)]);
    await mirror.write('a.test/log', [block(5)]);
    expect((await mirror.read('a.test/log', 0, 1))?.entries).toEqual(filled(1, 9));
    expect(await mirror.read('a.test/log', 0, 10)).toBeNull();
    await mirror.write('a.test/log', [block(4, 2)]);
    expect((await mirror.read('a.test/log', 0, 1))?.entries).toEqual(filled(2, 4));
    expect(await mirror.read('b.test/log', 0, 1)).toBeNull();
    const own = join(place(), encodeURIComponent('a.test/log'), '000000000');
    expect(readdirSync(own)).toEqual(['000000000000-004.json']);
  });

  it('keeps what several write at once', async () => {
    await Promise.all(
      Array.from({ length: 40 }, (_, each) =>
        openMirrorFolder(place()).write('a.test/log', [block(each + 1)]),
      ),
    );
    expect((await mirror.read('a.test/log', 0, 40))?.entries).toEqual(filled(1, 40));
  });

  it('is never taken for an empty one where it cannot be read', async () => {
    await mirror.write('a.test/log', [block(3)]);
    renameSync(place(), `${place()}.away`);
    await expect(mirror.read('a.test/log', 0, 1)).rejects.toThrow(MirrorUnreachable);
    await expect(mirror.write('a.test/log', [block(4)])).rejects.toThrow(MirrorUnreachable);
    await expect(mirror.readCheckpoint('a.test/log')).rejects.toThrow(MirrorUnreachable);
  });

  it('reads no file that is torn, too large, of another block or of another length than its name', async () => {
    await mirror.write('a.test/log', [block(3)]);
    const own = join(place(), encodeURIComponent('a.test/log'), '000000000');
    const whole = readFileSync(join(own, '000000000000-003.json'), 'utf8');
    const hostile = [
      whole.slice(0, 40),
      'null',
      '[]',
      ' '.repeat(2_000_000),
      whole.replace('"index":0', '"index":1'),
      whole.replace('"version":1', '"version":2'),
      whole.replace('"checkpoints":[]', '"checkpoints":[{}]'),
      whole.replace('"checkpoints":[]', '"checkpoints":[null]'),
      whole.replace('"checkpoints":[]', '"checkpoints":{"length":1}'),
    ];
    for (const content of hostile) {
      writeFileSync(join(own, '000000000000-200.json'), content);
      expect((await mirror.read('a.test/log', 0, 1))?.entries, content.slice(0, 50)).toEqual(filled(1, 3));
      expect(await mirror.read('a.test/log', 0, 4)).toBeNull();
    }
    writeFileSync(join(own, '000000000000-200.json'), whole);
    expect(await mirror.read('a.test/log', 0, 4)).toBeNull();
    await mirror.write('a.test/log', [block(5)]);
    expect(readdirSync(own)).toEqual(['000000000000-005.json']);
  });
});

describe('a batch', () => {
  it('is in the mirror before the anchor names it, over the borders of blocks', async () => {
    const sent: Buffer[] = [];
    for (const count of [1, 3, 251, 2, 600, 168]) {
      sent.push(...(await addLeaves(world.db, world.log, tenantId, count)));
      await batch();
      expect((await readAll()).length / 32).toBe(sent.length);
    }
    const read = Buffer.from(await readAll());
    const key = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
    const entries = Array.from({ length: sent.length }, (_, at) => key(read.subarray(at * 32, at * 32 + 32)));
    expect(entries.sort()).toEqual(sent.map(key).sort());
    expect(files()).toHaveLength(Math.ceil(sent.length / 256));
  });

  it('waits unpublished while the mirror cannot be reached', async () => {
    await addLeaves(world.db, world.log, tenantId, 2);
    await batch();
    await addLeaves(world.db, world.log, tenantId, 2);
    renameSync(place(), `${place()}.away`);
    const before = await anchored();
    await expect(batch()).rejects.toThrow(MirrorUnreachable);
    expect(await anchored()).toBe(before);
    expect((await findNewestNote(world.db, log.logId))?.treeSize).toBe(2);
    renameSync(`${place()}.away`, place());
    await batch();
    expect((await findNewestNote(world.db, log.logId))?.treeSize).toBe(4);
    expect((await readAll()).length / 32).toBe(4);
  });

  it('fills a mirror that is new or was emptied, by a process that runs too', async () => {
    await addLeaves(world.db, world.log, tenantId, 700);
    await batch({ mirror: null });
    const mirroring = createMirroring(world.db, mirror);
    for (let round = 1; round <= 2; round++) {
      await addLeaves(world.db, world.log, tenantId, 1);
      await batch({ mirror: mirroring });
      expect((await readAll()).length / 32).toBe(700 + round);
      rmSync(place(), { recursive: true });
      mkdirSync(place());
    }
  });

  it('goes on after a process that died before or after any of its steps', async () => {
    // Each batch ends in another block than the one before, so that the checkpoint is written too.
    const steps = ['write', 'readCheckpoint', 'writeCheckpoint', 'swap'] as const;
    let leaves = 0;
    for (const step of steps)
      for (const when of ['before', 'after'] as const) {
        await addLeaves(world.db, world.log, tenantId, 300);
        const at = <T extends object>(own: T): T => {
          const run = (own as Record<string, unknown>)[step] as
            | ((...given: unknown[]) => unknown)
            | undefined;
          if (run === undefined) return own;
          const dying = async (...given: unknown[]) => {
            if (when === 'after') await run(...given);
            died = true;
            throw new InjectedCrash();
          };
          return { ...own, [step]: dying };
        };
        let died = false;
        const anchor = anchorOf();
        const dying = batch({ anchor: at(anchor), mirror: createMirroring(world.db, at(mirror)) });
        await expect(dying, `${when} ${step}`).rejects.toThrow(InjectedCrash);
        expect(died).toBe(true);
        await batch();
        leaves += 300;
        expect((await readAll()).length / 32).toBe(leaves);
      }
  });

  it('that was never published gives way to the one that was, of a database that was set back', async () => {
    await addLeaves(world.db, world.log, tenantId, 5);
    await batch();
    await addLeaves(world.db, world.log, tenantId, 400);
    const anchor = anchorOf();
    const dead = { ...anchor, swap: () => Promise.reject(new InjectedCrash()) };
    await expect(batch({ anchor: dead })).rejects.toThrow(InjectedCrash);
    expect(files().map((file) => file.slice(-8))).toEqual(['256.json', '149.json']);
    // A standby that lacks the last commit is promoted: the leaves of it are others now.
    await setBack(5);
    await addLeaves(world.db, world.log, tenantId, 4);
    await batch();
    expect((await readAll()).length / 32).toBe(9);
    await addLeaves(world.db, world.log, tenantId, 300);
    await batch();
    expect((await readAll()).length / 32).toBe(309);
  });

  it('of several sequencers at once is whole in the mirror', async () => {
    const own = Array.from({ length: 4 }, () => createMirroring(world.db, openMirrorFolder(place())));
    for (let round = 1; round <= 8; round++) {
      await addLeaves(world.db, world.log, tenantId, 90);
      await Promise.all(own.map((each) => batch({ mirror: each })));
      await batch();
      expect((await readAll()).length / 32).toBe(90 * round);
    }
  });

  it('is not published beside the mirror of another log, or of one that was published further', async () => {
    await addLeaves(world.db, world.log, tenantId, 300);
    await batch();
    const other = await openWorld();
    try {
      await addLeaves(other.db, other.log, await addTenant(other.db), 3);
      const elsewhere = join(folder, 'elsewhere');
      mkdirSync(elsewhere);
      const deps = {
        ...other,
        anchor: openAnchorFolder(elsewhere),
        mirror: createMirroring(other.db, mirror),
      };
      await expect(sequenceBatch(deps, other.log)).rejects.toThrow(/is of another log/);
      expect(await findNewestNote(other.db, other.log.logId)).toBeUndefined();
    } finally {
      await other.close();
    }
  });
});

/** As a database that lost what came after this size, and still has nothing pending. */
async function setBack(size: number): Promise<void> {
  const { db } = world;
  await db.execute('delete from stamp_queue where log_id = $1 and tree_size > $2', [log.logId, size]);
  await db.execute('delete from checkpoints where log_id = $1 and tree_size > $2', [log.logId, size]);
  await db.execute('delete from leaves where log_id = $1 and leaf_index >= $2', [log.logId, size]);
  await db.execute('delete from log_tiles where log_id = $1 and (tile_index > 0 or level > 0)', [log.logId]);
  await db.execute('update log_tiles set hashes = substring(hashes for $2) where log_id = $1', [
    log.logId,
    size * 32,
  ]);
  await db.execute('update logs set tree_size = $2, published_size = $2 where log_id = $1', [
    log.logId,
    size,
  ]);
}

describe('reading', () => {
  const change = (text: string, by: (block: Record<string, never>) => void) => {
    const read = JSON.parse(text);
    by(read);
    return JSON.stringify(read);
  };

  it('refuses whatever is not what was published', async () => {
    for (const count of [100, 156, 100, 44]) {
      await addLeaves(world.db, world.log, tenantId, count);
      await batch();
    }
    const [first, second] = files() as [string, string];
    const whole = [readFileSync(first, 'utf8'), readFileSync(second, 'utf8')];
    const put = (a: string | null, b: string | null) => {
      for (const [file, text] of [
        [first, a],
        [second, b],
      ] as const) {
        if (text === null) rmSync(file, { force: true });
        else writeFileSync(file, text);
      }
    };
    const { checkpoints } = JSON.parse(whole[1]!) as { checkpoints: object[] };
    type Changed = Record<string, never> & { entries: string; checkpoints: { note: string }[] };
    const hostile: [string, string | null, string | null, RegExp][] = [
      ['no first block', null, whole[1]!, /lacks leaves 0 to 255/],
      ['no last block', whole[0]!, null, /lacks leaves 256 to 399/],
      ['a torn one', whole[0]!, whole[1]!.slice(0, 500), /lacks leaves 256/],
      ['blocks swapped', whole[1]!, whole[0]!, /lacks leaves 0/],
      [
        'another leaf',
        change(whole[0]!, (read) => {
          const own = read as unknown as Changed;
          own.entries = `AAAA${own.entries.slice(4)}`;
        }),
        whole[1]!,
        /100 leaves has another root/,
      ],
      [
        'another last leaf',
        whole[0]!,
        change(whole[1]!, (read) => {
          const own = read as unknown as Changed;
          own.entries = `${own.entries.slice(0, -4)}AAAA`;
        }),
        /has another root/,
      ],
      [
        'no checkpoints',
        whole[0]!,
        change(whole[1]!, (read) => Object.assign(read, { checkpoints: [] })),
        /no checkpoint of 400/,
      ],
      [
        'one checkpoint left out',
        whole[0]!,
        change(whole[1]!, (read) => Object.assign(read, { checkpoints: checkpoints.slice(1) })),
        /follows 356 leaves, and the one before it is of 256/,
      ],
      [
        'a forged one',
        whole[0]!,
        change(whole[1]!, (read) => {
          const own = read as unknown as Changed;
          own.checkpoints[0]!.note = own.checkpoints[0]!.note.replace(/\n— (\S+) .*/, '\n— $1 AAAAAAAA');
        }),
        /not signed by the key of this log/,
      ],
      [
        'the note of another size',
        whole[0]!,
        change(whole[1]!, (read) => {
          const own = read as unknown as Changed;
          own.checkpoints[0]!.note = own.checkpoints[1]!.note;
        }),
        /is signed for 400/,
      ],
    ];
    for (const [what, a, b, reason] of hostile) {
      put(a, b);
      await expect(readAll(), what).rejects.toThrow(reason);
    }
    put(whole[0]!, whole[1]!);
    const read = await readAll();
    expect(read.length / 32).toBe(400);
    rmSync(first);
    await copyBlocks(world.db, mirror, log, { from: 0, to: 400 });
    expect(equalBytes(await readAll(), read)).toBe(true);
  });
});

describe('acuse doctor', () => {
  it('says how far the mirror is behind, that it is away, and that there is none', async () => {
    const look = (config: object) =>
      doctorsMirror(
        { config: { logAnchor: join(folder, 'anchor'), ...config }, db: world.db } as never,
        {} as never,
        new AbortController().signal,
      );
    await addLeaves(world.db, world.log, tenantId, 300);
    await batch();
    expect(await look({ logMirror: place() })).toMatchObject([{ status: 'ok', about: log.origin }]);
    rmSync(files().at(-1)!);
    expect(await look({ logMirror: place() })).toMatchObject([
      {
        status: 'problem',
        detail: expect.stringContaining('behind by 44 leaves or more out of 300'),
        fix: expect.stringContaining('acuse log mirror --fill'),
      },
    ]);
    renameSync(place(), `${place()}.away`);
    expect(await look({ logMirror: place() })).toMatchObject([
      { status: 'problem', about: place(), fix: expect.stringContaining('mount') },
    ]);
    expect(await look({ logMirror: null, delivery: 'direct' })).toMatchObject([{ status: 'advice' }]);
    expect(await look({ logMirror: null, delivery: 'sandbox' })).toEqual([]);
  });
});
