import { PATIENCE } from '@acuse/testkit/eventually';
import type { PeerAction } from '@acuse/testkit/smtp-peer';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { SESSIONS_OPEN_MS } from '../../src/delivery/attempt/conversation.ts';
import { claimDue } from '../../src/delivery/claim/claim-store.ts';
import { openDb } from '../../src/platform/database/db.ts';
import { endLeases, type Harness, openHarness } from './harness.ts';
import { routerTo } from './routers.ts';

let h: Harness;
let tenantId: string;

beforeAll(async () => {
  h = await openHarness();
  tenantId = await h.tenant();
});
afterEach(() => h.clear());
afterAll(() => h.close());

/** For a step that stalls: of any other, a time that runs out would be taken for the fault under test. */
const QUICK_MS = 300;

describe('one odd server', () => {
  const drop: PeerAction = { kind: 'drop' };
  const reset: PeerAction = { kind: 'reset' };
  const stall: PeerAction = { kind: 'stall' };
  const GONE: readonly unknown[] = [drop, reset, stall];
  const ENVELOPE: readonly string[] = ['mail', 'rcpt', 'data'];
  const stages = ['banner', 'ehlo', 'mail', 'rcpt', 'data', 'dot'] as const;

  test.each(
    stages.flatMap(
      (stage) =>
        [
          [stage, 'drops', drop, 'deferred', null],
          [stage, 'resets', reset, 'deferred', null],
          [stage, 'stalls', stall, 'deferred', null],
          [stage, 'says 421', '421 4.3.2 closing\r\n', 'deferred', 421],
          [stage, 'says 451', '451 4.3.0 later\r\n', 'deferred', 451],
          [stage, 'talks nonsense', 'ha ha\r\n', 'deferred', null],
        ] as const,
    ),
  )('%s: %s', async (stage, _what, action, status, code) => {
    const odd = await h.peer({ [stage]: action });
    const timeouts = action === stall ? { [`${stage}Ms`]: QUICK_MS } : {};
    h.work(routerTo({ 'odd.test': [odd] }), { timeouts });
    const id = await h.queue(tenantId, { to: 'a@odd.test' });
    const message = await h.attempted(id);
    expect([message.status, message.last_reply?.code, message.queued]).toEqual([status, code, true]);
    expect(message.next_attempt_at!.getTime()).toBeGreaterThan(h.clock.now().getTime() + 60_000);
    const [attempt] = message.attemptRows;
    const sessions = attempt!['sessions'] as { error: unknown; reply: unknown; transcript: unknown[] }[];
    // A server that is gone behind pipelined commands is asked again, command by command.
    const again = GONE.includes(action) && ENVELOPE.includes(stage);
    expect(sessions).toHaveLength(again ? 2 : 1);
    expect(sessions[0]!.error === null).toBe(code !== null);
  });

  test.each([
    ['mail', '550 5.7.1 no\r\n', 'policy', false],
    ['rcpt', '550 5.1.1 no such user\r\n', 'hard', true],
    ['rcpt', '550 no such user here\r\n', 'hard', true],
    ['rcpt', '552 5.2.2 mailbox full\r\n', 'soft', false],
    ['data', '554 5.7.1 spam\r\n', 'policy', false],
    ['dot', '554 5.6.0 cannot read that\r\n', 'soft', false],
  ] as const)('%s: %s', async (stage, reply, bounceType, suppressed) => {
    const odd = await h.peer({ [stage]: reply });
    h.work(routerTo({ 'odd.test': [odd] }));
    const to = `a${Math.random()}@odd.test`;
    const message = await h.attempted(await h.queue(tenantId, { to }));
    expect(message).toMatchObject({ status: 'bounced', queued: false });
    expect(message.events[0]!.data).toMatchObject({ bounce_type: bounceType });
    expect(await h.db.query('select 1 from suppressions where address = $1', [to])).toHaveLength(
      suppressed ? 1 : 0,
    );
  });

  test('a 5xx to the greeting is not held against the message', async () => {
    const odd = await h.peer({ banner: '554 5.7.1 go away\r\n' });
    h.work(routerTo({ 'odd.test': [odd] }));
    expect(await h.attempted(await h.queue(tenantId, { to: 'a@odd.test' }))).toMatchObject({
      status: 'deferred',
      last_reply: { code: 554 },
    });
  });

  test('controls and broken text in a reply are kept harmless', async () => {
    const odd = await h.peer({ rcpt: Buffer.from('550 5.7.1 \0\x1b[31m\xff\xfe no\r\n', 'latin1') });
    h.work(routerTo({ 'odd.test': [odd] }));
    const message = await h.attempted(await h.queue(tenantId, { to: 'a@odd.test' }));
    expect(message.status).toBe('bounced');
    expect(message.last_reply!.text).toBe('\\x00\\x1b[31m\ufffd\ufffd no');
  });
});

