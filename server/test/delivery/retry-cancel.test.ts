import { PATIENCE } from '@acuse/testkit/eventually';
import type { SmtpPeer } from '@acuse/testkit/smtp-peer';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { claimDue } from '../../src/delivery/claim/claim-store.ts';
import { pauseQueue, resumeQueue } from '../../src/delivery/operate/queue.ts';
import { cancelMessage, retryMessage } from '../../src/delivery/operate/retry-cancel.ts';
import type { DeliveryDeps } from '../../src/delivery/worker.ts';
import { newId } from '../../src/platform/ids.ts';
import { endLeases, type Harness, openHarness } from './harness.ts';
import { routerTo } from './routers.ts';

/** Retries and cancellations of a sender by hand, beside workers that do the same messages. */
const HOUR_MS = 3_600_000;
let h: Harness;
let tenantId: string;

beforeAll(async () => {
  h = await openHarness();
  tenantId = await h.tenant();
});
afterEach(() => h.clear());
afterAll(() => h.close());

const deps = () => ({ ...h, hostname: 'mail.acuse.test', promiseOf: () => 'promise' });
const retry = (id: string, tenant = tenantId) => retryMessage(deps(), tenant, id);
const cancel = (id: string, tenant = tenantId) => cancelMessage(deps(), tenant, id);
const conflict = (message: RegExp) => ({ code: 'conflict', message: expect.stringMatching(message) });

const work = (host: SmtpPeer, deps?: Partial<DeliveryDeps>) => h.work(routerTo(host), deps);

/** A message that waits for its next attempt, an hour from now. */
async function deferred(to = 'ana@d.test'): Promise<string> {
  const id = await h.queue(tenantId, { to });
  const next = new Date(h.clock.now().getTime() + HOUR_MS);
  await h.db.execute(
    "update messages set status = 'deferred', deferred_at = now(), attempts = 2, next_attempt_at = $2 where message_id = $1",
    [id, next],
  );
  await h.db.execute('update delivery_queue set due_at = $2, attempt = 2 where message_id = $1', [id, next]);
  return id;
}

async function lease(): Promise<void> {
  await claimDue(h.db, { tenantId, now: h.clock.now(), limit: 100 });
}

