import { PATIENCE } from '@acuse/testkit/eventually';
import { createGate } from '@acuse/testkit/https-receiver';
import type { SmtpPeer } from '@acuse/testkit/smtp-peer';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { claimDue } from '../../src/delivery/claim/claim-store.ts';
import type { Recorded } from '../../src/delivery/record/record.ts';
import type { DeliveryDeps } from '../../src/delivery/worker.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { LEASE_MS } from '../../src/platform/queue/leases.ts';
import { endLeases, type Harness, openHarness } from './harness.ts';
import { routerTo } from './routers.ts';

/** One process at a time may send a message, whatever happens to the process that had it or to its clock. */

let h: Harness;
let tenantId: string;
const recorded: [string, Recorded][] = [];
const onRecorded = (result: { item: { messageId: string } }, outcome: Recorded) =>
  void recorded.push([result.item.messageId, outcome]);

beforeAll(async () => {
  h = await openHarness();
});
beforeEach(async () => {
  tenantId = await h.tenant();
  recorded.length = 0;
});
afterEach(() => h.clear());
afterAll(() => h.close());

const work = (host: SmtpPeer, deps?: Partial<DeliveryDeps>) =>
  h.work(routerTo(host), { onRecorded, ...deps });

/**
 * As another process claims what this one no longer holds, at one blow: its own worker looks for work, too.
 * For longer than any test takes, or that worker would claim it again.
 */
async function takenByAnother(id: string): Promise<void> {
  const taken = await h.db.execute(
    `update delivery_queue set attempt = attempt + 1, due_at = now() + interval '15 s',
      leased_until = now() + interval '15 s'
      where message_id = $1`,
    [id],
  );
  expect(taken).toBe(1);
}

/** A clock that is wrong by so much. */
function skewed(ms: number): Clock {
  return { now: () => new Date(Date.now() + ms), monotonicMs: () => performance.now() };
}

describe('a process whose clock is wrong', () => {
  test.each([150_000, -150_000])('by %i ms takes nothing that another holds', async (skewMs) => {
    const held = createGate();
    const slow = await h.peer({ dot: { kind: 'hold', until: held.until, bytes: '250 2.0.0 ok\r\n' } });
    const ids: string[] = [];
    for (let at = 0; at < 5; at++) ids.push(await h.queue(tenantId, { to: `u${at}@slow.test` }));
    work(slow);
    await vi.waitFor(() => expect(slow.messages()).toHaveLength(5), PATIENCE);
    const other = await h.peer();
    const claims = vi.fn();
    work(other, { clock: skewed(skewMs), onRecorded: claims });
    // As many looks for work as find what is due within a second.
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect([other.messages().length, claims.mock.calls.length]).toEqual([0, 0]);
    held.open();
    await vi.waitFor(
      () => expect(recorded.map(([, outcome]) => outcome)).toEqual(ids.map(() => 'recorded')),
      PATIENCE,
    );
  });

  test('takes over at once what a lease of the database has run out for', async () => {
    const good = await h.peer();
    const id = await h.queue(tenantId, { to: 'a@good.test' });
    await claimDue(h.db, { tenantId, now: new Date(), limit: 1 });
    await endLeases(h, id);
    work(good, { clock: skewed(-150_000) });
    await vi.waitFor(() => expect(recorded).toEqual([[id, 'recorded']]), PATIENCE);
  });
});

