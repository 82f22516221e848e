import {
  type FaultyStore,
  type S3Server,
  s3Missing,
  startCarelessStore,
  startFaultyStore,
  startS3Server,
} from '@acuse/testkit/s3-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Anchor, AnchorUnreachable } from '../../src/evidence/log/anchor/anchor.ts';
import { openAnchorObjects } from '../../src/evidence/log/anchor/anchor-objects.ts';
import { findNewestNote } from '../../src/evidence/log/log-store.ts';
import type { Block } from '../../src/evidence/log/mirror/block.ts';
import { type Mirror, MirrorUnreachable } from '../../src/evidence/log/mirror/mirror.ts';
import { openMirrorObjects } from '../../src/evidence/log/mirror/mirror-objects.ts';
import { createMirroring } from '../../src/evidence/log/mirror/mirroring.ts';
import { readMirror } from '../../src/evidence/log/mirror/read-mirror.ts';
import { sequenceBatch } from '../../src/evidence/log/sequence.ts';
import { ConditionsIgnored, openObjectStore } from '../../src/platform/s3/object-store.ts';
import type { StoreSettings } from '../../src/platform/s3/signed-request.ts';
import { addLeaves, addTenant, openWorld } from './support.ts';

/** Anchor and mirror in an S3-compatible store of others, and what goes wrong on the way to one. */

/** For requests that are to run out of time. */
const SHORT_MS = 500;
const ORIGIN = 'a.test/log';

const settingsAt = (endpoint: string): StoreSettings => ({
  ...{ endpoint, region: 'us-east-1', pathStyle: true, sessionToken: null },
  ...{ accessKeyId: 'acuse-test', secretAccessKey: 'secret-of-acuse-test' },
});

describe('a store that ignores conditions', () => {
  test.each(['if-none-match', 'if-match', 'both', 'refused'] as const)('%s, is refused', async (ignored) => {
    const careless = await startCarelessStore(ignored);
    try {
      const store = openObjectStore('s3://bucket/acuse', settingsAt(careless.url));
      const anchor = openAnchorObjects(store);
      await expect(anchor.prepare?.()).rejects.toThrow(ConditionsIgnored);
      await expect(anchor.swap(ORIGIN, null, 'one\n')).rejects.toThrow(/does not keep to conditional writes/);
      expect(await anchor.read(ORIGIN)).toBeNull();
      const mirror = openMirrorObjects(store);
      await expect(mirror.prepare?.()).rejects.toThrow(ConditionsIgnored);
      await expect(mirror.write(ORIGIN, [])).rejects.toThrow(ConditionsIgnored);
    } finally {
      await careless.close();
    }
  });
});

test('the bucket is in the host name where the path is not to have it, and nothing leaves the prefix', async () => {
  const asked: string[] = [];
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (given) => {
    asked.push((given as Request).url);
    return new Response('<Error><Code>NoSuchKey</Code></Error>', { status: 404 });
  });
  try {
    const settings = { ...settingsAt('https://s3.eu-central-1.amazonaws.com'), pathStyle: false };
    const at = (place: string) => openAnchorObjects(openObjectStore(place, settings));
    await at('s3://bucket').read(ORIGIN);
    await at('s3://bucket/a/b').read('a.test:8080/x/../y//z');
  } finally {
    spy.mockRestore();
  }
  expect(asked).toEqual([
    'https://bucket.s3.eu-central-1.amazonaws.com/a.test/log/checkpoint',
    'https://bucket.s3.eu-central-1.amazonaws.com/a/b/a.test%3A8080/x/=../y/=/z/checkpoint',
  ]);
});

