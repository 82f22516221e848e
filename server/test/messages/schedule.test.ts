import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claimDue } from '../../src/delivery/claim/claim-store.ts';
import { enqueue } from '../../src/delivery/claim/enqueue-store.ts';
import { cancelMessage } from '../../src/delivery/operate/retry-cancel.ts';
import { createScheduler, moveMessage, queueDue } from '../../src/messages/schedule.ts';
import type { Clock } from '../../src/platform/clock.ts';
import type { Db } from '../../src/platform/database/db.ts';
import { newId } from '../../src/platform/ids.ts';
import { audit } from '../support/audit.ts';
import { newKey, startTestService, type TestService } from '../support/service.ts';
import { makeTenant } from '../support/tenants.ts';

/** Scheduled messages; the clock stands still but for what a test does with it, and nobody delivers. */
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
let nowMs = Date.parse('2026-11-20T15:30:00Z');
const clock: Clock = { now: () => new Date(nowMs), monotonicMs: () => performance.now() };
let service: TestService;

beforeAll(async () => {
  service = await startTestService({ clock });
});
afterAll(() => service.stop());

const deps = (db: Db = service.db) => ({ db, clock, enqueue, promiseOf: () => 'promise' });
const inMs = (ms: number) => new Date(nowMs + ms).toISOString();
const schedule = async (ms: number, fields: object = {}): Promise<string> => {
  const { status, body } = await service.send({ send_at: inMs(ms), ...fields });
  expect([status, body.status]).toEqual([201, 'scheduled']);
  return body.id;
};
const patch = (id: string, send_at: unknown, key?: string) =>
  service.call('PATCH', `/v1/messages/${id}`, { body: { send_at }, ...(key === undefined ? {} : { key }) });
const read = async (id: string) => (await service.call('GET', `/v1/messages/${id}`)).body;
const events = async (id: string) =>
  (await service.call('GET', `/v1/messages/${id}/events`)).body.data.map(
    ({ type, created_at }: { type: string; created_at: string }) => [type, created_at],
  );
const inQueue = async (id: string) =>
  (
    await service.db.query<{ due_at: Date; expires_at: Date }>(
      'select due_at, expires_at from delivery_queue where message_id = $1',
      [id],
    )
  )[0] ?? null;

