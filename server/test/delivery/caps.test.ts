import { PATIENCE } from '@acuse/testkit/eventually';
import type { PeerScript, SmtpPeer } from '@acuse/testkit/smtp-peer';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createBudgets, LEASE_SHARE } from '../../src/delivery/attempt/cap-budgets.ts';
import { createCaps } from '../../src/delivery/attempt/caps.ts';
import type { Router } from '../../src/delivery/next-hop/router.ts';
import { type CapScope, EACH } from '../../src/delivery/operate/cap-store.ts';
import { capSending, type GivenCap, showCaps, uncap } from '../../src/delivery/operate/caps.ts';
import { showMessage, showWaiting } from '../../src/delivery/operate/queue.ts';
import { sumQueue } from '../../src/delivery/operate/queue-store.ts';
import { type Harness, openHarness } from './harness.ts';
import { hopTo } from './routers.ts';

/** Caps on what goes out, and the warm-up of an address: over real connections from addresses of loopback. */
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const NEW = { ehloName: 'new.acuse.test', localAddress: '127.0.0.2' };
const WARM = { ehloName: 'warm.acuse.test', localAddress: '127.0.0.3' };
const KNOWN = { pools: new Set(['default', 'bulk']), names: new Set([NEW.ehloName, WARM.ehloName]) };
const ANY: CapScope = { tenant_id: null, source_pool: null, source: null, receiver: null };

let h: Harness;

beforeAll(async () => {
  h = await openHarness();
  // In its last fifth caps are open to all.
  toNextDay(20 * HOUR_MS);
});
afterEach(() => h.clear('delivery_cap_counts', 'delivery_caps'));
afterAll(() => h.close());

/** Neither a day ends while a test counts, nor does the last fifth of one begin. */
function toNextDay(after: number): void {
  h.clock.forward(DAY_MS - (h.clock.now().getTime() % DAY_MS) + after);
}

type Given = Partial<Omit<GivenCap, 'scope'>> & { readonly scope?: Partial<CapScope> };

function cap({ scope = {}, ...given }: Given) {
  return capSending(
    h,
    {
      ...{ scope: { ...ANY, ...scope }, period: 'day', steps: null, warmsUp: false },
      ...{ reason: 'a test', by: 'tester', days: null, ...given },
    },
    KNOWN,
  );
}

const warmUp = (steps: readonly number[]) => cap({ scope: { source: NEW.ehloName }, steps, warmsUp: true });

function routerOf(peer: SmtpPeer, sources: readonly (typeof NEW)[]): Router {
  return {
    ...{ onlyKey: null, fixedWindow: null },
    sourcesOf: () => sources.map(({ ehloName }) => ({ key: `default/${ehloName}`, ehloName })),
    receiverOf: async (destination) => (destination.endsWith('.big.test') ? 'big.test' : destination),
    routeOf: ({ destination }, key) => ({
      key: destination,
      pool: key ?? 'default',
      find: async () => {
        const source = sources.find(({ ehloName }) => `default/${ehloName}` === key)!;
        return { kind: 'hops', hops: [{ ...hopTo(peer, `mx1.${destination}`), source }] };
      },
    }),
  };
}

const peerWith = (script?: PeerScript) => h.peer(script, { host: '127.0.0.1' });

function queue(tenantId: string, count: number, domain = 'd.test'): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, (_, at) =>
      h.queue(tenantId, { to: `r${at}@${domain}`, from: 's@acuse.test' }),
    ),
  );
}

/** Copies of one message. */
async function queueMany(tenantId: string, count: number): Promise<void> {
  const first = await h.queue(tenantId, { to: 'many@d.test', from: 's@acuse.test' });
  for (const table of ['messages', 'message_contents', 'delivery_queue']) {
    const [row] = await h.db.query<{ columns: string }>(
      `select string_agg(quote_ident(column_name), ', ') as columns from information_schema.columns
        where table_name = $1 and is_generated = 'NEVER'`,
      [table],
    );
    const copied = row!.columns
      .replace(/\bmessage_id\b/, 'md5(n.at::text)::uuid')
      .replace(/\bidempotency_key\b/, 'n.at::text');
    await h.db.execute(
      `insert into ${table} (${row!.columns})
       select ${copied} from ${table}, generate_series(2, $2::integer) as n (at) where message_id = $1`,
      [first, count],
    );
  }
}