describe('a process that was stopped and goes on', () => {
  const large = Buffer.from(
    `Subject: large\r\n\r\n${'a line of the message that fills it\r\n'.repeat(20_000)}`,
  );

  test.each([
    ['before MAIL', { ehlo: '250-mx\r\n250 8BITMIME\r\n' }, 'ehlo', undefined],
    ['at DATA', { data: '354 go on\r\n' }, 'data', undefined],
    ['at DATA, of a large message', { data: '354 go on\r\n' }, 'data', large],
    ['at RCPT, of a chunk', { rcpt: '250 ok\r\n' }, 'rcpt', undefined],
  ] as const)(
    '%s: hands nothing over that another has taken meanwhile',
    async (_when, replies, stage, raw) => {
      const stopped = createGate();
      const bytes = Object.values(replies)[0]!;
      const extensions = stage === 'rcpt' ? ['CHUNKING', 'PIPELINING'] : ['8BITMIME'];
      const host = await h.peer({ [stage]: { kind: 'hold', until: stopped.until, bytes } }, { extensions });
      const id = await h.queue(tenantId, { to: 'a@slow.test', ...(raw === undefined ? {} : { raw }) });
      work(host);
      await vi.waitFor(() => expect(host.sessions[0]?.counts.get(stage)).toBe(1), PATIENCE);
      await takenByAnother(id);
      h.clock.forward(LEASE_MS);
      stopped.open();
      await vi.waitFor(() => expect(recorded).toEqual([[id, 'lost_lease']]), PATIENCE);
      expect([host.messages().length, (await h.message(id)).attempts]).toEqual([0, 0]);
      expect(host.sessions).toHaveLength(1);
    },
  );

  test('goes on with what nobody has taken, after asking for its lease again', async () => {
    const stopped = createGate();
    const host = await h.peer({ data: { kind: 'hold', until: stopped.until, bytes: '354 go on\r\n' } });
    const id = await h.queue(tenantId, { to: 'a@slow.test' });
    // One at a time: with a second place free it would take its own message again, as anybody may.
    work(host, { concurrency: 1 });
    await vi.waitFor(() => expect(host.sessions[0]?.counts.get('data')).toBe(1), PATIENCE);
    await endLeases(h, id);
    h.clock.forward(LEASE_MS);
    stopped.open();
    await vi.waitFor(() => expect(recorded).toEqual([[id, 'recorded']]), PATIENCE);
    expect(host.messages()).toHaveLength(1);
  });

  test('tells no other host of a message that it has lost', async () => {
    const stopped = createGate();
    const first = await h.peer({
      rcpt: { kind: 'hold', until: stopped.until, bytes: '451 4.3.0 later\r\n' },
    });
    const second = await h.peer();
    h.work(routerTo([first, second]), { onRecorded });
    const id = await h.queue(tenantId, { to: 'a@slow.test' });
    await vi.waitFor(() => expect(first.sessions[0]?.counts.get('rcpt')).toBe(1), PATIENCE);
    await takenByAnother(id);
    h.clock.forward(LEASE_MS);
    stopped.open();
    await vi.waitFor(() => expect(recorded).toEqual([[id, 'lost_lease']]), PATIENCE);
    // An empty one goes to nobody: the first server would have taken data all the same. RFC 2920 §3.1
    const messages = [...first.messages(), ...second.messages()];
    expect(messages.filter(({ raw }) => raw.length > 0)).toEqual([]);
  });
});

describe('what a server has taken', () => {
  async function lostAfterTheDot(ends: 'another holds it' | 'another has deferred it') {
    const answered = createGate();
    const host = await h.peer({ dot: { kind: 'hold', until: answered.until, bytes: '250 2.0.0 taken\r\n' } });
    const id = await h.queue(tenantId, { to: 'a@slow.test' });
    work(host);
    await vi.waitFor(() => expect(host.messages()).toHaveLength(1), PATIENCE);
    await takenByAnother(id);
    if (ends === 'another has deferred it') {
      await h.db.execute(
        `insert into attempts (tenant_id, message_id, attempt, started_at, finished_at, outcome, reply,
          sessions)
         values ($1, $2, 1, now(), now(), 'deferred', '{}', '[]')`,
        [tenantId, id],
      );
      await h.db.execute(
        "update messages set attempts = 1, status = 'deferred', deferred_at = now(), next_attempt_at = now() + interval '1 hour' where message_id = $1",
        [id],
      );
      await h.db.execute(
        "update delivery_queue set leased_until = null, due_at = now() + interval '1 hour' where message_id = $1",
        [id],
      );
    }
    answered.open();
    await vi.waitFor(() => expect(recorded).toEqual([[id, 'recorded']]), PATIENCE);
    return h.message(id);
  }

  test('is sent, though another process holds it by then: that one sends nothing', async () => {
    const message = await lostAfterTheDot('another holds it');
    expect(message).toMatchObject({ status: 'sent', attempts: 1, queued: false });
  });

  test('is sent, though another process has put it off meanwhile', async () => {
    const message = await lostAfterTheDot('another has deferred it');
    expect(message).toMatchObject({ status: 'sent', attempts: 2, queued: false });
    expect(message.attemptRows.map((row) => row['attempt'])).toEqual([1, 2]);
  });

  test('counts as a duplicate when another process has ended it already', async () => {
    const answered = createGate();
    const host = await h.peer({ dot: { kind: 'hold', until: answered.until, bytes: '250 2.0.0 taken\r\n' } });
    const id = await h.queue(tenantId, { to: 'a@slow.test' });
    work(host);
    await vi.waitFor(() => expect(host.messages()).toHaveLength(1), PATIENCE);
    await takenByAnother(id);
    await h.db.execute(
      "update messages set status = 'sent', sent_at = now(), attempts = 1, next_attempt_at = null where message_id = $1",
      [id],
    );
    await h.db.execute('delete from delivery_queue where message_id = $1', [id]);
    answered.open();
    await vi.waitFor(() => expect(recorded).toEqual([[id, 'duplicate']]), PATIENCE);
    expect((await h.message(id)).attemptRows).toEqual([]);
  });
});
