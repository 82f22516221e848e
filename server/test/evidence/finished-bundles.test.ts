import { readBundle } from '@acuse/evidence/bundle';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ByteCache } from '../../src/evidence/bundle/byte-cache.ts';
import { createFinishedBundles, type FinishedBundles } from '../../src/evidence/bundle/finished-bundles.ts';
import { eraseMessage } from '../../src/operate/retention/erase.ts';
import { createChanges } from '../../src/platform/database/changes.ts';
import { createThreads, type Threads } from '../../src/platform/threads/threads.ts';
import { sentCertified } from '../operate/retention/support.ts';
import { attempt } from './deliveries.ts';
import { openSealingWorld, sealAll } from './seal-all.ts';
import { addMessages, addTenant, type TestTsa, type World } from './support.ts';

let world: World;
let tsa: TestTsa;
let tenantId: string;
let threads: Threads;
/** Jobs that were given to a thread. */
let jobs: string[] = [];
let bundles: FinishedBundles;

beforeAll(async () => {
  ({ world, tsa, tenantId } = await openSealingWorld());
  threads = createThreads();
  bundles = open();
});
afterAll(async () => {
  await threads.stop();
  await world.close();
});

function open(): FinishedBundles {
  const counted: Threads = {
    ...threads,
    run(job, input, order) {
      jobs.push(job.name);
      return threads.run(job, input, order);
    },
  };
  return createFinishedBundles({
    ...world,
    changes: createChanges(world.db),
    threads: counted,
    verifyUrl: () => 'http://localhost/verify',
    pdfs: { countedAt: async () => new Date(), make: async () => new Uint8Array() },
  });
}

it('is made once for all who ask at the same time, in a thread, and kept in each form', async () => {
  const [message] = await addMessages(world.db, world.log, tenantId, 1);
  await sealAll(world, tsa);
  const { messageId } = message!;
  jobs = [];
  const answers = await Promise.all(
    Array.from({ length: 32 }, () => bundles.get(tenantId, messageId, 'zip')),
  );
  expect(jobs).toEqual(['proof-bundle']);
  const [{ bytes: first }] = answers as [(typeof answers)[number]];
  for (const { bytes } of answers) expect(bytes).toBe(first);
  expect((await bundles.get(tenantId, messageId, 'zip')).bytes).toBe(first);
  expect(jobs).toEqual(['proof-bundle']);
  const { bytes: json } = await bundles.get(tenantId, messageId, 'json');
  expect(jobs).toEqual(['proof-bundle', 'proof-bundle']);
  expect([...readBundle(json)]).toEqual([...readBundle(first)]);
  expect(readBundle(json).has('report.pdf')).toBe(true);
  // The same bytes whoever makes them.
  expect((await open().get(tenantId, messageId, 'zip')).bytes).toEqual(first);
});

it('is made anew once an outcome is sealed', async () => {
  const [message] = await addMessages(world.db, world.log, tenantId, 1);
  await sealAll(world, tsa);
  const { messageId } = message!;
  const before = readBundle((await bundles.get(tenantId, messageId, 'zip')).bytes);
  await attempt(world.db, [message!], 'sent');
  await sealAll(world, tsa);
  const after = readBundle((await bundles.get(tenantId, messageId, 'zip')).bytes);
  const outcomes = (bundle: ReadonlyMap<string, unknown>) =>
    [...bundle.keys()].filter((name) => name.startsWith('delivery/')).length;
  expect(outcomes(before)).toBe(0);
  expect(outcomes(after)).toBeGreaterThan(0);
});

it('is never told to another account', async () => {
  const [message] = await addMessages(world.db, world.log, tenantId, 1);
  await sealAll(world, tsa);
  await bundles.get(tenantId, message!.messageId, 'zip');
  const stranger = await addTenant(world.db);
  await expect(bundles.get(stranger, message!.messageId, 'zip')).rejects.toMatchObject({ code: 'not_found' });
});

it('holds nothing that was erased, neither kept nor while it is being made', async () => {
  const [message] = await sentCertified(world, tenantId, 1);
  await sealAll(world, tsa);
  const { messageId } = message!;
  expect(readBundle((await bundles.get(tenantId, messageId, 'zip')).bytes).has('message.eml')).toBe(true);
  const other = open();
  const underWay = other.get(tenantId, messageId, 'zip');
  const erased = await eraseMessage(
    { db: world.db, clock: world.clock, certifiedYears: 10 },
    { messageId, tenantId: null, reason: 'request 4711', by: 'ana', force: true },
  );
  expect(erased.kind).toBe('erased');
  const behind = [bundles, other].map((each) => each.get(tenantId, messageId, 'zip'));
  await underWay;
  for (const { bytes } of await Promise.all(behind)) {
    expect(readBundle(bytes).has('message.eml')).toBe(false);
    expect(readBundle(bytes).has('submission.bin')).toBe(false);
  }
});

it('is kept within bounds: in all, of one account, of one bundle', () => {
  const kept = new ByteCache({ bytes: 100, bytesPerTenant: 60, itemBytes: 40 });
  const bytes = (size: number) => new Uint8Array(size);
  kept.keep('a', '1', 'x', bytes(41));
  expect(kept.size).toBe(0);
  kept.keep('a', '1', 'x', bytes(40));
  kept.keep('a', '2', 'x', bytes(20));
  // Used last: it stays.
  expect(kept.find('a', '1', 'x')).not.toBeNull();
  kept.keep('a', '3', 'x', bytes(20));
  expect(kept.find('a', '2', 'x')).toBeNull();
  expect(kept.find('a', '1', 'x')).not.toBeNull();
  kept.keep('b', '1', 'x', bytes(40));
  expect(kept.size).toBe(3);
  kept.keep('c', '1', 'x', bytes(20));
  expect(kept.find('a', '3', 'x')).toBeNull();
  expect(kept.find('b', '1', 'other version')).toBeNull();
  expect(kept.find('b', '1', 'x')).toBeNull();
  kept.forget('a', '1');
  expect(kept.find('a', '1', 'x')).toBeNull();
  expect(kept.size).toBe(1);
});