const isHeldBy = async (messageId: string) =>
  (
    await h.db.query<{ held_by: string | null }>('select held_by from delivery_queue where message_id = $1', [
      messageId,
    ])
  )[0]?.held_by;

/** Messages taken, by the address that they came from. */
const takenFrom = (peer: SmtpPeer) => {
  const by: Record<string, number> = {};
  for (const { remoteAddress, messages } of peer.sessions)
    by[remoteAddress] = (by[remoteAddress] ?? 0) + messages.length;
  return by;
};
const waiting = async () =>
  (await h.db.query<{ held_by: string | null }>('select held_by from delivery_queue')).map(
    (row) => row.held_by,
  );
const countsOf = async () =>
  (await showCaps(h))[0]!.counts.map(({ receiver, step, taken }) => [receiver, step, taken]);

const SOON = { capsEveryMs: 20, random: Math.random };

describe('the warm-up of an address', () => {
  test('of 200 messages over two addresses: the new one gets its day, the warm one the rest', async () => {
    const peer = await peerWith();
    await warmUp([50, 60]);
    const ids = await queue(await h.tenant(), 200);
    const worker = h.work(routerOf(peer, [NEW, WARM]), SOON);
    for (const id of ids) expect((await h.attempted(id)).status).toBe('sent');
    expect(takenFrom(peer)).toEqual({ '127.0.0.2': 50, '127.0.0.3': 150 });
    await worker.stop();
    expect(await countsOf()).toEqual([['d.test', 0, 50]]);

    // The next day, a step up.
    h.clock.forward(DAY_MS);
    const next = await queue(await h.tenant(), 220);
    h.work(routerOf(peer, [NEW, WARM]), SOON);
    for (const id of next) expect((await h.attempted(id)).status).toBe('sent');
    expect(takenFrom(peer)).toEqual({ '127.0.0.2': 110, '127.0.0.3': 310 });
  });

  test('without a warm address the rest waits, says why, and goes when the day ends or the cap is taken back', async () => {
    const peer = await peerWith();
    const { cap_id: id } = await warmUp([30, 60]);
    const tenantId = await h.tenant();
    const ids = await queue(tenantId, 100);
    const worker = h.work(routerOf(peer, [NEW]), SOON);
    await vi.waitFor(async () => {
      expect(await waiting()).toEqual(Array.from({ length: 70 }, () => id));
    }, PATIENCE);
    expect(takenFrom(peer)).toEqual({ '127.0.0.2': 30 });
    const queued = await sumQueue(h.db, { tenantId, destination: null }, h.clock.now());
    expect(queued).toMatchObject({ due: 0, waiting: 70, capped: 70 });
    const left = await h.db.query<{ message_id: string }>('select message_id from delivery_queue limit 1');
    const [reason] = await showWaiting(h, tenantId, left[0]!.message_id);
    expect(reason).toMatchObject({ code: 'capped', until: expect.any(Date) });
    expect(reason!.text).not.toContain('tester');
    expect((await showMessage(h, left[0]!.message_id)).why.join()).toMatch(
      /The warm-up of new\.acuse\.test has sent .*tester: a test.*acuse queue uncap/,
    );

    h.clock.forward(DAY_MS);
    worker.wake();
    await vi.waitFor(async () => expect(await waiting()).toHaveLength(10), PATIENCE);
    expect(await uncap(h, id)).toMatchObject({ cap: { cap_id: id } });
    worker.wake();
    for (const each of ids) expect((await h.attempted(each)).status).toBe('sent');
  });

  test('stops for the day at a receiver that turns much away, goes back a step there, and goes on elsewhere', async () => {
    const peer = await peerWith({
      rcpt: ({ commands }) =>
        commands.some((line) => line.includes('@angry.test'))
          ? '451 4.7.1 too many from you\r\n'
          : { kind: 'default' },
    });
    const { cap_id: id } = await warmUp([100, 200]);
    await h.db.execute(
      `insert into delivery_cap_counts (cap_id, receiver, starts_at, step, taken, answered)
       values ($1, 'angry.test', $2, 0, 100, 100)`,
      [id, new Date(Math.floor(h.clock.now().getTime() / DAY_MS) * DAY_MS - DAY_MS).toISOString()],
    );
    const tenantId = await h.tenant();
    await queue(tenantId, 60, 'angry.test');
    const calm = await queue(tenantId, 60, 'calm.test');
    const worker = h.worker(routerOf(peer, [NEW]), { ...SOON, random: () => 0 });
    worker.start();
    for (const each of calm) expect((await h.attempted(each)).status).toBe('sent');
    const angry = async () =>
      (await showCaps(h))[0]!.counts.find(({ receiver }) => receiver === 'angry.test');
    await vi.waitFor(async () => expect((await angry())!.turned_away).toBeGreaterThan(0), PATIENCE);
    await worker.stop();
    expect(await angry()).toMatchObject({ step: 1 });
    await h.db.execute(
      `update delivery_cap_counts set answered = 30, turned_away = 10 where receiver = 'angry.test' and step = 1`,
    );
    const budgets = createBudgets(h);
    const { cap: own } = (await showCaps(h))[0]!;
    const today = budgets.of(own, 'angry.test');
    await budgets.fill([today]);
    expect([today.left.open, today.fullAtMs.open]).toEqual([0, expect.any(Number)]);
    h.clock.forward(DAY_MS);
    await budgets.fill([budgets.of(own, 'angry.test')]);
    expect(await angry()).toMatchObject({ step: 0 });
  });
});

