import { PATIENCE } from '@acuse/testkit/eventually';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createDestinations } from '../../src/delivery/attempt/destinations.ts';
import {
  claimDue,
  claimDueElsewhere,
  extendLeases,
  findSuppressed,
  postponeDue,
} from '../../src/delivery/claim/claim-store.ts';
import { createClaims } from '../../src/delivery/claim/claim-turns.ts';
import { toClaimed } from '../../src/delivery/claim/claimed-message.ts';
import { findDueTenants } from '../../src/delivery/claim/due-store.ts';
import { createMessageLeases } from '../../src/delivery/claim/leases.ts';
import { createPlaces, SLOW_AFTER_MS } from '../../src/delivery/claim/places.ts';
import { deleteHeld, requeueHeld } from '../../src/delivery/record/record-store.ts';
import { newId } from '../../src/platform/ids.ts';
import { LEASE_MS } from '../../src/platform/queue/leases.ts';
import { endLeases, type Harness, log, NO_PAUSES, openHarness } from './harness.ts';
import { hopTo, routerBy } from './routers.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
let h: Harness;
beforeAll(async () => {
  h = await openHarness();
});
afterEach(() => h.db.execute('delete from delivery_queue'));
afterAll(() => h.close());

const ago = (ms: number) => new Date(h.clock.now().getTime() - ms);
const ahead = (ms: number) => new Date(h.clock.now().getTime() + ms);
const claim = (tenantId: string, limit = 10) => claimDue(h.db, { tenantId, now: h.clock.now(), limit });

describe('claims', () => {
  test('take the oldest due of one tenant, once', async () => {
    const [one, two] = [await h.tenant(), await h.tenant()];
    const newer = await h.queue(one, { createdAt: ago(1_000) });
    const oldest = await h.queue(one, { createdAt: ago(9_000) });
    await h.queue(one, { createdAt: ahead(60_000) });
    const other = await h.queue(two, { createdAt: ago(99_000) });
    expect((await claim(one, 1)).map((row) => row.message_id)).toEqual([oldest]);
    expect((await claim(one)).map((row) => row.message_id)).toEqual([newer]);
    expect(await claim(one)).toEqual([]);
    expect((await claim(two)).map((row) => row.message_id)).toEqual([other]);
  });

  test('at once from many sides give each message to one', async () => {
    const tenantId = await h.tenant();
    const ids = await Promise.all(
      Array.from({ length: 60 }, () => h.queue(tenantId, { createdAt: ago(1_000) })),
    );
    const all = (await Promise.all(Array.from({ length: 12 }, () => claim(tenantId, 7)))).flat();
    expect(all.map((row) => row.message_id).sort()).toEqual([...ids].sort());
    expect(new Set(all.map((row) => row.attempt))).toEqual(new Set([1]));
  });

  test('carry what an attempt needs to know', async () => {
    const tenantId = await h.tenant();
    const id = await h.queue(tenantId, { to: 'Who@d.test', certified: true, createdAt: ago(1_000) });
    await h.db.execute(
      "update messages set status = 'deferred', deferred_at = now(), attempts = 3 where message_id = $1",
      [id],
    );
    const [item] = (await claim(tenantId)).map(toClaimed);
    expect(item).toMatchObject({
      messageId: id,
      destination: 'd.test',
      fence: 1,
      headerTo: 'Who@d.test',
      recipientAddress: 'Who@d.test',
      certified: true,
      attemptsMade: 3,
      wasDeferred: true,
    });
  });

  test('leave destinations out, but for what has expired', async () => {
    const tenantId = await h.tenant();
    await h.queue(tenantId, { to: 'a@full.test', createdAt: ago(9_000) });
    const free = await h.queue(tenantId, { to: 'a@free.test', createdAt: ago(1_000) });
    const old = await h.queue(tenantId, { to: 'a@full.test', createdAt: ago(49 * 60 * MINUTE_MS) });
    const take = (horizon: number) =>
      claimDueElsewhere(h.db, {
        tenantId,
        now: h.clock.now(),
        limit: 10,
        leaveOut: ['full.test'],
        horizon,
      });
    expect((await take(2)).map((row) => row.message_id)).toEqual([old]);
    expect((await take(2)).map((row) => row.message_id)).toEqual([free]);
  });

  test('step aside from paused destinations, without touching a lease', async () => {
    const tenantId = await h.tenant();
    const waiting = await h.queue(tenantId, { to: 'a@paused.test', createdAt: ago(9_000) });
    const other = await h.queue(tenantId, { to: 'a@free.test', createdAt: ago(1_000) });
    const old = await h.queue(tenantId, { to: 'b@paused.test', createdAt: ago(49 * 60 * MINUTE_MS) });
    const until = ahead(5 * MINUTE_MS);
    expect(
      await postponeDue(
        h.db,
        tenantId,
        h.clock.now(),
        new Map([['paused.test', { until, capId: null }]]),
        100,
      ),
    ).toBe(1);
    const due = await h.db.query<{ message_id: string; due_at: Date; attempt: number }>(
      'select message_id, due_at, attempt from delivery_queue',
    );
    const dueOf = (id: string) => due.find((row) => row.message_id === id)!;
    expect([dueOf(waiting).due_at, dueOf(waiting).attempt]).toEqual([until, 0]);
    expect(dueOf(other).due_at < until && dueOf(old).due_at < until).toBe(true);
  });

  test('tenants with due work are found in order, those with an ended lease too, and only those', async () => {
    const tenants = (await Promise.all(Array.from({ length: 5 }, () => h.tenant()))).sort();
    await h.queue(tenants[0]!, { createdAt: ago(1_000) });
    const oldest = ago(2_000);
    await h.queue(tenants[0]!, { createdAt: oldest });
    await h.queue(tenants[1]!, { createdAt: ahead(60_000) });
    await h.queue(tenants[2]!, { createdAt: ago(500) });
    await h.queue(tenants[3]!, { createdAt: ago(1_000) });
    await h.queue(tenants[4]!, { createdAt: ago(3_000) });
    await claim(tenants[2]!);
    await claim(tenants[4]!);
    await h.db.execute(
      // Not now(): the column rounds it to a millisecond, half of the time to one that is still to come.
      `update delivery_queue set due_at = now() - interval '1 second',
        leased_until = now() - interval '1 millisecond' where tenant_id = $1`,
      [tenants[2]],
    );
    const find = (from: Date | null) => h.db.observe((tx) => findDueTenants(tx, h.clock.now(), from));
    expect(await find(null)).toEqual({
      owners: [tenants[0], tenants[2], tenants[3]],
      more: false,
      oldest,
    });
    expect((await find(ago(1))).owners).toEqual([]);
    await h.db.execute('delete from delivery_queue');
    expect(await find(null)).toEqual({ owners: [], more: false, oldest: null });
  });
});

