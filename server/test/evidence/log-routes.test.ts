import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { emptyRoot, leafHash, rootOf } from '@acuse/evidence/merkle';
import { decodeEntryBundle, tilePath, tileWidth, treeRoot } from '@acuse/evidence/tiles';
import { verifyTimeStamp } from '@acuse/evidence/timestamp/verify';
import { parseVerifierKey } from '@acuse/evidence/verifier-key';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sequenceBatch } from '../../src/evidence/log/sequence.ts';
import type { Db } from '../../src/platform/database/db.ts';
import type { App } from '../../src/platform/http/http.ts';
import { sha256 } from '../../src/platform/sha256.ts';
import { openLogApi } from './outside.ts';
import { openSealingWorld, sealAll } from './seal-all.ts';
import { addLeaves, hastyClock, type TestTsa, type World } from './support.ts';

let world: World;
let tsa: TestTsa;
let tenantId: string;
let app: App;
let hashes: Buffer[];
const SIZE = 700;

beforeAll(async () => {
  ({ world, tsa, tenantId } = await openSealingWorld());
  app = openLogApi({ ...world, clock: hastyClock() });
  await app.ready();
  empty = (await get('/log/checkpoint')).payload;
  hashes = await addLeaves(world.db, world.log, tenantId, 300);
  await sequenceBatch(world, world.log);
  hashes.push(...(await addLeaves(world.db, world.log, tenantId, SIZE - 300)));
  await sealAll(world, tsa);
});
afterAll(async () => {
  await app.close();
  await world.close();
});

let empty: string;
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
/** Index and width of each tile of a level. */
const widths = (level: number) =>
  Array.from({ length: 10 }, (_, index) => [index, tileWidth(level, index, SIZE)] as const).filter(
    ([, width]) => width > 0,
  );
const get = (url: string) => app.inject({ url });
const tileAt = async (level: number | 'entries', index: number, width: number) =>
  get(`/log/${tilePath(level, index, width)}`);

