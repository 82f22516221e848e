import { casesOf } from '@acuse/testkit/cases';
import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPromises } from '../../src/evidence/log/promise.ts';
import { sequenceBatch } from '../../src/evidence/log/sequence.ts';
import { createStampLoop } from '../../src/evidence/stamp/stamp.ts';
import { everythingWrong, type Outside, openOutside } from './outside.ts';
import { openSealingWorld } from './seal-all.ts';
import { addMessages, authoritiesOf, openTestDb, quietLog, type TestTsa, type World } from './support.ts';

/**
 * Two sequencers and two stampers fight for one log as fast as they can, until there are so many batches and
 * a race was lost.
 */
const BATCHES = casesOf(100);
const MESSAGES_AT_ONCE = 7;
/** Senders that keep the promises they were given. */
const PROMISES_KEPT = 200;

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

it('two sequencers that race for every batch write one history', async () => {
  const databases = [openTestDb(world.url), openTestDb(world.url)];
  const stampers = databases.map((db) =>
    createStampLoop({
      db,
      clock: world.clock,
      log: quietLog,
      authorities: authoritiesOf({ ...world, db }, tsa),
      logOf: async () => world.log,
      random: Math.random,
      pollMs: 20,
    }),
  );
  const outcomes = { sequenced: 0, lost_race: 0, nothing_pending: 0, stopped: 0 };
  const promises: string[] = [];
  const running = () => outcomes.sequenced < BATCHES || outcomes.lost_race === 0;

  const sequence = async (db: World['db']) => {
    while (running()) outcomes[(await sequenceBatch({ db, clock: world.clock }, world.log)).kind]++;
  };
  const accept = async () => {
    const promiseOf = createPromises(world.log);
    while (running()) {
      const messages = await addMessages(world.db, world.log, tenantId, MESSAGES_AT_ONCE);
      if (promises.length >= PROMISES_KEPT) continue;
      const [row] = await world.db.query<{ hash: Buffer; at: Date }>(
        'select canonical_hash as hash, created_at as at from messages where message_id = $1',
        [messages[0]!.messageId],
      );
      promises.push(promiseOf(row!.hash, row!.at)!);
    }
  };
  /** Sees as many of the checkpoints as it can: what it saw once must be in all that it sees later. */
  const watch = async () => {
    const seen: unknown[] = [];
    while (running()) {
      const { status, alerts } = await outside.look();
      if (status !== 'ok') seen.push(alerts);
    }
    return seen;
  };

  for (const stamper of stampers) stamper.start();
  try {
    const [alerts] = await Promise.all([watch(), accept(), ...databases.map(sequence)]);
    expect(alerts).toEqual([]);
    while ((await sequenceBatch(world, world.log)).kind !== 'nothing_pending');
    await eventually(async () => (await world.db.query('select from stamp_queue')).length === 0);
  } finally {
    await Promise.all(stampers.map((stamper) => stamper.stop()));
    await Promise.all(databases.map((db) => db.close()));
  }
  const [row] = await world.db.query<{ leaves: number; sealed: number; messages: number }>(
    `select (select count(*) from leaves) as leaves, (select count(*) from messages) as messages,
            (select count(*) from events where type = 'email.sealed') as sealed`,
  );
  expect(row).toEqual({ leaves: row!.messages, messages: row!.messages, sealed: row!.messages });
  expect(await everythingWrong(world, outside, promises)).toEqual([]);
});
