import { equalBytes } from '@acuse/evidence/bytes';
import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { assertInclusion, leafHash, rootOf } from '@acuse/evidence/merkle';
import { inclusionProof, inclusionTiles, type TileReader } from '@acuse/evidence/tiles';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type LogSigner, openLog } from '../../src/evidence/log/log-key.ts';
import { readTiles } from '../../src/evidence/log/log-store.ts';
import { sequenceBatch } from '../../src/evidence/log/sequence.ts';
import { sha256 } from '../../src/platform/sha256.ts';
import {
  addLeaves,
  addTenant,
  type Fault,
  faultyDb,
  ORIGIN,
  openTestDb,
  openWorld,
  secrets,
  type World,
} from './support.ts';

let world: World;
let tenantId: string;
/** Each test has a log of its own. */
let log: LogSigner;
let logs = 0;

beforeAll(async () => {
  world = await openWorld();
  tenantId = await addTenant(world.db);
});
beforeEach(async () => {
  log = await openLog({ db: world.db, secrets, clock: world.clock }, `sequence.test/${++logs}`);
});
afterAll(() => world.close());

describe('the log key', () => {
  it('is one for all processes on a database, also when they start at once', async () => {
    const others = await Promise.all(
      Array.from({ length: 8 }, () =>
        openLog({ db: world.db, secrets, clock: world.clock }, 'other.test/log'),
      ),
    );
    expect(new Set(others.map((log) => log.vkey)).size).toBe(1);
    expect(others[0]!.vkey).not.toBe(world.log.vkey);
    expect(await openLog({ db: world.db, secrets, clock: world.clock }, ORIGIN)).toMatchObject({
      vkey: world.log.vkey,
    });
  });

  it('is refused when the public key beside it is another', async () => {
    await world.db.execute("update logs set public_key = sha256('x') where log_id = $1", [log.logId]);
    await expect(openLog({ db: world.db, secrets, clock: world.clock }, log.origin)).rejects.toThrow(
      /not the one of its public key/,
    );
  });
});