describe('the fence', () => {
  test('lets only the holder write back', async () => {
    const tenantId = await h.tenant();
    const id = await h.queue(tenantId, { createdAt: ago(1_000) });
    const first = { tenantId, messageId: id, attempt: 1 };
    await claim(tenantId);
    await endLeases(h);
    await h.db.execute('update delivery_queue set due_at = $1', [ago(1)]);
    expect((await claim(tenantId))[0]!.attempt).toBe(2);
    expect(await h.db.transact((tx) => deleteHeld(tx, [first]))).toEqual([]);
    expect(await h.db.transact((tx) => requeueHeld(tx, [{ ...first, dueAt: ago(1) }]))).toEqual([]);
    expect(await extendLeases(h.db, [first])).toEqual(new Set());
    const second = { ...first, attempt: 2 };
    expect(await extendLeases(h.db, [second])).toEqual(new Set([id]));
    expect(await h.db.transact((tx) => deleteHeld(tx, [second]))).toEqual([id]);
    expect(await h.db.transact((tx) => deleteHeld(tx, [second]))).toEqual([]);
  });

  test('a message given back cannot be extended', async () => {
    const tenantId = await h.tenant();
    const id = await h.queue(tenantId, { createdAt: ago(1_000) });
    await claim(tenantId);
    const held = { tenantId, messageId: id, attempt: 1 };
    expect(await h.db.transact((tx) => requeueHeld(tx, [{ ...held, dueAt: ago(1) }]))).toEqual([id]);
    expect(await extendLeases(h.db, [held])).toEqual(new Set());
  });
});

describe('leases', () => {
  test('are extended while work goes on, and aborted when lost', async () => {
    const tenantId = await h.tenant();
    const [kept, lost] = [
      await h.queue(tenantId, { createdAt: ago(2_000) }),
      await h.queue(tenantId, { createdAt: ago(1_000) }),
    ];
    const places = createPlaces({ clock: h.clock, places: 50 });
    const leases = createMessageLeases({ db: h.db, clock: h.clock, log, places });
    const items = leases.hold((await claim(tenantId)).map(toClaimed), leases.mark());
    expect([leases.size, places.used]).toEqual([2, 2]);
    h.clock.forward(LEASE_MS - SECOND_MS);
    await h.db.execute('update delivery_queue set attempt = attempt + 1 where message_id = $1', [lost]);
    await leases.extend();
    const signals = new Map(items.map((item) => [item.messageId, leases.signalOf(item)]));
    expect([signals.get(kept)!.aborted, signals.get(lost)!.aborted]).toEqual([false, true]);
    await endLeases(h, lost);
    expect(await claim(tenantId)).toMatchObject([{ message_id: lost }]);
    leases.drop(items);
    expect([leases.size, places.used]).toEqual([0, 0]);
  });

  test('a message claimed anew by the process that works on it is not begun twice', async () => {
    const tenantId = await h.tenant();
    await h.queue(tenantId, { createdAt: ago(1_000) });
    const places = createPlaces({ clock: h.clock, places: 50 });
    const leases = createMessageLeases({ db: h.db, clock: h.clock, log, places });
    const [item] = leases.hold((await claim(tenantId)).map(toClaimed), leases.mark());
    await endLeases(h, item!.messageId);
    expect(leases.hold((await claim(tenantId)).map(toClaimed), leases.mark())).toEqual([]);
    expect([item!.fence, leases.size]).toEqual([2, 1]);
    await leases.extend();
    expect(leases.signalOf(item!).aborted).toBe(false);
  });
});

