import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGroupPromises } from '../../src/evidence/log/promise.ts';
import { sequenceBatch } from '../../src/evidence/log/sequence.ts';
import { type StampDeps, stampCheckpoint } from '../../src/evidence/stamp/stamp.ts';
import { recordOutcome } from '../../src/evidence/stamp/stamp-record.ts';
import { claimStamps } from '../../src/evidence/stamp/stamp-store.ts';
import { ASK, COMMIT, type CrashPoint, createSteps } from './crash-points.ts';
import { everythingWrong, type Outside, openOutside } from './outside.ts';
import { openSealingWorld } from './seal-all.ts';
import {
  addMessages,
  authoritiesOf,
  InjectedCrash,
  quietLog,
  sealerOf,
  type TestTsa,
  type World,
} from './support.ts';

/**
 * The process dies before and after each step of sequencing and of stamping, one after another on one log.
 * Whatever it left, the next process goes on, every promise is kept, and neither fsck nor a monitor that saw
 * each checkpoint finds two histories.
 */

/** Every step of one batch, in order; those from the first write on are one transaction. */
const SEQUENCING = [
  'is_log_stopped',
  'read_log_head',
  'read_oldest_pending',
  'read_tiles',
  'advance_tree_size',
  'delete_pending',
  'insert_leaves',
  'upsert_tiles',
  'insert_checkpoint',
  'enqueue_stamp',
  'announce_log',
  COMMIT,
];
/** The claim commits by itself; what is written of the constancia is one transaction. */
const STAMPING = [
  'claim_stamps',
  ASK,
  'finish_stamp',
  'insert_stamp',
  'read_batch_messages',
  'find_subscribers_of_one',
  'insert_events',
  'count_sealed',
  'count_leaves_by_tenant',
  'add_sealing_costs',
  COMMIT,
];
const MESSAGES = 3;

let world: World;
let tsa: TestTsa;
let tenantId: string;
let outside: Outside;

beforeAll(async () => {
  ({ world, tsa, tenantId } = await openSealingWorld());
  outside = await openOutside(world);
});
afterAll(async () => {
  await outside.close();
  await world.close();
});

/** It has a price, so that all is written that can be of a constancia. */
const honest = () => authoritiesOf(world, sealerOf(tsa, { priceMicros: 1_000 }));

function stampDeps(changes: Partial<StampDeps> = {}): StampDeps {
  return {
    db: world.db,
    clock: world.clock,
    log: quietLog,
    authorities: honest(),
    logOf: async () => world.log,
    random: () => 0.5,
    ...changes,
  };
}

/** One turn of the loop on one checkpoint in line. False: there is none. */
async function stampOne(deps: StampDeps): Promise<boolean> {
  const [claim] = await claimStamps(deps.db, world.log.logId, 1, new Date());
  if (claim === undefined) return false;
  await recordOutcome(deps, await stampCheckpoint(deps, claim, new AbortController().signal));
  return true;
}

/** As if the lease that a dead process held had run out. */
async function endLeases(): Promise<void> {
  await world.db.execute(
    "update stamp_queue set due_at = now() - interval '1 s', leased_until = now() - interval '1 s' where leased_until is not null",
  );
}

async function recover(): Promise<void> {
  while ((await sequenceBatch(world, world.log)).kind !== 'nothing_pending');
  await endLeases();
  while (await stampOne(stampDeps()));
}

/** New messages, and the promises that their senders hold. */
async function accept(): Promise<string[]> {
  const messages = await addMessages(world.db, world.log, tenantId, MESSAGES);
  const rows = await world.db.query<{ hash: Buffer; at: Date }>(
    'select canonical_hash as hash, created_at as at from messages where message_id = any ($1::uuid[])',
    [messages.map(({ messageId }) => messageId)],
  );
  const promisesOf = createGroupPromises(world.log);
  return [...promisesOf(rows.map(({ hash, at }) => ({ canonicalHash: hash, acceptedAt: at })))];
}

const count = async (table: string) =>
  (await world.db.query<{ n: number }>(`select count(*)::int as n from ${table}`))[0]!.n;

const everyPoint = (steps: readonly string[]): CrashPoint[] =>
  steps.flatMap((step) => [
    { step, when: 'before' as const },
    { step, when: 'after' as const },
  ]);

it('the tables name every step that is taken', async () => {
  await accept();
  const sequencing = createSteps();
  await sequenceBatch({ db: sequencing.db(world.db), clock: world.clock }, world.log);
  // Reads of tiles begin once there are some.
  expect(sequencing.taken).toEqual(SEQUENCING.filter((step) => step !== 'read_tiles'));
  await accept();
  const again = createSteps();
  await sequenceBatch({ db: again.db(world.db), clock: world.clock }, world.log);
  expect(again.taken).toEqual(SEQUENCING);

  const stamping = createSteps();
  const deps = { db: stamping.db(world.db), authorities: stamping.authorities(honest()) };
  await stampOne(stampDeps(deps));
  expect(stamping.taken.filter((step, i, all) => all.indexOf(step) === i)).toEqual(STAMPING);
  await recover();
});

describe('sequencing goes on', () => {
  it.each(everyPoint(SEQUENCING))('after a crash $when $step', async (point) => {
    const [size, checkpoints] = [await count('leaves'), await count('checkpoints')];
    const promises = await accept();
    const steps = createSteps(point);
    await expect(sequenceBatch({ db: steps.db(world.db), clock: world.clock }, world.log)).rejects.toThrow(
      InjectedCrash,
    );
    expect(steps.taken).toContain(point.step);
    // All of it or nothing, and nothing that is not signed.
    const published = point.step === COMMIT && point.when === 'after';
    expect(await count('leaves')).toBe(size + (published ? MESSAGES : 0));
    expect(await count('checkpoints')).toBe(checkpoints + (published ? 1 : 0));
    expect(await count('pending_leaves')).toBe(published ? 0 : MESSAGES);
    // Seen by somebody between the crash and the next process.
    expect((await outside.look()).status).toBe('ok');
    await recover();
    expect(await count('leaves')).toBe(size + MESSAGES);
    expect(await everythingWrong(world, outside, promises)).toEqual([]);
  });
});

describe('stamping goes on', () => {
  it.each(everyPoint(STAMPING))('after a crash $when $step', async (point) => {
    const certificates = await count('certificates');
    const promises = await accept();
    await sequenceBatch(world, world.log);
    const steps = createSteps(point);
    const deps = { db: steps.db(world.db), authorities: steps.authorities(honest()) };
    await expect(stampOne(stampDeps(deps))).rejects.toThrow(InjectedCrash);
    expect(steps.taken).toContain(point.step);
    const sealed = point.step === COMMIT && point.when === 'after';
    expect(await count('certificates')).toBe(certificates + (sealed ? 1 : 0));
    expect(await count('stamp_queue')).toBe(sealed ? 0 : 1);
    await recover();
    expect(await count('certificates')).toBe(certificates + 1);
    expect(await everythingWrong(world, outside, promises)).toEqual([]);
  });
});