describe('a cap', () => {
  test('of an account, by the hour, holds nobody else', async () => {
    const peer = await peerWith();
    const [capped, free] = [await h.tenant(), await h.tenant()];
    await cap({ scope: { tenant_id: capped }, period: 'hour', steps: [10] });
    await queue(capped, 30);
    const ids = await queue(free, 30);
    h.work(routerOf(peer, [WARM]), SOON);
    for (const id of ids) expect((await h.attempted(id)).status).toBe('sent');
    await vi.waitFor(
      async () => expect((await waiting()).filter((id) => id !== null)).toHaveLength(20),
      PATIENCE,
    );
    expect(takenFrom(peer)).toEqual({ '127.0.0.3': 40 });
  });

  test('of a receiver counts all domains that it receives for; of each, each by itself; and all caps hold', async () => {
    const peer = await peerWith();
    const tenantId = await h.tenant();
    await cap({ scope: { receiver: 'big.test' }, steps: [7] });
    await cap({ scope: { receiver: EACH, source_pool: 'default' }, steps: [10] });
    for (const domain of ['a.big.test', 'b.big.test', 'c.test', 'd.test']) await queue(tenantId, 12, domain);
    h.work(routerOf(peer, [WARM]), SOON);
    await vi.waitFor(async () => {
      const held = await waiting();
      expect([held.length, held.includes(null)]).toEqual([48 - 7 - 10 - 10, false]);
    }, PATIENCE);
    expect(takenFrom(peer)).toEqual({ '127.0.0.3': 27 });
  });

  test('that accounts share: whoever had none of it goes before 10 000 others in the next hour', async () => {
    const peer = await peerWith();
    const [many, one] = [await h.tenant(), await h.tenant()];
    const { cap_id: id } = await cap({ period: 'hour', steps: [10] });
    await queueMany(many, 10_000);
    h.work(routerOf(peer, [WARM]), SOON);
    await vi.waitFor(() => expect(takenFrom(peer)).toEqual({ '127.0.0.3': 10 }), PATIENCE);
    const late = await h.queue(one, { to: 'late@d.test', from: 's@acuse.test' });
    await vi.waitFor(async () => {
      expect([await isHeldBy(late), (await waiting()).filter((by) => by === null).length]).toEqual([id, 0]);
    }, PATIENCE);
    const [first] = await h.db.query<{ message_id: string; held: number }>(
      'select message_id, (count(*) over ())::integer as held from delivery_queue order by due_at limit 1',
    );
    const [same] = await h.db.query<{ due: number }>(
      'select count(*)::integer as due from delivery_queue where due_at = (select min(due_at) from delivery_queue)',
    );
    expect([first, same]).toEqual([{ message_id: late, held: 9_991 }, { due: 1 }]);
    h.clock.forward(HOUR_MS - (h.clock.now().getTime() % HOUR_MS) + 1_000);
    expect((await h.attempted(late)).status).toBe('sent');
  });

  test('that accounts share by the day keeps a fifth for others, which opens in the last fifth of the day', async () => {
    toNextDay(60_000);
    const dayEnds = h.clock.now().getTime() - 60_000 + DAY_MS;
    const opensAt = dayEnds - DAY_MS / 5;
    await cap({ steps: [100] });
    const caps = createCaps({ db: h.db, clock: h.clock, log: { warn: () => {} } as never });
    const [many, one] = [await h.tenant(), await h.tenant()];
    /** One after the other until it has to wait: how many went, and until when the next one waits. */
    async function takeAll(tenantId: string): Promise<[number, number]> {
      const mail = { tenantId, pool: 'default', destination: 'd.test', receiver: async () => 'd.test' };
      for (let count = 0; ; count++) {
        const taken = await caps.take(mail, [{ key: 'default/x', ehloName: WARM.ehloName }])!;
        if (taken.kind === 'held') return [count, taken.held.until.getTime()];
      }
    }
    expect(await takeAll(many)).toEqual([80, opensAt + 30_000]);
    // A fifth of what is kept; and what the first has not, others still have.
    expect(await takeAll(one)).toEqual([4, opensAt + 30_000]);
    expect(await takeAll(many)).toEqual([0, opensAt + 30_000]);
    expect((await takeAll(await h.tenant()))[0]).toBe(4);
    h.clock.forward(opensAt - h.clock.now().getTime() + 1);
    const [rest, until] = await takeAll(many);
    // Ten are reserved of what was kept, and two of them have not gone.
    expect([rest, until]).toEqual([10, dayEnds + 30_000]);
    toNextDay(20 * HOUR_MS);
  });

  test('that accounts share: an attempt that reached nobody is none that the account had', async () => {
    toNextDay(60_000);
    await cap({ steps: [100] });
    const caps = createCaps({ db: h.db, clock: h.clock, log: { warn: () => {} } as never });
    const [many, one] = [await h.tenant(), await h.tenant()];
    const take = (tenantId: string) =>
      caps.take({ tenantId, pool: 'default', destination: 'd.test', receiver: async () => 'd.test' }, [
        { key: 'default/x', ehloName: WARM.ehloName },
      ])!;
    while ((await take(many)).kind === 'spent');
    for (let tried = 0; tried < 8; tried++) {
      const taken = await take(one);
      expect([tried, taken.kind]).toEqual([tried, 'spent']);
      if (taken.kind === 'spent') taken.settle('untried');
    }
    toNextDay(20 * HOUR_MS);
  });

  test('what a process gives back late goes to what waits for it, without waiting for the next day', async () => {
    const peer = await peerWith();
    const tenantId = await h.tenant();
    const { cap_id: id } = await cap({ scope: { receiver: EACH }, steps: [20] });
    const own = (await showCaps(h)).find((each) => each.cap.cap_id === id)!.cap;
    const late = createBudgets(h);
    for (const receiver of ['d.test', 'e.test', 'f.test']) await late.fill([late.of(own, receiver)]);
    await queue(tenantId, 22, 'd.test');
    await queue(tenantId, 22, 'e.test');
    const worker = h.work(routerOf(peer, [WARM]), SOON);
    const held = async (count: number) => {
      worker.wake();
      const all = await waiting();
      expect([all.length, all.every((by) => by === id)]).toEqual([count, true]);
    };
    await vi.waitFor(() => held(6), PATIENCE);
    // Of one receiver, and of another one, which nobody waits for.
    Object.assign(late.of(own, 'e.test').left, { open: 0 });
    await late.flush(true);
    h.clock.forward(66_000);
    await vi.waitFor(() => held(5), PATIENCE);
    const soon = await h.db.query(
      `select 1 from delivery_queue where due_at < $1 and destination = 'd.test'`,
      [new Date(h.clock.now().getTime() + HOUR_MS)],
    );
    expect(soon).toEqual([]);
    expect(takenFrom(peer)).toEqual({ '127.0.0.3': 39 });
  });

  test('that accounts share never holds the mail of the installation itself, and counts it', async () => {
    const peer = await peerWith();
    const [own, other] = [await h.tenant(), await h.tenant()];
    await h.db.execute('update tenants set internal = true where tenant_id = $1', [own]);
    await cap({ steps: [10] });
    await queue(other, 30);
    const worker = h.work(routerOf(peer, [WARM]), SOON);
    await vi.waitFor(
      async () => expect((await waiting()).filter((id) => id !== null)).toHaveLength(20),
      PATIENCE,
    );
    for (const id of await queue(own, 3)) expect((await h.attempted(id)).status).toBe('sent');
    await worker.stop();
    expect(await countsOf()).toEqual([['', 0, 13]]);

    await cap({ scope: { tenant_id: own }, steps: [1] });
    await queue(own, 2);
    h.work(routerOf(peer, [WARM]), SOON);
    await vi.waitFor(
      async () => expect((await waiting()).filter((id) => id !== null)).toHaveLength(21),
      PATIENCE,
    );
  });

  test('is spent by no attempt that reached nobody', async () => {
    const peer = await peerWith();
    const closed = await peerWith();
    await closed.close();
    await cap({ steps: [5] });
    const tenantId = await h.tenant();
    const lost = await queue(tenantId, 4, 'closed.test');
    const router = routerOf(peer, [WARM]);
    h.work(
      {
        ...router,
        routeOf: (item, key) =>
          item.destination === 'closed.test'
            ? routerOf(closed, [WARM]).routeOf(item, key)
            : router.routeOf(item, key),
      },
      SOON,
    );
    for (const id of lost) await h.attempted(id);
    const ids = await queue(tenantId, 5);
    for (const id of ids) expect((await h.attempted(id)).status).toBe('sent');
  });

  test('is kept to by several processes; one that is killed loses what it had reserved to the day', async () => {
    const { cap_id: id } = await cap({ steps: [100] });
    const own = (await showCaps(h)).find((each) => each.cap.cap_id === id)!.cap;
    const [killed, other, late] = [createBudgets(h), createBudgets(h), createBudgets(h)];
    await killed.fill([killed.of(own, '')]);
    expect(killed.of(own, '').left.open).toBe(100 * LEASE_SHARE);

    let spent = 0;
    const spendAll = async (budgets: typeof other) => {
      const budget = budgets.of(own, '');
      for (;;) {
        await budgets.fill([budget]);
        if (budget.left.open === 0) return;
        spent += budget.left.open;
        budget.left.open = 0;
      }
    };
    await Promise.all([spendAll(other), spendAll(late)]);
    expect(spent).toBe(100 - 100 * LEASE_SHARE);

    h.clock.forward(DAY_MS);
    spent = 0;
    await spendAll(late);
    expect(spent).toBe(100);
  });

  test('what is stopped gives back what it had reserved', async () => {
    const own = await cap({ steps: [100] });
    const first = createBudgets(h);
    await first.fill([first.of(own, '')]);
    await first.flush(true);
    expect((await showCaps(h))[0]!.counts).toMatchObject([{ taken: 0 }]);
  });

  test('is refused for what is not known', async () => {
    const wrong: [Given, RegExp][] = [
      [{ scope: { source_pool: 'buld' }, steps: [1] }, /no pool "buld".*default, bulk/],
      [{ scope: { source: 'nobody.test' }, warmsUp: true }, /no EHLO name "nobody\.test"/],
      [{ scope: { tenant_id: '01900000-0000-7000-8000-000000000000' }, steps: [1] }, /No account has the id/],
      [{ warmsUp: true }, /name it by its EHLO name/],
      [{ scope: { source: NEW.ehloName }, warmsUp: true, period: 'hour' }, /counts by day/],
      [{ steps: [0] }, /takes 1 to .* not 0/],
      [{ steps: [1, 2] }, /1 to 1 numbers/],
      [{}, /1 to 1 numbers/],
    ];
    for (const [given, text] of wrong) await expect(cap(given), String(text)).rejects.toThrow(text);
  });
});
