import { verifyEntries } from '@acuse/evidence/verify';
import { PATIENCE_MS } from '@acuse/testkit/eventually';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readProofBundle } from '../../src/evidence/bundle/proof-bundle.ts';
import { fsck } from '../../src/evidence/fsck/fsck.ts';
import { sequenceBatch } from '../../src/evidence/log/sequence.ts';
import { type StampDeps, stampCheckpoint } from '../../src/evidence/stamp/stamp.ts';
import { recordOutcome } from '../../src/evidence/stamp/stamp-record.ts';
import { claimStamps } from '../../src/evidence/stamp/stamp-store.ts';
import { sha256 } from '../../src/platform/sha256.ts';
import { acuse } from '../cli/run.ts';
import { AUTHORITY_FAULTS, patienceMs } from './authority-faults.ts';
import { openSealingWorld, sealAll } from './seal-all.ts';
import {
  addMessages,
  authoritiesOf,
  honest,
  quietLog,
  sealerOf,
  startTsa,
  type TestMessage,
  type TestTsa,
  type World,
} from './support.ts';

/** An authority in every kind of trouble, as the operator sees it, and as nobody else does. */
let world: World;
let tsa: TestTsa;
let skewMs = 0;
const folder = tempFolder();
let tenantId: string;
const sent: TestMessage[] = [];

beforeAll(async () => {
  ({ world, tsa, tenantId } = await openSealingWorld(startTsa(() => new Date(Date.now() + skewMs))));
  await send();
  await sealAll(world, tsa);
});
afterAll(() => world.close());

async function send(): Promise<void> {
  sent.push(...(await addMessages(world.db, world.log, tenantId, 1)));
}

const bundleOf = async (message: TestMessage) =>
  (await readProofBundle(world, tenantId, message.messageId)).bundle;

async function status() {
  const { code, json } = await acuse(['sealing', 'status', '--json'], {
    DATABASE_URL: world.url,
    ACUSE_DATA_DIR: folder,
    ACUSE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  });
  expect(code).toBe(0);
  const { logs, authorities } = json;
  return { log: logs[0], authority: authorities[0] };
}

/** The oldest checkpoint that has no constancia, once. */
async function stampOnce(timeoutMs: number): Promise<void> {
  const deps: StampDeps = {
    ...world,
    log: quietLog,
    authorities: authoritiesOf(world, sealerOf(tsa, { timeoutMs })),
    logOf: async () => world.log,
    random: () => 0.5,
  };
  const later = new Date(Date.now() + 3_600_000);
  const [claim] = await claimStamps(world.db, world.log.logId, 1, later);
  await recordOutcome(deps, await stampCheckpoint(deps, claim!, AbortSignal.timeout(PATIENCE_MS)));
}

it.each(AUTHORITY_FAULTS)(
  'an authority that answers $name: the batch waits, acuse sealing status says why, the rest goes on',
  async (fault) => {
    await send();
    await sequenceBatch(world, world.log);
    tsa.behave(fault.behaviour ?? honest);
    skewMs = fault.skewMs ?? 0;
    await stampOnce(patienceMs(fault));
    const { log, authority } = await status();
    expect(log).toMatchObject({
      leaves: sent.length,
      pending_leaves: 0,
      unstamped: sent.length - 1,
      oldest_unstamped_at: expect.stringMatching(/Z$/),
      next_attempt_at: expect.stringMatching(/Z$/),
      last_error: expect.stringMatching(fault.reason),
    });
    expect(log.attempts).toBeGreaterThanOrEqual(1);
    expect(authority.failures).toBeGreaterThanOrEqual(1);
    expect(authority.last_error).toMatch(fault.reason);
    // Earlier seals are as they were, and nothing is called sealed that is not.
    expect((await verifyEntries(await bundleOf(sent[0]!), { sha256, now: new Date() })).valid).toBe(true);
    await expect(bundleOf(sent.at(-1)!)).rejects.toMatchObject({ code: 'missing_proof_data' });
  },
);

it('and when the authority is well again, all that waited is sealed', async () => {
  tsa.behave(honest);
  skewMs = 0;
  await world.db.execute('update stamp_queue set due_at = now(), leased_until = null');
  await sealAll(world, tsa);
  for (const message of sent)
    expect((await verifyEntries(await bundleOf(message), { sha256, now: new Date() })).valid).toBe(true);
  expect(await status()).toMatchObject({
    log: { unstamped: 0, attempts: null, last_error: null },
    authority: { failures: 0 },
  });
  expect((await fsck(world)).problems).toEqual([]);
});