describe('sequencing', () => {
  it('builds the tree of RFC 6962 over batches of any size', async () => {
    const hashes: Buffer[] = [];
    for (const count of [1, 2, 253, 1, 255, 300, 7]) {
      hashes.push(...(await addLeaves(world.db, log, tenantId, count)));
      const result = await sequenceBatch(world, log);
      expect(result).toMatchObject({ kind: 'sequenced', leaves: count, treeSize: hashes.length });
    }
    const leaves = await allLeaves();
    expect(leaves.map((leaf) => leaf.leaf_index)).toEqual(hashes.map((_, i) => i));
    const leafHashes = leaves.map((leaf) => leafHash(leaf.canonical_hash, sha256));
    for (const { note, tree_size, root_hash } of await checkpoints()) {
      const { checkpoint } = openCheckpoint(note, [log.key]);
      expect(checkpoint.size).toBe(tree_size);
      expect(equalBytes(checkpoint.rootHash, root_hash)).toBe(true);
      expect(equalBytes(root_hash, rootOf(leafHashes.slice(0, tree_size), sha256))).toBe(true);
    }
    expect(await pendingCount()).toBe(0);
  });

  it('proves every leaf from stored tiles, against its own and every later checkpoint', async () => {
    for (const count of [100, 200, 5, 700]) {
      await addLeaves(world.db, log, tenantId, count);
      await sequenceBatch(world, log);
    }
    const leaves = await allLeaves();
    const notes = await checkpoints();
    for (const leaf of leaves.filter((_, i) => i % 13 === 0 || i > 990)) {
      for (const { tree_size, root_hash } of notes.filter((note) => note.tree_size > leaf.leaf_index)) {
        const tiles = await readTiles(world.db, log.logId, inclusionTiles(leaf.leaf_index, tree_size));
        const read: TileReader = (level, index) =>
          tiles.find((tile) => tile.level === level && tile.index === index)!.hashes;
        const path = inclusionProof(leaf.leaf_index, tree_size, read, sha256);
        assertInclusion(
          {
            leaf: leafHash(leaf.canonical_hash, sha256),
            index: leaf.leaf_index,
            size: tree_size,
            path,
            root: root_hash,
          },
          sha256,
        );
      }
    }
  });

  it('does nothing when nothing is pending', async () => {
    expect(await sequenceBatch(world, log)).toEqual({ kind: 'nothing_pending' });
    expect(await checkpoints()).toEqual([]);
  });

  it('keeps one history when sequencers race', async () => {
    const second = openTestDb(world.url);
    const outcomes = new Set<string>();
    let feeding = true;
    let fed = 0;
    const run = async (db: typeof second) => {
      while (feeding) outcomes.add((await sequenceBatch({ db, clock: world.clock }, log)).kind);
    };
    const feed = async () => {
      // Until a race was seen, and then some.
      for (let round = 0; round < 20 || (!outcomes.has('lost_race') && round < 500); round++) {
        fed += (await addLeaves(world.db, log, tenantId, 11)).length;
      }
      feeding = false;
    };
    try {
      await Promise.all([run(world.db), run(second), run(second), feed()]);
      await sequenceBatch(world, log);
    } finally {
      feeding = false;
      await second.close();
    }
    expect([...outcomes]).toEqual(expect.arrayContaining(['sequenced', 'lost_race']));
    await expectOneHistory(fed);
  });

  const faults: Fault[] = [1, 2, 3, 4, 5, 6, 7, 'commit' as const].flatMap((at) => [
    { at, persisted: false },
    { at, persisted: true },
  ]);
  it.each(faults)('resumes after a crash at statement $at (persisted: $persisted)', async (fault) => {
    await addLeaves(world.db, log, tenantId, 300);
    await sequenceBatch(world, log);
    await addLeaves(world.db, log, tenantId, 30);
    await expect(sequenceBatch({ db: faultyDb(world.db, fault), clock: world.clock }, log)).rejects.toThrow();
    const committed = fault.at === 'commit' && fault.persisted;
    expect(await pendingCount()).toBe(committed ? 0 : 30);
    await addLeaves(world.db, log, tenantId, 3);
    expect(await sequenceBatch(world, log)).toMatchObject({ leaves: committed ? 3 : 33, treeSize: 333 });
    await expectOneHistory(333);
  });

  it('counts as many statements as the fault table has', async () => {
    await addLeaves(world.db, log, tenantId, 3);
    const counted = faultyDb(world.db, { at: 99, persisted: true });
    await sequenceBatch({ db: counted, clock: world.clock }, log);
    expect(counted.statements()).toBe(7);
  });

  it.each([
    [
      'a changed tile',
      "update log_tiles set hashes = sha256('x') || substring(hashes from 33)",
      /consistency/,
    ],
    ['a tile cut short', 'update log_tiles set hashes = substring(hashes from 1 for 32)', /tile/],
    ['a missing tile', 'delete from log_tiles', /tile/],
    ['a forged checkpoint', "update checkpoints set note = replace(note, E'\\n5\\n', E'\\n6\\n')", /note/],
    ['a missing checkpoint', 'delete from checkpoints', /no checkpoint/],
  ])('signs nothing over %s', async (_name, tampering, reason) => {
    await addLeaves(world.db, log, tenantId, 5);
    await sequenceBatch(world, log);
    const before = (await checkpoints()).length;
    await world.db.execute('delete from stamp_queue where log_id = $1', [log.logId]);
    await world.db.execute(`${tampering} where log_id = $1`, [log.logId]);
    await addLeaves(world.db, log, tenantId, 5);
    await expect(sequenceBatch(world, log)).rejects.toThrow(reason);
    expect(await pendingCount()).toBe(5);
    expect((await checkpoints()).length).toBeLessThanOrEqual(before);
  });
});

interface LeafRow {
  leaf_index: number;
  canonical_hash: Buffer;
  tree_size: number;
}

const allLeaves = () =>
  world.db.query<LeafRow>(
    'select leaf_index, canonical_hash, tree_size from leaves where log_id = $1 order by leaf_index',
    [log.logId],
  );
const checkpoints = () =>
  world.db.query<{ tree_size: number; previous_tree_size: number; root_hash: Buffer; note: string }>(
    'select tree_size, previous_tree_size, root_hash, note from checkpoints where log_id = $1 order by tree_size',
    [log.logId],
  );
const pendingCount = async () =>
  (
    await world.db.query<{ n: number }>('select count(*)::int as n from pending_leaves where log_id = $1', [
      log.logId,
    ])
  )[0]!.n;

async function expectOneHistory(size: number): Promise<void> {
  const leaves = await allLeaves();
  expect(leaves.map((leaf) => leaf.leaf_index)).toEqual(Array.from({ length: size }, (_, i) => i));
  const leafHashes = leaves.map((leaf) => leafHash(leaf.canonical_hash, sha256));
  let previous = 0;
  for (const checkpoint of await checkpoints()) {
    expect(checkpoint.previous_tree_size).toBe(previous);
    expect(equalBytes(checkpoint.root_hash, rootOf(leafHashes.slice(0, checkpoint.tree_size), sha256))).toBe(
      true,
    );
    expect(
      leaves.slice(previous, checkpoint.tree_size).every((leaf) => leaf.tree_size === checkpoint.tree_size),
    ).toBe(true);
    previous = checkpoint.tree_size;
  }
  expect(previous).toBe(size);
  const [queued] = await world.db.query<{ n: number }>(
    'select count(*)::int as n from stamp_queue where log_id = $1',
    [log.logId],
  );
  expect(queued!.n).toBe((await checkpoints()).length);
}