describe.skipIf(s3Missing !== null)(`an S3 store ${s3Missing ?? ''}`, () => {
  let s3: S3Server;
  let faulty: FaultyStore;
  let place: string;
  const storeAt = (url: string, timeoutMs?: number) => openObjectStore(place, settingsAt(url), timeoutMs);
  let anchor: Anchor;
  let mirror: Mirror;

  beforeAll(async () => {
    s3 = await startS3Server();
  });
  afterAll(() => s3.stop());
  beforeEach(async () => {
    faulty = await startFaultyStore(s3.url);
    place = `s3://${s3.bucket()}/acuse`;
    anchor = openAnchorObjects(storeAt(s3.url));
    mirror = openMirrorObjects(storeAt(s3.url));
  });
  afterEach(() => faulty.close());

  describe('as an anchor', () => {
    test('keeps the newest note of each log, and refuses a swap from another', async () => {
      await anchor.prepare?.();
      expect(await anchor.read(ORIGIN)).toBeNull();
      expect(await anchor.swap(ORIGIN, null, 'one\n')).toBe(true);
      expect(await anchor.swap(ORIGIN, null, 'other\n')).toBe(false);
      expect(await anchor.swap(ORIGIN, 'one\n', 'two — ü\n')).toBe(true);
      expect(await anchor.swap(ORIGIN, 'one\n', 'three\n')).toBe(false);
      expect(await anchor.read(ORIGIN)).toBe('two — ü\n');
      expect(await anchor.read('b.test/log')).toBeNull();
      // A second process, which finds the object of the test of conditions there.
      const other = openAnchorObjects(storeAt(s3.url));
      await other.prepare?.();
      expect(await other.swap('a.test:8080/log/2', null, 'of a port\n')).toBe(true);
      expect(await other.read('a.test:8080/log/2')).toBe('of a port\n');
    });

    test('lets one of many swaps from the same note win, whatever process they come from', async () => {
      let before = null as string | null;
      for (let round = 0; round < 6; round++) {
        const from = before;
        const notes = Array.from({ length: 8 }, (_, each) => `round ${round}, ${each}\n`);
        const won = await Promise.all(
          notes.map((note) => openAnchorObjects(storeAt(s3.url)).swap(ORIGIN, from, note)),
        );
        expect(won.filter(Boolean)).toHaveLength(1);
        before = notes[won.indexOf(true)]!;
        expect(await anchor.read(ORIGIN)).toBe(before);
      }
    });

    test('is never mistaken for an empty one where it cannot be read', async () => {
      const wrong = { ...settingsAt(s3.url), secretAccessKey: 'another' };
      const refused = openAnchorObjects(openObjectStore(place, wrong));
      await expect(refused.read(ORIGIN)).rejects.toThrow(/403 SignatureDoesNotMatch/);
      await expect(refused.swap(ORIGIN, null, 'one\n')).rejects.toThrow(AnchorUnreachable);
      const nowhere = openAnchorObjects(openObjectStore('s3://no-such-bucket', settingsAt(s3.url)));
      await expect(nowhere.read(ORIGIN)).rejects.toThrow(/404 NoSuchBucket/);
      await anchor.swap(ORIGIN, null, 'one\n');
      await s3.stop();
      await expect(anchor.read(ORIGIN)).rejects.toThrow(AnchorUnreachable);
      await s3.start();
      expect(await anchor.read(ORIGIN)).toBe('one\n');
    });

    test('that hangs or fails counts as away, and goes on when it is back', async () => {
      const far = openAnchorObjects(storeAt(faulty.url));
      const hasty = openAnchorObjects(storeAt(faulty.url, SHORT_MS));
      await far.swap(ORIGIN, null, 'one\n');
      for (const fault of ['hang', 'error'] as const) {
        faulty.decide = () => fault;
        await expect(hasty.read(ORIGIN), fault).rejects.toThrow(AnchorUnreachable);
        await expect(hasty.swap(ORIGIN, 'one\n', 'two\n'), fault).rejects.toThrow(AnchorUnreachable);
        faulty.decide = ({ method }) => (method === 'PUT' ? fault : 'pass');
        await expect(far.swap(ORIGIN, 'one\n', 'two\n'), fault).rejects.toThrow(/did not answer whether/);
      }
      faulty.decide = () => 'pass';
      expect(await far.swap(ORIGIN, 'one\n', 'two\n')).toBe(true);
    });

    test('knows its own note again when the answer to the swap was lost', async () => {
      const far = openAnchorObjects(storeAt(faulty.url));
      await far.prepare?.();
      let lost = 0;
      faulty.decide = ({ method }) => (method === 'PUT' && lost++ < 1 ? 'lose' : 'pass');
      expect(await far.swap(ORIGIN, null, 'one\n')).toBe(true);
      expect([lost, await anchor.read(ORIGIN)]).toEqual([1, 'one\n']);
      // Lost, and nobody can be asked: nothing is known, and the next look tells.
      let puts = 0;
      faulty.decide = ({ method }) => (method === 'PUT' ? 'lose' : puts++ < 1 ? 'pass' : 'error');
      await expect(far.swap(ORIGIN, 'one\n', 'two\n')).rejects.toThrow(AnchorUnreachable);
      faulty.decide = () => 'pass';
      expect(await far.read(ORIGIN)).toBe('two\n');
      expect(await far.swap(ORIGIN, 'one\n', 'two\n')).toBe(false);
    });

    test('is not replaced when another one got there while ours was lost', async () => {
      const far = openAnchorObjects(storeAt(faulty.url));
      await far.swap(ORIGIN, null, 'one\n');
      let other: Promise<boolean> | null = null;
      faulty.decide = ({ method }) => {
        if (method !== 'PUT') return 'pass';
        other = anchor.swap(ORIGIN, 'one\n', 'theirs\n');
        return 'error';
      };
      // The answer to ours is an error at once; theirs may be made before or after we look again.
      const ours = await far.swap(ORIGIN, 'one\n', 'ours\n').catch((error) => error);
      expect(ours === false || ours instanceof AnchorUnreachable).toBe(true);
      expect(await other).toBe(true);
      expect(await anchor.read(ORIGIN)).toBe('theirs\n');
    });

    test('refuses what is too large for a note', async () => {
      const store = storeAt(s3.url);
      expect(await store.put(`${ORIGIN}/checkpoint`, 'x'.repeat(70_000), null)).toBe('written');
      await expect(anchor.read(ORIGIN)).rejects.toThrow(/more than 65536 bytes/);
    });
  });

  describe('as a mirror', () => {
    const filled = (value: number, leaves: number) => new Uint8Array(leaves * 32).fill(value);
    const block = (leaves: number, value = 1): Block => ({
      index: 0,
      entries: filled(value, leaves),
      checkpoints: [],
    });

    test('has the longest form of a block, and none that says something else', async () => {
      await mirror.write(ORIGIN, [block(3)]);
      await mirror.write(ORIGIN, [block(9)]);
      await mirror.write(ORIGIN, [block(5)]);
      expect((await mirror.read(ORIGIN, 0, 1))?.entries).toEqual(filled(1, 9));
      expect(await mirror.read(ORIGIN, 0, 10)).toBeNull();
      await mirror.write(ORIGIN, [block(4, 2)]);
      expect((await mirror.read(ORIGIN, 0, 1))?.entries).toEqual(filled(2, 4));
      expect(await mirror.read('b.test/log', 0, 1)).toBeNull();
    });

    test('keeps what several write at once, and the checkpoint', async () => {
      const writers = Array.from({ length: 12 }, () => openMirrorObjects(storeAt(s3.url)));
      await Promise.all(writers.map((each, at) => each.write(ORIGIN, [block(at + 1)])));
      expect((await mirror.read(ORIGIN, 0, 12))?.entries).toEqual(filled(1, 12));
      expect(await mirror.readCheckpoint(ORIGIN)).toBeNull();
      await Promise.all(writers.map((each) => each.writeCheckpoint(ORIGIN, 'note\n')));
      expect(await mirror.readCheckpoint(ORIGIN)).toBe('note\n');
    });

    test('is never mistaken for an empty one where it cannot be read, nor read where it is torn', async () => {
      await mirror.write(ORIGIN, [block(3)]);
      const far = openMirrorObjects(storeAt(faulty.url, SHORT_MS));
      for (const fault of ['hang', 'error'] as const) {
        faulty.decide = () => fault;
        await expect(far.read(ORIGIN, 0, 1)).rejects.toThrow(MirrorUnreachable);
        await expect(far.write(ORIGIN, [block(4)])).rejects.toThrow(MirrorUnreachable);
        await expect(far.readCheckpoint(ORIGIN)).rejects.toThrow(MirrorUnreachable);
      }
      const store = storeAt(s3.url);
      const key = `${ORIGIN}/blocks/000000000000.json`;
      const { etag } = (await store.get(key, 1_000_000))!;
      expect(await store.put(key, '{"version":1', etag)).toBe('written');
      expect(await mirror.read(ORIGIN, 0, 1)).toBeNull();
      await mirror.write(ORIGIN, [block(2)]);
      expect((await mirror.read(ORIGIN, 0, 1))?.entries).toEqual(filled(1, 2));
    });
  });

  test('batches wait while it hangs, go on after, and several sequencers make one history', async () => {
    const world = await openWorld();
    try {
      const tenantId = await addTenant(world.db);
      const log = { ...world.log, publicKey: world.log.key.publicKey };
      const far = (timeoutMs?: number) => storeAt(faulty.url, timeoutMs);
      const batch = (timeoutMs?: number) => {
        const mirroring = createMirroring(world.db, openMirrorObjects(far(timeoutMs)));
        const deps = { ...world, anchor: openAnchorObjects(far(timeoutMs)), mirror: mirroring };
        return sequenceBatch(deps, world.log);
      };
      const published = async () => (await findNewestNote(world.db, log.logId))?.treeSize ?? 0;
      await addLeaves(world.db, world.log, tenantId, 300);
      expect(await batch()).toMatchObject({ treeSize: 300 });
      for (const fault of ['hang', 'error'] as const) {
        await addLeaves(world.db, world.log, tenantId, 2);
        const before = await published();
        faulty.decide = () => fault;
        await expect(batch(SHORT_MS)).rejects.toThrow(AnchorUnreachable);
        // In the middle: the log has the leaves, and shows them when the swap could be made.
        let puts = 0;
        faulty.decide = ({ method, url }) =>
          method === 'PUT' && url?.endsWith('/checkpoint') && puts++ < 1 ? fault : 'pass';
        await expect(batch()).rejects.toThrow(AnchorUnreachable);
        expect([puts, await published()]).toEqual([1, before]);
        faulty.decide = () => 'pass';
        while ((await batch()).kind !== 'nothing_pending');
        expect(await published()).toBe(before + 2);
      }
      // Each answer to a swap is lost, and each batch is published nevertheless.
      faulty.decide = ({ method, url }) =>
        method === 'PUT' && url?.endsWith('/checkpoint') ? 'lose' : 'pass';
      await addLeaves(world.db, world.log, tenantId, 6);
      expect(await batch()).toMatchObject({ treeSize: 310 });
      expect(await published()).toBe(310);
      faulty.decide = () => 'pass';
      for (let round = 1; round <= 3; round++) {
        await addLeaves(world.db, world.log, tenantId, 90);
        await Promise.all(Array.from({ length: 4 }, () => batch()));
        while ((await batch()).kind !== 'nothing_pending');
        expect(await published()).toBe(310 + 90 * round);
      }
      const upTo = (await anchor.read(log.origin))!;
      await readMirror(mirror, log, { from: { size: 0, edge: [] }, upTo });
    } finally {
      await world.close();
    }
  });
});