describe('the log in public', () => {
  it('has a signed checkpoint before its first leaf', () => {
    const { checkpoint } = openCheckpoint(empty, [world.log.key]);
    expect(checkpoint.size).toBe(0);
    expect(hex(checkpoint.rootHash)).toBe(hex(emptyRoot(sha256)));
  });

  it('gives its newest checkpoint, for moments only, under the key that it names', async () => {
    const key = parseVerifierKey((await get('/log/key')).payload.trimEnd(), sha256);
    const answer = await get('/log/checkpoint');
    expect(answer.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'public, max-age=2',
      'access-control-allow-origin': '*',
    });
    const { checkpoint } = openCheckpoint(answer.rawPayload, [key]);
    const leaves = hashes.map((hash) => leafHash(hash, sha256));
    expect(checkpoint).toMatchObject({ origin: world.log.origin, size: SIZE });
    expect(hex(checkpoint.rootHash)).toBe(hex(rootOf(leaves, sha256)));
  });

  it('asks the database once a second, however many ask, and once a minute for a tile or a constancia', async () => {
    let asked: (string | undefined)[] = [];
    let ms = 0;
    const counted: Db = {
      ...world.db,
      query: (text, values, name) => {
        asked.push(name);
        return world.db.query(text, values, name);
      },
      transact: (work) => {
        asked.push('transaction');
        return world.db.transact(work);
      },
    };
    const clock = { now: world.clock.now, monotonicMs: () => ms };
    const other = openLogApi({ ...world, db: counted, clock });
    const flood = async (url: string) => {
      asked = [];
      const answers = await Promise.all(Array.from({ length: 100 }, () => other.inject({ url })));
      expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 200));
      return asked;
    };
    expect(await flood('/log/checkpoint')).toEqual(['find_newest_note', 'transaction']);
    expect(await flood('/log/checkpoint')).toEqual([]);
    expect(await flood('/log/tile/0/001')).toEqual(['read_tiles']);
    expect(await flood('/log/tile/entries/001')).toEqual(['read_entries']);
    expect(await flood('/log/tile/0/001')).toEqual([]);
    expect(await flood(`/log/certificates/${SIZE}`)).toEqual(['transaction']);
    expect(await flood(`/log/certificates/${SIZE}`)).toEqual([]);
    expect(await flood('/log/end')).toEqual(['transaction']);
    expect(await flood('/log/of/00000000/end')).toEqual([]);
    ms = 1_000;
    // The one that is shown already needs no barrier again.
    expect(await flood('/log/checkpoint')).toEqual(['find_newest_note']);
    asked = [];
    for (const url of ['/log/tile/0/900', '/log/certificates/0', `/log/certificates/${SIZE + 1}`])
      for (let n = 0; n < 20; n++) await other.inject({ url });
    expect(asked).toEqual([]);
    await other.close();
  });

  it('can be rebuilt from its tiles and its entries', async () => {
    const tiles = new Map<string, Buffer>();
    for (const level of [0, 1]) {
      for (const [index, width] of widths(level)) {
        const answer = await tileAt(level, index, width);
        expect(answer.statusCode).toBe(200);
        expect(answer.headers).toMatchObject({
          'content-type': 'application/octet-stream',
          'cache-control': expect.stringMatching(/immutable/),
        });
        expect(answer.rawPayload).toHaveLength(32 * width);
        tiles.set(`${level}/${index}`, answer.rawPayload);
      }
    }
    const { checkpoint } = openCheckpoint((await get('/log/checkpoint')).rawPayload, [world.log.key]);
    const root = treeRoot(SIZE, (level, index) => tiles.get(`${level}/${index}`)!, sha256);
    expect(hex(root)).toBe(hex(checkpoint.rootHash));

    const entries: Uint8Array[] = [];
    for (const [index, width] of widths(0)) {
      entries.push(...decodeEntryBundle((await tileAt('entries', index, width)).rawPayload, width));
    }
    expect(entries.map((entry) => Buffer.from(entry))).toEqual(hashes);
  });

  it('still has a tile as it was when it was narrower', async () => {
    const wide = (await tileAt(0, 1, 256)).rawPayload;
    expect((await tileAt(0, 1, 44)).rawPayload).toEqual(wide.subarray(0, 44 * 32));
    expect(decodeEntryBundle((await tileAt('entries', 1, 44)).rawPayload, 44)).toHaveLength(44);
  });

  it.each([
    '/log/tile/0/003',
    '/log/tile/0/002',
    '/log/tile/0/002.p/189',
    '/log/tile/entries/002',
    '/log/tile/entries/002.p/189',
    '/log/tile/2/000.p/1',
    '/log/tile/63/000',
    '/log/tile/64/000',
    '/log/tile/0/0',
    '/log/tile/0/x000/000',
    '/log/tile/0/x999/x999/x999/x999/x999/999',
    '/log/tile/entries/x999/x999/x999/x999/x999/999',
    '/log/tile/0/000.p/0',
    '/log/tile/0/000.p/256',
    '/log/tile/0/000.p/001',
    '/log/tile/-1/000',
    '/log/tile/',
    '/log/certificates/0',
    '/log/certificates/301',
    '/log/certificates/1e3',
    '/log/certificates/999999999999999999999',
  ])('has no %s', async (url) => {
    const answer = await get(url);
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toMatchObject({ error: { code: 'not_found' } });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('gives the constancia over each checkpoint, back to the first', async () => {
    let previous = SIZE;
    const sizes: number[] = [];
    while (previous > 0) {
      const document = (await get(`/log/certificates/${previous}`)).json();
      const { note } = openCheckpoint(document.checkpoint, [world.log.key]);
      const imprint = sha256(Buffer.from(note.text));
      expect(document.certificate).toMatchObject({
        kind: 'batch',
        profile: 'development',
        imprint: Buffer.from(imprint).toString('hex'),
      });
      const token = Buffer.from(document.token, 'base64');
      expect((await verifyTimeStamp(token, { imprint, hashAlgorithm: 'sha256' }, document.policy)).ok).toBe(
        true,
      );
      sizes.push(document.tree_size);
      previous = document.previous_tree_size;
    }
    expect(sizes).toEqual([SIZE, 300]);
  });
});