describe('a tenant alone', () => {
  const router = routerBy(async () => ({ kind: 'hops', hops: [] }));

  test('leaves a fifth of the places free, and each of several less', async () => {
    const tenants = [await h.tenant(), await h.tenant(), await h.tenant()];
    for (const tenantId of tenants)
      for (let i = 0; i < 60; i++) await h.queue(tenantId, { createdAt: ago(1_000) });
    const places = createPlaces({ clock: h.clock, places: 50 });
    const leases = createMessageLeases({ db: h.db, clock: h.clock, log, places });
    const destinations = createDestinations({ clock: h.clock, fixedWindow: null, onRoom() {} });
    const claims = createClaims({
      db: h.db,
      clock: h.clock,
      log,
      places,
      destinations,
      router,
      pauses: NO_PAUSES,
      caps: { heldOf: () => new Map() },
      concurrency: 50,
      wake() {},
    });
    const take = async (tenantId: string) => {
      const askedAt = leases.mark();
      return leases.hold(await claims.claim(tenantId, 50), askedAt);
    };
    expect(await take(tenants[0]!)).toHaveLength(40);
    expect(await take(tenants[0]!)).toHaveLength(0);
    expect(await take(tenants[1]!)).toHaveLength(8);
    expect((await take(tenants[2]!)).length).toBeGreaterThan(0);
    // What is slow by now leaves its place; nobody is held up while few are.
    h.clock.forward(SLOW_AFTER_MS);
    expect(places.used).toBe(0);
    expect(await take(tenants[0]!)).toHaveLength(20);
    h.clock.forward(SLOW_AFTER_MS);
    expect(tenants.map(places.roomFor)).toEqual([0, 40, 40]);
  });

  test('messages to addresses suppressed since are marked, in any spelling, on either list', async () => {
    const tenantId = await h.tenant();
    const own = await h.queue(tenantId, { to: 'Own@d.test', createdAt: ago(3_000) });
    const global = await h.queue(tenantId, { to: 'global@d.test', createdAt: ago(2_000) });
    const free = await h.queue(tenantId, { to: 'free@d.test', createdAt: ago(1_000) });
    await h.db.execute(
      "insert into suppressions (tenant_id, suppression_id, address, reason, source, created_at) values ($1, $2, 'own@d.test', 'x', 'manual', now())",
      [tenantId, newId()],
    );
    await h.db.execute(
      "insert into global_suppressions (address, reason, created_at) values ('global@d.test', 'x', now())",
    );
    expect(await findSuppressed(h.db, await h.tenant(), ['own@d.test', 'global@d.test'])).toEqual(
      new Set(['global@d.test']),
    );
    const places = createPlaces({ clock: h.clock, places: 50 });
    const destinations = createDestinations({ clock: h.clock, fixedWindow: null, onRoom() {} });
    const claims = createClaims({
      db: h.db,
      clock: h.clock,
      log,
      places,
      destinations,
      router,
      pauses: NO_PAUSES,
      caps: { heldOf: () => new Map() },
      concurrency: 50,
      wake() {},
    });
    const items = await claims.claim(tenantId, 10);
    expect(
      items
        .filter((item) => item.suppressed)
        .map((item) => item.messageId)
        .sort(),
    ).toEqual([own, global].sort());
    expect(items.find((item) => item.messageId === free)!.suppressed).toBe(false);
  });
});

test('a dead destination holds no worker: what waits for it is put off, and comes back', async () => {
  const tenantId = await h.tenant();
  const ids = await Promise.all(
    Array.from({ length: 80 }, () => h.queue(tenantId, { to: 'a@dead.test', createdAt: ago(1_000) })),
  );
  let dials = 0;
  const worker = h.work(
    routerBy(async () => {
      dials++;
      // Port 1 on loopback refuses at once.
      return { kind: 'hops', hops: [hopTo({ port: 1 }, 'dead.test')] };
    }),
  );
  await vi.waitFor(async () => {
    const [row] = await h.db.query<{ due: number }>(
      'select count(*)::int as due from delivery_queue where due_at <= $1',
      [h.clock.now()],
    );
    expect([row!.due, worker.active]).toEqual([0, 0]);
  }, PATIENCE);
  await worker.stop();
  // A few were tried, and are deferred on their own schedule; the rest waits for the destination, untried.
  expect(dials).toBeLessThanOrEqual(8);
  const states = await h.db.query<{ status: string; attempts: number; count: number }>(
    'select status, attempts, count(*)::int as count from messages where message_id = any ($1) group by 1, 2 order by 1',
    [ids],
  );
  expect(states).toEqual([
    { status: 'deferred', attempts: 1, count: dials },
    { status: 'queued', attempts: 0, count: 80 - dials },
  ]);
  const [soon] = await h.db.query<{ count: number }>(
    'select count(*)::int as count from delivery_queue where due_at <= $1',
    [ahead(6_000)],
  );
  expect(soon!.count).toBe(80 - dials);
});
