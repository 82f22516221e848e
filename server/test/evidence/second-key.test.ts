import { writeBundle } from '@acuse/evidence/bundle';
import { decodeUtf8, utf8 } from '@acuse/evidence/bytes';
import { assertCosignedMldsa44 } from '@acuse/evidence/cosignature-mldsa44';
import { loadMldsa44 } from '@acuse/evidence/mldsa44';
import { parseNote } from '@acuse/evidence/note';
import { readPinnedPolicy, type TrustPolicy } from '@acuse/evidence/policy';
import { parseVerifierKey } from '@acuse/evidence/verifier-key';
import { verifyBundle } from '@acuse/evidence/verify';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readProofBundle } from '../../src/evidence/bundle/proof-bundle.ts';
import { fsck } from '../../src/evidence/fsck/fsck.ts';
import { endLog } from '../../src/evidence/log/end.ts';
import { openLog } from '../../src/evidence/log/log-key.ts';
import { findLogByOrigin, findNewestNote } from '../../src/evidence/log/log-store.ts';
import { sequenceBatch } from '../../src/evidence/log/sequence.ts';
import { createServedLog } from '../../src/evidence/log/served-log.ts';
import { ownPolicy } from '../../src/evidence/own-policy.ts';
import { witnesses } from '../../src/operate/doctor/witnesses.ts';
import { createSecretBox } from '../../src/platform/secrets.ts';
import { sha256 } from '../../src/platform/sha256.ts';
import { acuse } from '../cli/run.ts';
import { attempt } from './deliveries.ts';
import { openSealingWorld, sealAll } from './seal-all.ts';
import { addMessages, ORIGIN, type TestTsa, type World } from './support.ts';

/** A log that is given a second key after it sealed a message, and then seals another. */
let world: World;
let tsa: TestTsa;
let tenantId: string;
let before: Buffer;
let first: string;
let second: string;
let key: string;
const folder = tempFolder();

const run = (...args: string[]) =>
  acuse(args, {
    DATABASE_URL: world.url,
    ACUSE_DATA_DIR: folder,
    ACUSE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  });
const command = (...args: string[]) => run('log', 'add-key', ...args);
const bundleOf = async (messageId: string) =>
  Buffer.from(writeBundle((await readProofBundle(world, tenantId, messageId)).bundle));
const firstFailed = async (bundle: Uint8Array, trust?: TrustPolicy) => {
  const { checks } = await verifyBundle(bundle, { sha256, now: new Date(), ...(trust && { trust }) });
  return checks.find(({ ok }) => !ok)?.name;
};

async function sealOne(): Promise<string> {
  const [message] = await addMessages(world.db, world.log, tenantId, 1);
  await sealAll(world, tsa);
  return message!.messageId;
}

beforeAll(async () => {
  ({ world, tsa, tenantId } = await openSealingWorld());
  first = await sealOne();
  before = await bundleOf(first);
});
afterAll(() => world.close());

test('it is added once, by --yes, while no process runs and nothing waits for its constancia', async () => {
  expect(await command()).toMatchObject({ code: 1, out: expect.stringContaining('Nothing was changed') });
  const [log] = await world.db.query<{ size: number }>('select tree_size as size from logs');
  await world.db.execute(
    'insert into stamp_queue (log_id, tree_size, due_at, created_at) values ($1, $2, now(), now())',
    [world.log.logId, log!.size],
  );
  expect(await command('--yes')).toMatchObject({ code: 1, err: expect.stringContaining('wait for their') });
  await world.db.execute('delete from stamp_queue');
  const { code, json } = await command('--yes', '--json');
  expect([code, json.added]).toEqual([
    0,
    [{ origin: ORIGIN, key: expect.any(String), from: expect.any(String) }],
  ]);
  ({ key } = json.added[0]);
  expect(parseVerifierKey(key, sha256)).toMatchObject({ name: ORIGIN, type: 6 });
  expect(await command('--yes')).toMatchObject({
    code: 1,
    err: expect.stringContaining('nothing was changed'),
  });
  // A process that began before does not sign on with one key.
  await expect(sequenceBatch(world, world.log)).rejects.toThrow(/was given a second key: restart/);
  world = { ...world, log: await openLog(world, ORIGIN) };
});

test('what is sealed then has both signatures, and its bundle lists both keys', async () => {
  second = await sealOne();
  await attempt(world.db, [{ tenantId, messageId: second, raw: Buffer.from('') }], 'bounced');
  await sealAll(world, tsa);
  const { bundle, trust } = await readProofBundle(world, tenantId, second);
  expect(trust.mldsa44Keys).toMatchObject([{ type: 6, from: world.log.second!.key.from }]);
  const { verify } = await loadMldsa44();
  const own = parseVerifierKey(key, sha256);
  const counted = parseNote(bundle.get('outcomes.note')!);
  const newest = parseNote(utf8((await findNewestNote(world.db, world.log.logId))!.note));
  for (const note of [counted, newest]) assertCosignedMldsa44(note, own, verify);
  // Read again within the hour, it is the same.
  expect((await readProofBundle(world, tenantId, second)).bundle.get('outcomes.note')).toEqual(
    bundle.get('outcomes.note'),
  );
});