describe('several servers', () => {
  test('the next one is tried when one cannot be reached or puts the message off', async () => {
    const dead = await h.peer({ banner: { kind: 'drop' } });
    const busy = await h.peer({ rcpt: '451 4.3.0 later\r\n' });
    const good = await h.peer();
    h.work(routerTo({ 'three.test': [dead, busy, good] }));
    const message = await h.attempted(await h.queue(tenantId, { to: 'a@three.test' }));
    expect(message.last_reply).toMatchObject({ code: 250, mx: 'mx3.three.test' });
    expect((message.attemptRows[0]!['sessions'] as unknown[]).length).toBe(3);
  });

  test('no further one is tried once the attempt has lasted long', async () => {
    const slow = await h.peer({
      rcpt: () => {
        h.clock.forward(SESSIONS_OPEN_MS);
        return '451 4.3.0 later\r\n';
      },
    });
    const good = await h.peer();
    h.work(routerTo({ 'two.test': [slow, good] }));
    const message = await h.attempted(await h.queue(tenantId, { to: 'a@two.test' }));
    expect([message.status, message.last_reply?.code, good.sessions.length]).toEqual(['deferred', 451, 0]);
  });

  test('a refusal for good ends it at the first', async () => {
    const no = await h.peer({ rcpt: '550 5.1.1 no such user\r\n' });
    const good = await h.peer();
    h.work(routerTo({ 'two.test': [no, good] }));
    expect((await h.attempted(await h.queue(tenantId, { to: 'refused@two.test' }))).status).toBe('bounced');
    expect(good.sessions).toHaveLength(0);
  });

  test('a message that one may have taken is offered to no other', async () => {
    const silent = await h.peer({ dot: { kind: 'drop' } });
    const good = await h.peer();
    h.work(routerTo({ 'two.test': [silent, good] }));
    const message = await h.attempted(await h.queue(tenantId, { to: 'a@two.test' }));
    expect([message.status, good.sessions.length]).toEqual(['deferred', 0]);
  });

  test('at most two sessions offer it, and what weighs most is told', async () => {
    const busy = await Promise.all([
      h.peer({ rcpt: '451 4.2.0 one\r\n' }),
      h.peer({ rcpt: '452 4.2.2 two\r\n' }),
      h.peer(),
    ]);
    h.work(routerTo({ 'three.test': busy }));
    const message = await h.attempted(await h.queue(tenantId, { to: 'a@three.test' }));
    expect([message.status, message.last_reply?.code, busy[2]!.sessions.length]).toEqual([
      'deferred',
      452,
      0,
    ]);
  });
});

