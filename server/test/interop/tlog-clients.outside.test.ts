import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { signCheckpoint } from '@acuse/evidence/checkpoint';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sequenceBatch } from '../../src/evidence/log/sequence.ts';
import type { App } from '../../src/platform/http/http.ts';
import { sha256 } from '../../src/platform/sha256.ts';
import { openLogApi } from '../evidence/outside.ts';
import { addLeaves, addTenant, hastyClock, openWorld, type World } from '../evidence/support.ts';

/**
 * The public log as other people's clients see it, with its URL and its key and nothing else: those of
 * transparency-dev/tessera and of the Go checksum database, unchanged, put together in
 * packages/testkit/interop/tlog-client.
 */
const run = promisify(execFile);
const folder = tempFolder();
const client = join(folder, 'tlog-client');
/** Where there is no network that is not always said at once (ms). */
const FETCHED_WITHIN_MS = 120_000;
/** Compiles anew what is not in Go's cache, all of its network library the first time (ms). */
const COMPILED_WITHIN_MS = 600_000;
const missing = await buildClient();

/** Why there is no client; null: there is. */
async function buildClient(): Promise<string | null> {
  const source = resolve(import.meta.dirname, '../../../packages/testkit/interop/tlog-client');
  // The Go that is here, and the versions that go.sum pins: no other toolchain is fetched.
  const env = { ...process.env, GOTOOLCHAIN: 'local', PATH: `${process.env['PATH']}:/usr/local/go/bin` };
  const go = (args: string[], timeout: number) => run('go', args, { cwd: source, env, timeout });
  try {
    await go(['mod', 'download'], FETCHED_WITHIN_MS);
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string };
    if (code === 'ENOENT') return 'skipped: needs go';
    return `skipped: needs the modules of tlog-client: ${(stderr ?? '').trim().split('\n').at(-1)}`;
  }
  await go(['build', '-trimpath', '-o', client, '.'], COMPILED_WITHIN_MS);
  return null;
}

/** Three levels of tiles, and edges inside a tile of each. */
const BATCHES = [1, 299, 700, 65_000];

describe.skipIf(missing !== null)(`public tlog clients${missing === null ? '' : ` (${missing})`}`, () => {
  let world: World;
  let app: App;
  let url: string;
  const entries: Buffer[] = [];
  /** Checkpoints as they were published, in files, by tree size. */
  const notes = new Map<number, string>();

  beforeAll(async () => {
    world = await openWorld();
    app = openLogApi({ ...world, clock: hastyClock() });
    url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/log`;
    const tenantId = await addTenant(world.db);
    for (const count of BATCHES) {
      entries.push(...(await addLeaves(world.db, world.log, tenantId, count)));
      await sequenceBatch(world, world.log);
      const { payload } = await app.inject({ url: '/log/checkpoint' });
      notes.set(entries.length, keep(`${entries.length}.note`, payload));
    }
  });
  afterAll(async () => {
    await app.close();
    await world.close();
  });
  let key: string;
  beforeEach(async () => {
    key = (await app.inject({ url: '/log/key' })).payload.trimEnd();
  });

  function keep(name: string, content: string): string {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  }

  async function follow(
    verifierKey: string,
    ...older: string[]
  ): Promise<{ seen?: unknown; refused?: string }> {
    return run(client, [url, verifierKey, ...older]).then(
      ({ stdout }) => ({ seen: JSON.parse(stdout) }),
      (error: { stderr: string }) => ({ refused: error.stderr }),
    );
  }

  test('all entries are read, many proven, and every earlier checkpoint is a prefix', async () => {
    const older = [...notes.keys()].slice(0, -1);
    const { rootHash } = await newestRow();
    expect(await follow(key, ...older.map((size) => notes.get(size)!))).toEqual({
      seen: {
        origin: world.log.origin,
        size: entries.length,
        root: rootHash.toString('hex'),
        entries_sha256: Buffer.from(sha256(Buffer.concat(entries))).toString('hex'),
        consistent_with: older,
      },
    });
  });

  test('a log under another key is not taken for this one', async () => {
    const { refused } = await follow(key.replace(/^[^+]+/, 'another.test/log'));
    expect(refused).toMatch(/^key: /);
    const stranger = 'acuse.test/log+869003a3+Ac36cdKJR2LDio/JZN27GdWvmd7quA9g8bY36rC3VGi4';
    expect((await follow(stranger)).refused).toMatch(/^(key|checkpoint): /);
  });

  test('another history, signed by the same key, is seen', async () => {
    const forged = { origin: world.log.origin, size: 300, rootHash: sha256(Buffer.from('another')) };
    const note = signCheckpoint(forged, world.log.signer, sha256);
    expect((await follow(key, keep('forged.note', note))).refused).toMatch(/^tessera: from 300: /);
  });

  test('a tile that was changed, and an entry, are seen', async () => {
    const [tile] = await world.db.query<{ hashes: Buffer }>(
      'select hashes from log_tiles where log_id = $1 and level = 0 and tile_index = 1',
      [world.log.logId],
    );
    const write = (hashes: Buffer) =>
      world.db.execute(
        'update log_tiles set hashes = $2 where log_id = $1 and level = 0 and tile_index = 1',
        [world.log.logId, hashes],
      );
    const changed = Buffer.from(tile!.hashes);
    changed[40]! ^= 1;
    await write(changed);
    expect((await follow(key)).refused).toMatch(/^tessera: leaf 25[67]: /);
    await write(tile!.hashes);
    await world.db.execute(
      "update leaves set canonical_hash = sha256('x') where log_id = $1 and leaf_index = 5",
      [world.log.logId],
    );
    expect((await follow(key)).refused).toMatch(/^tessera: leaf 5: /);
  });

  async function newestRow(): Promise<{ rootHash: Buffer }> {
    const [row] = await world.db.query<{ rootHash: Buffer }>(
      'select root_hash as "rootHash" from checkpoints where log_id = $1 order by tree_size desc limit 1',
      [world.log.logId],
    );
    return row!;
  }
});