test('both keys are shown: at /log/key, by the status of sealing and by the doctor', async () => {
  expect(createServedLog(world).keys).toBe(`${world.log.vkey}\n${key}\n`);
  const { json } = await run('sealing', 'status', '--json');
  const { from } = world.log.second!.key;
  expect(json.logs[0].keys).toMatchObject([
    { algorithm: 'Ed25519', key: world.log.vkey, from: null },
    { algorithm: 'ML-DSA-44', key, from },
  ]);
  const id = json.logs[0].keys[1].id;
  const { out } = await run('sealing', 'status');
  expect(out).toContain(`${world.log.vkey}, and with ML-DSA-44, key id ${id}`);
  const found = await witnesses(
    { db: world.db, config: { witnessesFile: null } } as never,
    {} as never,
    new AbortController().signal,
  );
  expect(found.map(({ detail }) => detail).join()).toContain(
    `ML-DSA-44, key id ${id}, which is required of what is time-stamped from ${from}`,
  );
});

test('bundles of before stay valid, also read anew and under the policy of the service', async () => {
  const own = ownPolicy([{ key: world.log.key, second: world.log.second!.key }], [tsa], {
    list: [],
    quorum: 0,
  });
  const pinned = readPinnedPolicy(JSON.parse(own), sha256);
  for (const bundle of [before, await bundleOf(first), await bundleOf(second)]) {
    expect(await firstFailed(bundle)).toBeUndefined();
    expect(await firstFailed(bundle, pinned)).toBeUndefined();
  }
  // As if the key had been trusted all the time.
  const mldsa44Keys = pinned.mldsa44Keys!.map(({ from: _, ...always }) => always);
  expect(await firstFailed(await bundleOf(second), { ...pinned, mldsa44Keys })).toBeUndefined();
  expect(await firstFailed(before, { ...pinned, mldsa44Keys })).toBe('checkpoint');
});

test('fsck checks the second signature, and finds one that is missing', async () => {
  const told = async () =>
    (await fsck({ db: world.db })).problems.map(({ check, detail }) => [check, detail]);
  expect(await told()).toEqual([]);
  const [row] = await world.db.query<{ note: string; size: number }>(
    'select note, tree_size as size from checkpoints order by tree_size desc limit 1',
  );
  const { note, size } = row!;
  const store = (text: string) =>
    world.db.execute('update checkpoints set note = $2 where tree_size = $1', [size, text]);
  await store(note.replace(/[^\n]{3000,}\n/, (line) => line.replace(/.{4}\n$/, 'AAAA\n')));
  expect(await told()).toEqual([['checkpoint', expect.stringContaining('does not verify')]]);
  await store(note.replace(/[^\n]{3000,}\n/, ''));
  await world.db.execute('update logs set mldsa44_from = created_at');
  expect(await told()).toContainEqual(['checkpoint', expect.stringContaining('is missing')]);
  await store(note);
});

test('a sealed seed of another key does not sign', async () => {
  const context = `log:${world.log.logId}`;
  const [row] = await world.db.query<{ sealed: Buffer }>('select mldsa44_seed_sealed as sealed from logs');
  const other = createSecretBox([Buffer.alloc(32, 7)]).seal(Buffer.alloc(32, 1), context);
  await world.db.execute('update logs set mldsa44_seed_sealed = $1', [other]);
  await expect(openLog(world, ORIGIN)).rejects.toThrow(/its ML-DSA-44 seed is not the one/);
  await world.db.execute('update logs set mldsa44_seed_sealed = $1', [row!.sealed]);
});

test('when the log ends the key is destroyed, and the successor has one of its own', async () => {
  const row = (await findLogByOrigin(world.db, ORIGIN))!;
  const published = (await findNewestNote(world.db, row.logId))!.note;
  const ended = await endLog(world, row, { published, origin: `${ORIGIN}-2`, reason: 'a test' });
  expect(parseVerifierKey(ended!.successorSecondKey!, sha256)).toMatchObject({
    name: `${ORIGIN}-2`,
    type: 6,
  });
  expect((await findLogByOrigin(world.db, ORIGIN))!.mldsa44SeedSealed).toEqual(Buffer.alloc(0));
  world = { ...world, log: await openLog(world, ORIGIN) };
  expect(world.log).toMatchObject({ origin: `${ORIGIN}-2`, second: { key: { type: 6 } } });
  const { bundle, trust } = await readProofBundle(world, tenantId, second);
  expect(trust.mldsa44Keys!.map(({ name }) => name)).toEqual([ORIGIN, `${ORIGIN}-2`]);
  expect(decodeUtf8(bundle.get('outcomes.note')!)!.match(/— acuse\.test\/log-2 .{3000,}/)).not.toBeNull();
  expect(await firstFailed(writeBundle(bundle))).toBeUndefined();
});
