import { PATIENCE } from '@acuse/testkit/eventually';
import type { SmtpPeer } from '@acuse/testkit/smtp-peer';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { WINDOW_MAX } from '../../src/delivery/attempt/destinations.ts';
import { pauseQueue, resumeQueue, showDestination, showMessage } from '../../src/delivery/operate/queue.ts';
import type { DeliveryDeps } from '../../src/delivery/worker.ts';
import { type Harness, openHarness } from './harness.ts';
import { routerTo } from './routers.ts';

/** Pauses by an operator: of destinations and of accounts, from outside the process that delivers. */
const HOUR_MS = 3_600_000;
/** A thousand messages and more, on a machine that does other things too. */
const WHY = { reason: 'a test', by: 'tester' };
let h: Harness;

beforeAll(async () => {
  h = await openHarness();
});
afterEach(() => h.clear('paused_destinations', 'paused_tenants', 'delivery_windows'));
afterAll(() => h.close());

const work = (host: SmtpPeer, deps?: Partial<DeliveryDeps>) =>
  h.work(routerTo(host), { pausesEveryMs: 50, ...deps });

const pauseDestination = (destination: string) => pauseQueue(h, { destination }, WHY);
const ago = (ms: number) => new Date(h.clock.now().getTime() - ms);

/** A few at once: a caller waits only so long for a connection. */
async function queueMany(tenantId: string, to: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const group = Array.from({ length: Math.min(20, count - ids.length) }, () =>
      h.queue(tenantId, { to, createdAt: ago(1_000) }),
    );
    ids.push(...(await Promise.all(group)));
  }
  return ids;
}

async function untilStatus(ids: readonly string[], status: string): Promise<void> {
  await vi.waitFor(async () => {
    const rows = await h.db.query<{ status: string; count: number }>(
      'select status, count(*)::int as count from messages where message_id = any ($1) group by 1',
      [ids],
    );
    expect(rows).toEqual([{ status, count: ids.length }]);
  }, PATIENCE);
}

async function held(): Promise<number> {
  const [row] = await h.db.query<{ n: number }>(
    'select count(*)::int as n from delivery_queue where leased_until is not null',
  );
  return row!.n;
}

describe('a paused destination', () => {
  test('is not dialled and holds no worker, while others go on; resumed, all of it goes', async () => {
    const host = await h.peer();
    const tenantId = await h.tenant();
    await pauseDestination('HELD.test');
    // More than a claim steps over: what is held must not hide what is not.
    const waiting = await queueMany(tenantId, 'a@held.test', 1_100);
    const free = await queueMany(tenantId, 'a@free.test', 20);
    const worker = work(host);
    await untilStatus(free, 'sent');
    await vi.waitFor(async () => expect([worker.active, await held()]).toEqual([0, 0]), PATIENCE);
    expect(host.messages().every((message) => message.rcpt.join().includes('free.test'))).toBe(true);
    await untilStatus(waiting, 'queued');

    expect(await resumeQueue(h, { destination: 'held.test' })).toBe(1_100);
    expect(await resumeQueue(h, { destination: 'held.test' })).toBeNull();
    await untilStatus(waiting, 'sent');
    expect(host.messages()).toHaveLength(1_120);
  });

  test('gives back what already waits for its turn', async () => {
    // Every conversation hangs at the final dot, so that all but a few messages wait for a place.
    const host = await h.peer({ dot: { kind: 'stall' } });
    const tenantId = await h.tenant();
    const ids = await queueMany(tenantId, 'a@slow.test', 60);
    const worker = work(host);
    await vi.waitFor(() => expect(worker.active).toBeGreaterThan(20), PATIENCE);
    await pauseDestination('slow.test');
    await vi.waitFor(() => expect(worker.active).toBeLessThanOrEqual(WINDOW_MAX), PATIENCE);
    const underWay = worker.active;
    // Deliveries under way end as they do; the rest is free, untried and put off.
    await vi.waitFor(async () => expect(await held()).toBe(underWay), PATIENCE);
    const [row] = await h.db.query<{ n: number }>(
      'select count(*)::int as n from messages where message_id = any ($1) and attempts = 0',
      [ids],
    );
    expect(row!.n).toBe(60);
  });

  test('lets time go on: what expires bounces as expired, unsent', async () => {
    const host = await h.peer();
    const tenantId = await h.tenant();
    await pauseDestination('late.test');
    const old = await h.queue(tenantId, { to: 'a@late.test', createdAt: ago(49 * HOUR_MS) });
    const young = await h.queue(tenantId, { to: 'a@late.test', createdAt: ago(47.9 * HOUR_MS) });
    work(host);
    await untilStatus([old], 'bounced');
    expect((await h.message(old)).events.at(-1)).toMatchObject({
      type: 'email.bounced',
      data: { bounce_type: 'expired' },
    });
    h.clock.forward(0.2 * HOUR_MS);
    await untilStatus([young], 'bounced');
    expect(host.messages()).toHaveLength(0);
  });
});

