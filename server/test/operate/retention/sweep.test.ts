import { eventually } from '@acuse/testkit/eventually';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { retryMessage } from '../../../src/delivery/operate/retry-cancel.ts';
import { fsck } from '../../../src/evidence/fsck/fsck.ts';
import { createRetentionMetrics } from '../../../src/operate/retention/metrics.ts';
import { readRetentionStatus, runRetention } from '../../../src/operate/retention/retention-run.ts';
import { reach, SWEEP_PAGE, sweepTenant } from '../../../src/operate/retention/sweep.ts';
import { createRetention } from '../../../src/operate/retention/worker.ts';
import { newId } from '../../../src/platform/ids.ts';
import { createLog } from '../../../src/platform/logger.ts';
import { createMetrics } from '../../../src/platform/metrics.ts';
import { attempt } from '../../evidence/deliveries.ts';
import {
  addPlainMessage,
  addTenant,
  faultyDb,
  InjectedCrash,
  openTestDb,
  openWorld,
  type World,
} from '../../evidence/support.ts';
import { AheadClock, deletions, sentCertified, sentPlain, withContent } from './support.ts';

const PLAIN_DAYS = 90;
const RECORD_DAYS = 36_500;
const CERTIFIED_YEARS = 10;
const CONTENT_ALONE = { records: false, certified: null };
let clock: AheadClock;
let world: World;
let tenantId: string;
const deps = () => ({
  ...world,
  ...{ plainDays: PLAIN_DAYS, recordDays: RECORD_DAYS, certifiedYears: CERTIFIED_YEARS },
});
const sweep = (from: string | null = null, tenant = tenantId) => sweepTenant(deps(), tenant, from);

beforeEach(async () => {
  clock = new AheadClock();
  world = await openWorld(clock);
  tenantId = await addTenant(world.db);
});
afterEach(() => world.close());

describe('the content of a plain message', () => {
  it('is kept for its days and deleted after them, on record; what happened to the message stays', async () => {
    const messages = await sentPlain(world, tenantId, 3);
    clock.forward(PLAIN_DAYS - 1);
    expect(await sweep()).toMatchObject({ messages: 0, bytes: 0, more: false });
    expect(await withContent(world.db, messages)).toEqual([true, true, true]);
    clock.forward(1.1);
    const before = await everythingElse();
    const [{ bytes } = { bytes: 0 }] = await world.db.query<{ bytes: number }>(
      'select sum(length(raw) + length(submission)) as bytes from message_contents',
    );
    expect(await sweep()).toMatchObject({ messages: 3, bytes: Number(bytes), more: false });
    expect(await withContent(world.db, messages)).toEqual([false, false, false]);
    expect(await everythingElse()).toEqual(before);
    expect(await deletions(world.db)).toMatchObject(
      messages.map(({ messageId }) => ({ message_id: messageId, tenant_id: tenantId, cause: 'retention' })),
    );
    expect(await fsck(world)).toMatchObject({ problems: [] });
  });

  it('stays for as long as the message waits, however old, and goes once it has ended', async () => {
    const waiting = await addPlainMessage(world.db, world.log, tenantId, clock.now());
    await attempt(world.db, [waiting], 'deferred', clock);
    const [ended] = await sentPlain(world, tenantId, 1);
    clock.forward(PLAIN_DAYS + 1);
    const first = await sweep();
    expect(first.messages).toBe(1);
    expect(await withContent(world.db, [waiting, ended!])).toEqual([true, false]);
    // Not passed over: the next sweep begins before it.
    expect(first.sweptTo).toBe(null);
    await attempt(world.db, [waiting], 'sent', clock);
    expect(await sweep(first.sweptTo)).toMatchObject({ messages: 1, sweptTo: ended!.messageId });
  });

  it('stays where a retry and a sweep meet', async () => {
    const waiting = await addPlainMessage(world.db, world.log, tenantId, clock.now());
    await attempt(world.db, [waiting], 'deferred', clock);
    clock.forward(PLAIN_DAYS + 1);
    const byHand = { ...world, hostname: 'mail.acuse.test', promiseOf: () => '' };
    await Promise.all([
      ...Array.from({ length: 5 }, () => sweep()),
      ...Array.from({ length: 5 }, () => retryMessage(byHand, tenantId, waiting.messageId)),
    ]);
    expect(await withContent(world.db, [waiting])).toEqual([true]);
    expect(await deletions(world.db)).toEqual([]);
  });

  it('of one account is none of another’s business, nor is a message’s that has the same words', async () => {
    const other = await addTenant(world.db);
    const [mine] = await sentPlain(world, tenantId, 1);
    const [theirs] = await sentPlain(world, other, 1);
    clock.forward(PLAIN_DAYS + 1);
    const [young] = await sentPlain(world, tenantId, 1);
    expect(await sweep()).toMatchObject({ messages: 1 });
    expect(await withContent(world.db, [mine!, theirs!, young!])).toEqual([false, true, true]);
    expect(await sweep(null, other)).toMatchObject({ messages: 1 });
  });

  it('is deleted sooner when the days are made fewer, and what was swept is not looked at again', async () => {
    const messages = await sentPlain(world, tenantId, 2);
    clock.forward(10);
    expect(await sweep()).toMatchObject({ messages: 0, sweptTo: null });
    const swept = await sweepTenant({ ...world, plainDays: 5 }, tenantId, null);
    expect(swept).toMatchObject({ messages: 2, sweptTo: messages[1]!.messageId });
    expect(await sweepTenant({ ...world, plainDays: 5 }, tenantId, swept.sweptTo)).toMatchObject({
      messages: 0,
      sweptTo: swept.sweptTo,
    });
  });
});