describe('connections kept open', () => {
  test('one that ended meanwhile costs no attempt', async () => {
    let sessions = 0;
    const moody = await h.peer({
      banner: () => {
        sessions++;
        return { kind: 'default' };
      },
      mail: (session) =>
        sessions === 1 && session.counts.get('mail') === 2 ? { kind: 'drop' } : { kind: 'default' },
    });
    h.work(routerTo({ 'moody.test': [moody] }));
    await h.attempted(await h.queue(tenantId, { to: 'a@moody.test' }));
    const second = await h.attempted(await h.queue(tenantId, { to: 'b@moody.test' }));
    expect([second.status, second.attempts]).toEqual(['sent', 1]);
    expect(second.attemptRows[0]!['sessions'] as { earlier_messages: number }[]).toMatchObject([
      { earlier_messages: 1 },
      { earlier_messages: 0 },
    ]);
  });

  test('one that says 421 is left for a fresh one', async () => {
    const tired = await h.peer({
      mail: (session) => (session.counts.get('mail')! > 1 ? '421 4.7.0 enough\r\n' : { kind: 'default' }),
    });
    h.work(routerTo({ 'tired.test': [tired] }));
    await h.attempted(await h.queue(tenantId, { to: 'a@tired.test' }));
    expect((await h.attempted(await h.queue(tenantId, { to: 'b@tired.test' }))).status).toBe('sent');
    expect(tired.sessions).toHaveLength(2);
  });
});

describe('leases', () => {
  test('a message whose worker died comes due again when its lease ends', async () => {
    const good = await h.peer();
    const id = await h.queue(tenantId, { to: 'a@good.test' });
    const now = h.clock.now();
    // A claim, and then a crash: nothing more is heard of it.
    const claimed = await claimDue(h.db, { tenantId, now, limit: 10 });
    expect(claimed.map((row) => row.message_id)).toEqual([id]);
    const worker = h.work(routerTo({ 'good.test': [good] }));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(good.messages()).toHaveLength(0);
    await endLeases(h);
    worker.wake();
    const message = await h.attempted(id);
    expect([message.status, good.messages().length, message.attemptRows[0]!['attempt']]).toEqual([
      'sent',
      1,
      1,
    ]);
  });

  test('stopping ends conversations, and gives back what only waited', async () => {
    const slow = await h.peer({ dot: { kind: 'stall' } });
    const ids = await Promise.all(Array.from({ length: 30 }, () => h.queue(tenantId, { to: 'a@slow.test' })));
    const worker = h.work(routerTo({ 'slow.test': [slow] }));
    await vi.waitFor(() => expect(slow.messages().length).toBe(5), PATIENCE);
    await worker.stop(100);
    const rows = await h.db.query<{ leased: boolean; status: string; attempts: number }>(
      `select leased_until is not null as leased, status, attempts from delivery_queue join messages using (tenant_id, message_id) where message_id = any ($1)`,
      [ids],
    );
    expect(rows).toHaveLength(30);
    expect(rows.filter(({ leased }) => leased)).toEqual([]);
    // Five had been given away whole: those count as attempts, for they may have been taken.
    expect(rows.filter(({ status, attempts }) => status === 'deferred' && attempts === 1)).toHaveLength(5);
    expect(rows.filter(({ status, attempts }) => status === 'queued' && attempts === 0)).toHaveLength(25);
  });
});