describe('a send with send_at', () => {
  test('is accepted, promised and counted now, and queued once when it falls due', async () => {
    const key = newKey();
    const before = (await service.call('GET', '/v1/account')).body;
    const given = '2026-11-22T09:30:00-06:00';
    const sent = await service.send(
      { send_at: given, certified: true },
      { headers: { 'idempotency-key': key } },
    );
    const at = '2026-11-22T15:30:00.000Z';
    const { id } = sent.body;
    expect(sent).toMatchObject({
      status: 201,
      body: { status: 'scheduled', send_at: at, queued_at: null, next_attempt_at: at, attempts: 0 },
    });
    expect(sent.body.created_at).toBe(new Date(nowMs).toISOString());
    expect(sent.body.promise).toMatch(/^acuse\/promise/);
    expect(await read(id)).toEqual(sent.body);
    expect([await events(id), await inQueue(id)]).toEqual([[], null]);
    expect(await service.db.query('select from pending_leaves where message_id = $1', [id])).toHaveLength(1);
    const list = (await service.call('GET', '/v1/messages?status=scheduled')).body.data;
    expect(list.map((message: { id: string }) => message.id)).toEqual([id]);
    const after = (await service.call('GET', '/v1/account')).body;
    expect(JSON.stringify(after)).not.toBe(JSON.stringify(before));
    expect(await queueDue(deps())).toBe(0);
    // Late: nobody looked for an hour.
    nowMs = Date.parse(at) + HOUR_MS;
    const queuedAt = new Date(nowMs).toISOString();
    expect(await Promise.all([queueDue(deps()), queueDue(deps()), queueDue(deps())])).toContain(1);
    expect(await queueDue(deps())).toBe(0);
    expect(await events(id)).toEqual([['email.queued', queuedAt]]);
    expect(await read(id)).toMatchObject({
      status: 'queued',
      send_at: at,
      queued_at: queuedAt,
      next_attempt_at: queuedAt,
      promise: sent.body.promise,
    });
    // Its 48 hours count from send_at.
    expect(await inQueue(id)).toEqual({
      due_at: new Date(nowMs),
      expires_at: new Date(Date.parse(at) + 48 * HOUR_MS),
    });
    // The same request still is the same one, though its time has passed; at another time it is another one.
    const again = (fields: object) =>
      service.send({ certified: true, ...fields }, { headers: { 'idempotency-key': key } });
    expect(await again({ send_at: '2026-11-22T15:30:00Z' })).toMatchObject({ status: 200, body: { id } });
    for (const fields of [{}, { send_at: null }, { send_at: '2026-11-22T15:30:01Z' }])
      expect((await again(fields)).body.error.code).toBe('idempotency_key_reused');
    expect(await audit(service.db)).toEqual([]);
  });

  test('at once when the time has just come, with the time of sending as its Date', async () => {
    const now = await service.send({ send_at: inMs(-60_000) });
    expect(now.body).toMatchObject({ status: 'queued', send_at: null, queued_at: now.body.created_at });
    expect(await inQueue(now.body.id)).not.toBeNull();
    const id = await schedule(DAY_MS);
    const raw = (await service.call('GET', `/v1/messages/${id}/raw`)).raw.toString();
    const date = Date.parse(/\r\nDate: (.*)\r\n/.exec(raw)![1]!);
    expect(date).toBe(Math.floor((nowMs + DAY_MS) / 1_000) * 1_000);
  });

  test('is refused too far ahead, in the past, or as no time; nothing is stored, and the key is free', async () => {
    const key = newKey();
    const send = (send_at: unknown) => service.send({ send_at }, { headers: { 'idempotency-key': key } });
    for (const ms of [30 * DAY_MS + 1_000, -6 * 60_000])
      expect(await send(inMs(ms))).toMatchObject({
        status: 422,
        body: { error: { code: 'send_at_out_of_range', message: expect.stringContaining(inMs(ms)) } },
      });
    for (const wrong of ['tomorrow', '2026-11-25T09:30:00', 1_795_188_600, {}])
      expect(await send(wrong)).toMatchObject({ status: 400, body: { error: { code: 'invalid_body' } } });
    expect(await send(inMs(30 * DAY_MS))).toMatchObject({ status: 201 });
  });

  test('in a batch has an outcome of its own', async () => {
    const item = (fields: object) => ({
      idempotency_key: newKey(),
      from: 'billing@sandbox.test',
      to: 'ana@sandbox.test',
      text: 'x',
      ...fields,
    });
    const { body } = await service.call('POST', '/v1/messages/batch', {
      body: {
        messages: [
          item({}),
          item({ send_at: inMs(HOUR_MS) }),
          item({ send_at: inMs(31 * DAY_MS) }),
          item({ send_at: 'x' }),
        ],
      },
    });
    const said = body.results.map(
      (it: { message?: { status: string }; error?: { code: string } }) =>
        it.message?.status ?? it.error?.code,
    );
    expect(said).toEqual(['queued', 'scheduled', 'send_at_out_of_range', 'invalid_body']);
    expect(await inQueue(body.results[0].message.id)).not.toBeNull();
    expect(await inQueue(body.results[1].message.id)).toBeNull();
    expect(await audit(service.db)).toEqual([]);
  });

  test('to several recipients schedules each, and each is moved and cancelled by itself', async () => {
    const to = ['ana@sandbox.test', 'bob@sandbox.test', 'eve@sandbox.test'];
    const { body } = await service.send({ to, send_at: inMs(DAY_MS) });
    const ids = [body.id, ...body.copies.map(({ id }: { id: string }) => id)] as [string, string, string];
    await patch(ids[1], null);
    await service.call('POST', `/v1/messages/${ids[2]}/cancel`);
    const all = await Promise.all(ids.map(read));
    expect(all.map(({ status }) => status)).toEqual(['scheduled', 'queued', 'cancelled']);
    expect(await audit(service.db)).toEqual([]);
  });

  test('has a return path that is good for thirty days after the last time that it may be sent at', async () => {
    const { readReturnPath } = await import('@acuse/mail/verp');
    const id = await schedule(HOUR_MS);
    const [row] = await service.db.query<{ reverse_path: string }>(
      'select reverse_path from messages where message_id = $1',
      [id],
    );
    const readAfter = (days: number) =>
      readReturnPath(row!.reverse_path, [service.services.returnPathSecret], new Date(nowMs + days * DAY_MS));
    expect(readAfter(59)).toEqual({ ok: true, messageId: id });
    expect(readAfter(61)).toMatchObject({ ok: false, reason: 'expired' });
  });
});