/** Every row of the tables that tell what happened. */
async function everythingElse(): Promise<unknown> {
  const tables = ['messages', 'attempts', 'events', 'delivery_reports', 'daily_counters', 'leaf_contents'];
  return Promise.all(tables.map((table) => world.db.query(`select * from ${table} order by 1, 2`)));
}

it('nothing deletes certified content by itself, however old it is', async () => {
  const messages = await sentCertified(world, tenantId, 2);
  clock.forward(365 * 40);
  expect(await sweep()).toMatchObject({ messages: 0, sweptTo: messages[1]!.messageId });
  expect(await runRetention(deps(), CONTENT_ALONE)).toEqual({
    plain: { messages: 0, bytes: 0 },
    ...{ records: { messages: 0 }, certified: null },
  });
  expect(await withContent(world.db, messages)).toEqual([true, true]);
  expect(await readRetentionStatus(deps())).toMatchObject({
    plainDue: { found: 0, more: false },
    certifiedPast: { found: 2, more: false },
    deleted: { messages: 0, lastAt: null },
    erased: { messages: 0, lastAt: null },
  });
});

it('an operator erases certified evidence whose years are over, and no other', async () => {
  const old = await sentCertified(world, tenantId, 2);
  clock.forward(365 * CERTIFIED_YEARS + 4);
  const young = await sentCertified(world, tenantId, 1);
  const done = await runRetention(deps(), { records: false, certified: { by: 'ana' } });
  expect(done.certified).toMatchObject({ messages: 2 });
  expect(await withContent(world.db, [...old, ...young])).toEqual([false, false, true]);
  expect(await deletions(world.db)).toMatchObject(
    old.map(({ messageId: message_id }) => ({
      message_id,
      cause: 'erasure',
      reason: 'its 10 years are over',
      deleted_by: 'ana',
    })),
  );
  expect(await runRetention(deps(), { records: false, certified: { by: 'ana' } })).toMatchObject({
    certified: { messages: 0 },
  });
  expect(await readRetentionStatus(deps())).toMatchObject({
    certifiedPast: { found: 0, more: false },
    erased: { messages: 2, lastAt: expect.any(Date) },
  });
});

it('the status counts no further than its limit, over all accounts together, and says so', async () => {
  await sentPlain(world, tenantId, 3);
  await sentPlain(world, await addTenant(world.db), 3);
  clock.forward(PLAIN_DAYS + 1);
  const status = (limit: number) => readRetentionStatus(deps(), limit);
  expect((await status(7)).plainDue).toEqual({ found: 6, more: false });
  for (const limit of [2, 3, 5, 6])
    expect((await status(limit)).plainDue).toEqual({ found: limit, more: true });
  expect(await runRetention(deps(), CONTENT_ALONE)).toMatchObject({ plain: { messages: 6 } });
  expect(await status(7)).toMatchObject({ plainDue: { found: 0, more: false }, deleted: { messages: 6 } });
  expect(await status(4)).toMatchObject({ deleted: { messages: 4, lastAt: expect.any(Date) } });
});

it('counts the years from the last thing that happened to a message', async () => {
  const [message] = await sentCertified(world, tenantId, 1);
  await world.db.execute(
    "update messages set status = 'complained', complained_at = created_at + interval '20 days' where message_id = $1",
    [message!.messageId],
  );
  clock.forward(365 * CERTIFIED_YEARS + 4);
  expect((await runRetention(deps(), { records: false, certified: { by: 'ana' } })).certified).toMatchObject({
    messages: 0,
  });
  clock.forward(20);
  expect((await runRetention(deps(), { records: false, certified: { by: 'ana' } })).certified).toMatchObject({
    messages: 1,
  });
});