describe('many', () => {
  test('two workers on one database send nothing twice, and nothing is lost when their connections are cut', async () => {
    const good = await h.peer();
    const tenants = await Promise.all([h.tenant(), h.tenant(), h.tenant()]);
    const ids = (
      await Promise.all(
        tenants.map((id) =>
          Promise.all(Array.from({ length: 100 }, (_, i) => h.queue(id, { to: `u${i}@d${i % 7}.test` }))),
        ),
      )
    ).flat();
    const hosts = Object.fromEntries(Array.from({ length: 7 }, (_, i) => [`d${i}.test`, [good]]));
    const other = openDb({ connectionString: h.url, poolSize: 4, applicationName: 'other', onError() {} });
    const workers = [h.work(routerTo(hosts)), h.work(routerTo(hosts), { db: other })];
    const owner = new pg.Client({ connectionString: h.url });
    await owner.connect();
    for (let i = 0; i < 8; i++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      await owner.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'other%'",
      );
    }
    await owner.end();
    // Messages leased in an answer that never arrived come back when their lease ends, and not before.
    await vi.waitFor(() => expect(workers.map((worker) => worker.active)).toEqual([0, 0]), PATIENCE);
    await endLeases(h);
    await vi.waitFor(async () => {
      const [row] = await h.db.query<{ count: number }>(
        'select count(*)::int as count from messages where message_id = any ($1) and status = $2',
        [ids, 'sent'],
      );
      expect(row!.count).toBe(300);
    }, PATIENCE);
    await Promise.all(workers.map((worker) => worker.stop(500)));
    await other.close();
    const sent = good.messages().map((message) => /id=([0-9a-f-]{36})/.exec(message.raw.toString())![1]!);
    expect(sent).toHaveLength(300);
    expect(new Set(sent).size).toBe(300);
    const [left] = await h.db.query(
      'select count(*)::int as count from delivery_queue where message_id = any ($1)',
      [ids],
    );
    expect(left).toEqual({ count: 0 });
    const counted = await h.db.query(
      `select sum(sent)::int as sent
         from (select tenant_id, sent from daily_counters
               union all select tenant_id, sent from counter_additions) counted
        where tenant_id = any ($1)`,
      [tenants],
    );
    expect(counted).toEqual([{ sent: 300 }]);
    const events = await h.db.query<{ count: number }>(
      "select count(*)::int as count from events where message_id = any ($1) and type = 'email.sent'",
      [ids],
    );
    expect(events).toEqual([{ count: 300 }]);
  });

  test("one tenant's flood to a slow server delays another tenant by less than two seconds", async () => {
    const slow = await h.peer({ dot: { kind: 'stall' } });
    const good = await h.peer();
    const [flood, small] = [await h.tenant(), await h.tenant()];
    await h.db.execute(
      `with made as (
         insert into messages (tenant_id, message_id, idempotency_key, header_from, header_to, sender_address,
           recipient_address, reverse_path,
                subject, certified, status, size_bytes, created_at, next_attempt_at)
         select $1, gen_random_uuid(), i::text, 'a@sandbox.test', 'a@slow.test', 'a@sandbox.test',
           'a@slow.test', 'b@x.test', 's', false, 'queued', 10, $2, $2
           from generate_series(1, 20000) i
         returning tenant_id, message_id, created_at),
       contents as (insert into message_contents select tenant_id, message_id, 'Subject: x', '{}' from made)
       insert into delivery_queue (tenant_id, message_id, destination, due_at, created_at, expires_at)
       select tenant_id, message_id, 'slow.test', created_at, created_at,
         created_at + interval '48 hours' from made`,
      [flood, h.clock.now()],
    );
    const worker = h.work(routerTo({ 'slow.test': [slow], 'good.test': [good] }));
    await vi.waitFor(() => expect(slow.messages().length).toBe(5), PATIENCE);
    for (let i = 0; i < 3; i++) {
      const id = await h.queue(small, { to: 'a@good.test' });
      worker.wake();
      expect((await h.attempted(id)).status).toBe('sent');
    }
    // The flooding tenant's other mail goes on as well.
    const own = await h.queue(flood, {
      to: 'a@good.test',
      createdAt: new Date(h.clock.now().getTime() - 60_000),
    });
    expect((await h.attempted(own)).status).toBe('sent');
    const [flooded] = await h.db.query<{ n: number }>(
      "select count(*)::int as n from delivery_queue where destination = 'slow.test'",
    );
    expect(flooded!.n).toBeGreaterThan(19_000);
    // Another tenant's mail to the slow server itself waits its turn among tenants, not behind the flood.
    expect(worker.active).toBeLessThan(400);
  });
});