describe('a paused account', () => {
  test('sends nothing, others do; resumed, it does', async () => {
    const host = await h.peer();
    const [bad, good] = [await h.tenant(), await h.tenant()];
    await pauseQueue(h, { tenantId: bad }, WHY);
    const waiting = await queueMany(bad, 'a@d.test', 30);
    const expired = await h.queue(bad, { to: 'a@d.test', createdAt: ago(49 * HOUR_MS) });
    const free = await queueMany(good, 'a@d.test', 30);
    const worker = work(host);
    await untilStatus(free, 'sent');
    await untilStatus([expired], 'bounced');
    await vi.waitFor(async () => expect([worker.active, await held()]).toEqual([0, 0]), PATIENCE);
    expect(host.messages()).toHaveLength(30);
    expect(await resumeQueue(h, { tenantId: bad })).toBe(30);
    await untilStatus(waiting, 'sent');
  });

  test('must be there; a destination must be a domain', async () => {
    await expect(
      pauseQueue(h, { tenantId: '00000000-0000-7000-8000-000000000000' }, WHY),
    ).rejects.toMatchObject({ code: 'not_found' });
    await expect(pauseDestination('no domain')).rejects.toMatchObject({ code: 'invalid_address' });
    expect(await resumeQueue(h, { tenantId: 'x' })).toBeNull();
  });
});

test('pauses and resumes that come and go while two processes deliver leave nothing behind', async () => {
  const host = await h.peer();
  const tenantId = await h.tenant();
  const ids = await queueMany(tenantId, 'a@flap.test', 400);
  work(host, { pausesEveryMs: 5 });
  work(host, { pausesEveryMs: 7 });
  for (let n = 0; n < 25; n++) {
    await pauseDestination('flap.test');
    await pauseQueue(h, { tenantId }, WHY);
    await new Promise((resolve) => setTimeout(resolve, 15));
    await resumeQueue(h, { tenantId });
    await resumeQueue(h, { destination: 'flap.test' });
  }
  await untilStatus(ids, 'sent');
  expect(host.messages()).toHaveLength(400);
});

describe('what is said of a destination that takes no more', () => {
  test('full or closed, another process reads it while it is so', async () => {
    const host = await h.peer({ dot: { kind: 'stall' } });
    const tenantId = await h.tenant();
    const ids = await queueMany(tenantId, 'a@full.test', 40);
    const worker = work(host, { windowReportsEveryMs: 20 });
    await vi.waitFor(async () => {
      const { windows } = await showDestination(h, 'full.test');
      expect(windows).toEqual([
        { source_pool: 'default', places: 5, in_use: 5, waiting: 35, closed_until: null },
      ]);
    }, PATIENCE);
    await worker.stop(10);
    expect((await showDestination(h, 'full.test')).windows).toEqual([]);

    const dead = await h.peer({ banner: { kind: 'drop' } });
    work(dead, { windowReportsEveryMs: 20 });
    await vi.waitFor(async () => {
      const { windows } = await showDestination(h, 'full.test');
      expect(windows[0]?.closed_until).toBeInstanceOf(Date);
    }, PATIENCE);
    const untried = (
      await h.db.query<{ id: string }>(
        'select message_id as id from messages where message_id = any ($1) and attempts = 0 limit 1',
        [ids],
      )
    )[0]!.id;
    expect((await showMessage(h, untried)).why.join('\n')).toMatch(/repeatedly busy or unreachable/);
  });
});