describe('a move', () => {
  test('to another time, later or earlier, within thirty days of the acceptance', async () => {
    const id = await schedule(DAY_MS);
    const accepted = nowMs;
    for (const ms of [5 * DAY_MS, HOUR_MS, 30 * DAY_MS]) {
      expect(await patch(id, inMs(ms))).toMatchObject({
        status: 200,
        body: { status: 'scheduled', send_at: inMs(ms), next_attempt_at: inMs(ms), queued_at: null },
      });
    }
    nowMs += HOUR_MS;
    expect(await patch(id, inMs(30 * DAY_MS))).toMatchObject({
      status: 422,
      body: { error: { message: expect.stringContaining(new Date(accepted + 30 * DAY_MS).toISOString()) } },
    });
    expect((await patch(id, inMs(-HOUR_MS))).body.error.code).toBe('send_at_out_of_range');
    for (const wrong of ['soon', 7, undefined])
      expect((await patch(id, wrong)).body.error.code).toBe('invalid_body');
    expect(
      (await service.call('PATCH', `/v1/messages/${id}`, { body: { send_at: null, to: 'x' } })).status,
    ).toBe(400);
    expect((await read(id)).send_at).toBe(new Date(accepted + 30 * DAY_MS).toISOString());
    expect(await audit(service.db)).toEqual([]);
  });

  test.each([
    ['null', () => null],
    ['a time that has just passed', () => inMs(-1_000)],
  ])('to %s queues it at once, and once', async (_what, to) => {
    const id = await schedule(DAY_MS);
    const now = new Date(nowMs).toISOString();
    expect(await patch(id, to())).toMatchObject({
      status: 200,
      body: { status: 'queued', send_at: now, queued_at: now },
    });
    expect(await patch(id, to())).toMatchObject({ status: 409 });
    expect(await events(id)).toEqual([['email.queued', now]]);
    expect((await inQueue(id))!.expires_at).toEqual(new Date(nowMs + 48 * HOUR_MS));
    expect(await audit(service.db)).toEqual([]);
  });

  test('is refused for what is not scheduled any more, with what can be done', async () => {
    const queued = (await service.send()).body.id;
    expect(await patch(queued, null)).toMatchObject({
      status: 409,
      body: {
        error: {
          code: 'conflict',
          message: expect.stringMatching(/is queued: .*\/cancel may still stop it/),
        },
      },
    });
    const cancelled = await schedule(DAY_MS);
    await service.call('POST', `/v1/messages/${cancelled}/cancel`);
    expect((await patch(cancelled, inMs(HOUR_MS))).body.error.message).toMatch(/is cancelled: only/);
    for (const status of ['sent', 'bounced', 'complained', 'deferred']) {
      await service.db.execute(
        `update messages set status = $2, sent_at = now(), bounced_at = now(), complained_at = now(), deferred_at = now(),
                next_attempt_at = case when $2 = 'deferred' then now() end where message_id = $1`,
        [queued, status],
      );
      expect((await patch(queued, null)).body.error.message).toContain(`The message is ${status}: only`);
    }
    await service.db.execute(
      "update messages set status = 'queued', sent_at = null, bounced_at = null, complained_at = null, deferred_at = null, next_attempt_at = now() where message_id = $1",
      [queued],
    );
  });

  test('of another account’s message is of none', async () => {
    const stranger = await makeTenant(service);
    const id = await schedule(DAY_MS);
    for (const unknown of [id, newId(), 'nonsense'])
      expect(await patch(unknown, null, stranger.key)).toMatchObject({
        status: 404,
        body: { error: { code: 'not_found' } },
      });
    expect((await service.call('POST', `/v1/messages/${id}/cancel`, { key: stranger.key })).status).toBe(404);
    expect((await read(id)).status).toBe('scheduled');
  });
});

describe('a scheduled message', () => {
  test('is cancelled without ever being queued, and says so in the log', async () => {
    const id = await schedule(DAY_MS, { certified: true });
    expect(await service.call('POST', `/v1/messages/${id}/cancel`)).toMatchObject({
      status: 200,
      body: { status: 'cancelled', queued_at: null, next_attempt_at: null, attempts: 1 },
    });
    const { cancelled_at: cancelledAt } = await read(id);
    nowMs += 2 * DAY_MS;
    await queueDue(deps());
    expect([await events(id), await inQueue(id)]).toEqual([[['email.cancelled', cancelledAt]], null]);
    const leaves = await service.db.query('select from leaf_contents where message_id = $1', [id]);
    expect(leaves).toHaveLength(2);
    expect((await service.call('POST', `/v1/messages/${id}/cancel`)).status).toBe(409);
    expect(await audit(service.db)).toEqual([]);
  });

  test('is not retried: the refusal says what sends it now', async () => {
    const { body } = await service.call('POST', `/v1/messages/${await schedule(DAY_MS)}/retry`);
    expect(body.error.message).toContain('{"send_at": null}');
  });

  test('is neither claimed nor counted as waiting before its time', async () => {
    const { tenantId } = service.account;
    const id = await schedule(HOUR_MS);
    const now = new Date(nowMs + DAY_MS);
    const claimed = await claimDue(service.db, { tenantId, now, limit: 1_000 });
    expect(claimed.length).toBeGreaterThan(0);
    expect(claimed.map(({ message_id }) => message_id)).not.toContain(id);
  });
});