describe('a sweep', () => {
  it('goes through more than one page, waiting messages among them', async () => {
    const first = await sentPlain(world, tenantId, 3);
    const waiting = await addPlainMessage(world.db, world.log, tenantId, clock.now());
    await fillUp(SWEEP_PAGE + 5);
    clock.forward(PLAIN_DAYS + 1);
    const swept = await sweep();
    expect(swept).toMatchObject({ messages: SWEEP_PAGE + 8, sweptTo: first[2]!.messageId, more: false });
    expect(await withContent(world.db, [waiting])).toEqual([true]);
    expect(await world.db.query('select from message_contents')).toHaveLength(1);
  });

  it('rests after each page but the last, and may be ended there', async () => {
    await fillUp(SWEEP_PAGE * 2 + 5);
    clock.forward(PLAIN_DAYS + 1);
    const rests: number[] = [];
    const rest = async (tookMs: number) => void rests.push(tookMs);
    const mayGoOn = () => rests.length < 1;
    const first = await sweepTenant(deps(), tenantId, null, { mayGoOn, rest });
    expect(first).toMatchObject({ messages: SWEEP_PAGE, more: true });
    const last = await sweepTenant(deps(), tenantId, first.sweptTo, { mayGoOn: () => true, rest });
    expect(last).toMatchObject({ messages: SWEEP_PAGE + 5, more: false });
    expect(rests).toHaveLength(2);
    expect(Math.min(...rests)).toBeGreaterThan(0);
  });

  it('by two processes at once deletes everything once', async () => {
    await fillUp(SWEEP_PAGE * 2 + 50);
    clock.forward(PLAIN_DAYS + 1);
    const other = openTestDb(world.url);
    const results = await Promise.all([sweep(), sweepTenant({ ...deps(), db: other }, tenantId, null)]);
    await other.close();
    expect(results[0]!.messages + results[1]!.messages).toBe(SWEEP_PAGE * 2 + 50);
    expect(await world.db.query('select from message_contents')).toEqual([]);
    expect(await deletions(world.db)).toHaveLength(SWEEP_PAGE * 2 + 50);
  });

  it.each([
    { at: 1, persisted: false },
    { at: 1, persisted: true },
    { at: 'commit', persisted: false },
    { at: 'commit', persisted: true },
  ] as const)(
    'that breaks off ($at, persisted: $persisted) leaves no content without its record',
    async (fault) => {
      await sentPlain(world, tenantId, 3);
      clock.forward(PLAIN_DAYS + 1);
      const broken = sweepTenant({ ...deps(), db: faultyDb(world.db, fault) }, tenantId, null);
      await expect(broken).rejects.toThrow(InjectedCrash);
      const gone = 3 - (await world.db.query('select from message_contents')).length;
      expect([gone, (await deletions(world.db)).length]).toEqual(
        fault.at === 'commit' && fault.persisted ? [3, 3] : [0, 0],
      );
      expect(await fsck(world)).toMatchObject({ problems: [] });
      expect(await sweep()).toMatchObject({ messages: 3 - gone });
    },
  );

  it('is on the loop: every account in turn, once an hour, with what it did in the metrics', async () => {
    const other = await addTenant(world.db);
    await sentPlain(world, tenantId, 2);
    await sentPlain(world, other, 1);
    clock.forward(PLAIN_DAYS + 1);
    const metrics = createMetrics({ log: createLog('silent'), process: false });
    const counted = createRetentionMetrics(metrics, world);
    const loops = [0, 1].map(() =>
      createRetention({
        ...deps(),
        log: createLog('silent'),
        pollMs: 5,
        ...counted,
      }),
    );
    for (const loop of loops) loop.start();
    const sweeps = () =>
      world.db.query<{ swept_to: string | null; attempt: number; due_at: Date }>(
        "select * from retention_sweeps where swept_to is not null and due_at > $1::timestamptz + interval '50 minutes'",
        [clock.now().toISOString()],
      );
    await eventually(async () => (await sweeps()).length === 2);
    for (const loop of loops) await loop.stop();
    expect((await sweeps()).map(({ attempt }) => attempt)).toEqual([1, 1]);
    expect(await world.db.query('select from message_contents')).toEqual([]);
    expect(await metrics.text()).toMatch(/^acuse_retention_deleted_messages_total 3$/m);
    expect(await metrics.text()).toMatch(/^acuse_retention_overdue_seconds 0$/m);
  });
});

/** Sent plain messages, made by one statement. */
async function fillUp(count: number): Promise<void> {
  await sentPlain(world, tenantId, 1);
  const ids = Array.from({ length: count - 1 }, () => newId());
  await world.db.transact(async (tx) => {
    await tx.execute(
      `insert into messages (tenant_id, message_id, idempotency_key, header_from, header_to, sender_address,
        recipient_address, reverse_path, subject,
              certified, status, size_bytes, created_at, sent_at)
       select $1, id, id::text, 'a@sender.test', 'b@example.test', 'a@sender.test', 'b@example.test',
         'c@sender.test', 'x', false, 'sent', 1, $3, $3
         from unnest($2::uuid[]) as id`,
      [tenantId, ids, clock.now().toISOString()],
    );
    await tx.execute(
      `insert into message_contents (tenant_id, message_id, raw, submission) select $1, id, 'x', 'y' from unnest($2::uuid[]) as id`,
      [tenantId, ids],
    );
  });
}

it('a page is done up to the first message that was left behind', () => {
  const row = (message_id: string, fate: 'deleted' | 'left' | 'none') => ({ message_id, fate, bytes: 0 });
  expect(reach([])).toEqual({ to: null, whole: true });
  expect(reach([row('a', 'none'), row('b', 'deleted')])).toEqual({ to: 'b', whole: true });
  expect(reach([row('a', 'none'), row('b', 'left'), row('c', 'deleted')])).toEqual({ to: 'a', whole: false });
  expect(reach([row('a', 'left')])).toEqual({ to: null, whole: false });
});