describe('retry', () => {
  test('makes a deferred message due at once, and a worker sends it', async () => {
    const host = await h.peer();
    const id = await deferred();
    const before = work(host);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await before.stop();
    expect(host.messages()).toHaveLength(0);
    // No worker runs yet: one would be done with it before it could be looked at.
    const message = await retry(id);
    expect(message).toMatchObject({ id, status: 'deferred', attempts: 2 });
    expect(Date.parse(message.next_attempt_at!)).toBeLessThanOrEqual(h.clock.now().getTime());
    work(host);
    await vi.waitFor(async () => expect((await h.message(id)).status).toBe('sent'), PATIENCE);
    expect(host.messages()).toHaveLength(1);
    expect((await h.message(id)).attempts).toBe(3);
  });

  test('asked twice, it is still due once', async () => {
    const id = await deferred();
    const first = await retry(id);
    expect((await retry(id)).next_attempt_at).toBe(first.next_attempt_at);
  });

  test('says why a message cannot be', async () => {
    const queued = await h.queue(tenantId);
    await expect(retry(queued)).rejects.toMatchObject(conflict(/has not been tried yet and is already due/));
    const held = await deferred();
    await h.db.execute(
      "update delivery_queue set due_at = now() - interval '1 second' where message_id = $1",
      [held],
    );
    await lease();
    await expect(retry(held)).rejects.toMatchObject(conflict(/being handed over right now/));
    for (const status of ['sent', 'bounced'] as const) {
      const ended = await deferred();
      await h.db.execute('delete from delivery_queue where message_id = $1', [ended]);
      await h.db.execute(
        `update messages set status = $2, sent_at = now(), bounced_at = now(), next_attempt_at = null where message_id = $1`,
        [ended, status],
      );
      await expect(retry(ended)).rejects.toMatchObject(
        conflict(new RegExp(`is ${status}: there is nothing to retry`)),
      );
    }
    for (const id of [newId(), 'nonsense', ''])
      await expect(retry(id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(retry(await deferred(), await h.tenant())).rejects.toMatchObject({ code: 'not_found' });
  });

  test('promises nothing that an operator holds back', async () => {
    const why = { reason: 'x', by: 'y' };
    const id = await deferred('ana@paused.test');
    for (const what of [{ destination: 'paused.test' }, { tenantId }]) {
      await pauseQueue(h, what, why);
      await expect(retry(id)).rejects.toMatchObject(conflict(/operator has paused this mail/));
      await resumeQueue(h, what);
    }
    expect((await retry(id)).id).toBe(id);
  });
});

describe('cancel', () => {
  test.each([
    ['queued', () => h.queue(tenantId, { to: 'Ana@d.test' }), 1],
    ['deferred', () => deferred('Ana@d.test'), 3],
  ] as const)(
    'ends a %s message: cancelled, in our own words, and nothing says that it failed',
    async (_state, make, attempts) => {
      const id = await make();
      const message = await cancel(id);
      const reply = { code: null, enhanced: null, text: 'cancelled by the sender', mx: null };
      expect(message).toMatchObject({
        id,
        status: 'cancelled',
        bounced_at: null,
        attempts,
        next_attempt_at: null,
        last_reply: reply,
      });
      const facts = await h.message(id);
      expect(facts.queued).toBe(false);
      expect(message.cancelled_at).toMatch(/Z$/);
      expect(facts.events).toEqual([
        { type: 'email.cancelled', data: { to: 'Ana@d.test', cancelled_by: 'sender' } },
      ]);
      expect(facts.attemptRows.at(-1)).toMatchObject({
        attempt: attempts,
        outcome: 'cancelled',
        bounce_type: null,
        reply,
        sessions: [],
      });
      expect(facts.reports).toEqual([]);
      expect(await h.db.query("select 1 from suppressions where address = 'ana@d.test'")).toEqual([]);
      await expect(cancel(id)).rejects.toMatchObject(conflict(/is already cancelled: there is nothing/));
      await expect(retry(id)).rejects.toMatchObject(conflict(/is cancelled: there is nothing to retry/));
    },
  );

  test('comes too late for what is being handed over or was, and says so', async () => {
    const held = await h.queue(tenantId);
    await lease();
    await expect(cancel(held)).rejects.toMatchObject(conflict(/being handed over right now/));
    // A lease that has run out may still be spoken for: only a worker takes it over.
    h.clock.forward(2 * 60_000);
    await expect(cancel(held)).rejects.toMatchObject(conflict(/being handed over right now/));
    await h.db.execute('delete from delivery_queue where message_id = $1', [held]);
    await h.db.execute(
      "update messages set status = 'sent', sent_at = now(), next_attempt_at = null where message_id = $1",
      [held],
    );
    await expect(cancel(held)).rejects.toMatchObject(conflict(/is sent: the recipient's server has it/));
    for (const id of [newId(), 'nonsense'])
      await expect(cancel(id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(cancel(await h.queue(tenantId), await h.tenant())).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('ends what an operator holds back, too', async () => {
    await pauseQueue(h, { destination: 'held.test' }, { reason: 'x', by: 'y' });
    const id = await h.queue(tenantId, { to: 'ana@held.test' });
    expect((await cancel(id)).status).toBe('cancelled');
    await resumeQueue(h, { destination: 'held.test' });
  });

  test('and a worker never both have a message: what was cancelled was not sent, what was sent was not cancelled', async () => {
    // Nobody gets an answer to a message before the first is cancelled, and none is cancelled before the
    // workers have some: both ends are certain, and where the two meet in the middle is left to chance.
    let answer: () => void = () => {};
    const firstCancelled = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const host = await h.peer({
      dot: () => ({ kind: 'hold', until: firstCancelled, bytes: '250 2.0.0 queued as TEST\r\n' }),
    });
    const ids: string[] = [];
    for (let n = 0; n < 150; n++) ids.push(await h.queue(tenantId, { to: `u${n}@d.test` }));
    work(host, { concurrency: 10 });
    work(host, { concurrency: 10 });
    await vi.waitFor(() => expect(host.messages().length).toBeGreaterThan(0), PATIENCE);
    const answers: string[] = [];
    for (let n = ids.length - 1; n >= 0; n--) {
      answers[n] = await cancel(ids[n]!).then(
        () => 'cancelled',
        (error) => error.code,
      );
      answer();
    }
    await vi.waitFor(async () => {
      const [row] = await h.db.query<{ n: number }>('select count(*)::int as n from delivery_queue');
      expect(row!.n).toBe(0);
    }, PATIENCE);
    const delivered = new Set(host.messages().map((message) => message.rcpt.join()));
    const facts = await Promise.all(ids.map((id) => h.message(id)));
    for (const [n, { status, events }] of facts.entries()) {
      const isCancelled = answers[n] === 'cancelled';
      expect(answers[n]).toMatch(/^(cancelled|conflict)$/);
      expect([n, status]).toEqual([n, isCancelled ? 'cancelled' : 'sent']);
      expect([n, [...delivered].some((to) => to.includes(`u${n}@`))]).toEqual([n, !isCancelled]);
      expect(events.map(({ type }) => type)).toEqual([isCancelled ? 'email.cancelled' : 'email.sent']);
    }
    // Both must have happened for this to say anything.
    expect(new Set(answers)).toEqual(new Set(['cancelled', 'conflict']));
  });

  test('from many sides at once ends a message once', async () => {
    const id = await h.queue(tenantId);
    const answers = await Promise.all(
      Array.from({ length: 12 }, () =>
        cancel(id).then(
          () => 'cancelled',
          (error) => error.code,
        ),
      ),
    );
    expect(answers.filter((answer) => answer === 'cancelled')).toHaveLength(1);
    expect(answers.filter((answer) => answer === 'conflict')).toHaveLength(11);
    expect((await h.message(id)).attemptRows).toHaveLength(1);
  });

  test('that dies before it is written down leaves the message to be sent', async () => {
    const host = await h.peer();
    const id = await h.queue(tenantId);
    await lease();
    await endLeases(h, id);
    work(host);
    await vi.waitFor(async () => expect((await h.message(id)).status).toBe('sent'), PATIENCE);
  });
});