describe('of two who want one message, one has it', () => {
  /** Both ends, many times: each pair meets in another order. */
  async function meet(other: (id: string) => Promise<unknown>): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < 24; n++) ids.push(await schedule(HOUR_MS));
    nowMs += 2 * HOUR_MS;
    const said = ids.map((id) =>
      other(id).then(
        () => 'done',
        (error) => error.code as string,
      ),
    );
    const looks = [queueDue(deps()), queueDue(deps())];
    const outcomes = await Promise.all(said);
    await Promise.all(looks);
    await queueDue(deps());
    expect(await audit(service.db)).toEqual([]);
    for (const [n, id] of ids.entries()) {
      const { status, queued_at } = await read(id);
      const told = (await events(id)).map(([type]: [string]) => type);
      const wanted = [
        queued_at === null ? [] : ['email.queued'],
        status === 'cancelled' ? ['email.cancelled'] : [],
      ];
      expect([n, told.toSorted()]).toEqual([n, wanted.flat().toSorted()]);
      expect([n, (await inQueue(id)) !== null]).toEqual([n, status === 'queued']);
    }
    return outcomes;
  }

  test('a cancellation and the schedule', async () => {
    const { tenantId } = service.account;
    const outcomes = await meet((id) => cancelMessage({ ...deps(), hostname: 'mail.test' }, tenantId, id));
    expect(outcomes.every((outcome) => outcome === 'done' || outcome === 'conflict')).toBe(true);
  });

  test('a move and the schedule', async () => {
    const { tenantId } = service.account;
    const outcomes = await meet((id) => moveMessage(deps(), tenantId, id, new Date(nowMs + DAY_MS)));
    expect(outcomes.every((outcome) => outcome === 'done' || outcome === 'conflict')).toBe(true);
  });

  test('a move to now, many times, and a cancellation', async () => {
    const { tenantId } = service.account;
    const outcomes = await meet((id) =>
      Promise.any([
        ...[1, 2, 3].map(() => moveMessage(deps(), tenantId, id, null)),
        cancelMessage({ ...deps(), hostname: 'mail.test' }, tenantId, id),
      ]).catch((error) => Promise.reject(error.errors[0])),
    );
    expect(outcomes).not.toContain(undefined);
  });

  test('two moves: the message is at one of the two times, and the schedule at the same', async () => {
    const id = await schedule(DAY_MS);
    const answers = await Promise.all([2, 3, 4, 5].map((days) => patch(id, inMs(days * DAY_MS))));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await audit(service.db)).toEqual([]);
  });
});

describe('what fails while messages fall due', () => {
  test('a crash before the commit leaves them scheduled, and tells nobody', async () => {
    const id = await schedule(HOUR_MS);
    nowMs += 2 * HOUR_MS;
    const crash = new Error('crashed');
    const broken = { ...service.db, query: service.db.query, execute: service.db.execute } as Db;
    broken.transact = (work) =>
      service.db.transact(async (tx) => {
        await work(tx);
        throw crash;
      });
    expect(await queueDue(deps(broken))).toBe(0);
    expect((await read(id)).status).toBe('scheduled');
    expect([await events(id), await inQueue(id)]).toEqual([[], null]);
    expect(await queueDue(deps())).toBe(1);
    expect(await events(id)).toHaveLength(1);
    expect(await audit(service.db)).toEqual([]);
  });

  test('the scheduler looks again, tells that it queued, and stops', async () => {
    const id = await schedule(HOUR_MS);
    nowMs += 2 * HOUR_MS;
    let told = 0;
    const scheduler = createScheduler({ ...deps(), log: service.services.log, onQueued: () => told++ });
    scheduler.start();
    await expect.poll(async () => (await read(id)).status).toBe('queued');
    await scheduler.stop();
    expect(told).toBe(1);
    await schedule(1);
    nowMs += 1_000;
    await scheduler.stop();
  });
});
