import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { blankEvents } from '../../src/webhooks/erase-store.ts';
import type { NewEvent } from '../../src/webhooks/event.ts';
import { EVENTS_SCANNED_MAX } from '../../src/webhooks/event-store.ts';
import { HOUR_MS, startWebhooks, type Webhooks } from './harness.ts';

/** `GET /v1/events`: what happened, for whoever asks. */
let hooks: Webhooks;
let key: string;
let tenantId: string;
beforeAll(async () => {
  hooks = await startWebhooks();
});
afterAll(() => hooks.close());
beforeEach(async () => {
  ({ key, tenantId } = await hooks.tenant());
});

const ask = (query = '', as = key) => hooks.call('GET', `/v1/events${query}`, as);
const idsOf = (events: readonly NewEvent[]) => events.map(({ eventId }) => eventId);

async function listed(query = ''): Promise<string[]> {
  const { status, body } = await ask(query);
  expect([status, body.error]).toEqual([200, undefined]);
  return body.data.map(({ data }: { data: { event_id: string } }) => data.event_id);
}

/** All pages. */
async function walk(query: string): Promise<{ ids: string[]; pages: number }> {
  const ids: string[] = [];
  let pages = 0;
  for (let cursor: string | null = ''; cursor !== null; pages++) {
    const { body } = await ask(`${query}${cursor === '' ? '' : `&after=${cursor}`}`);
    ids.push(...body.data.map(({ data }: { data: { event_id: string } }) => data.event_id));
    cursor = body.next_cursor;
  }
  return { ids, pages };
}

test('an event is what a webhook carries, field for field', async () => {
  const receiver = await hooks.receiver();
  const worker = hooks.worker();
  const { row } = await hooks.endpoints.create(tenantId, { url: receiver.url('/hooks'), events: ['*'] });
  const data = { to: 'ana@example.com', mx: null, reply_code: 250, enhanced: null, reply: 'ok', tls: null };
  await hooks.emit(tenantId, 1, 'email.sent', data);
  worker.wake();
  await hooks.settled(row.webhook_id);
  const { body } = await ask();
  expect(body).toMatchObject({ next_cursor: null, scanned_to: null });
  expect(body.data).toEqual([JSON.parse(receiver.requests[0]!.body.toString())]);
});

test('newest first, or oldest first; pages meet without a gap either way', async () => {
  const ids = idsOf(await hooks.emit(tenantId, 45));
  expect((await listed()).length).toBe(20);
  expect((await walk('?limit=20')).ids).toEqual(ids.toReversed());
  expect(await walk('?limit=20&order=asc')).toEqual({ ids, pages: 3 });
});

test('a cancellation is listed, and no endpoint is told, not even one that takes all', async () => {
  const { row } = await hooks.endpoints.create(tenantId, { url: 'https://hooks.test/x', events: ['*'] });
  const [cancelled] = await hooks.emit(tenantId, 1, 'email.cancelled', {
    to: 'a@b.test',
    cancelled_by: 'sender',
  });
  expect((await ask('?type=email.cancelled')).body.data).toMatchObject([
    { type: 'email.cancelled', data: { message_id: cancelled!.messageId, cancelled_by: 'sender' } },
  ]);
  expect(await hooks.deliveries(row.webhook_id)).toEqual([]);
  const subscribed = await hooks.call('POST', '/v1/webhooks', key, {
    url: 'https://hooks.test/x',
    events: ['email.cancelled'],
  });
  expect([subscribed.status, subscribed.body.error.code]).toEqual([400, 'invalid_body']);
});

describe('filters', () => {
  test('by type, several at once, and by message', async () => {
    const sent = await hooks.emit(tenantId, 3, 'email.sent');
    const bounced = await hooks.emit(tenantId, 2, 'email.bounced');
    const sealed = await hooks.emit(tenantId, 1, 'email.sealed');
    expect(await listed('?type=email.bounced')).toEqual(idsOf(bounced).toReversed());
    expect(await listed('?order=asc&type=email.sealed,email.bounced')).toEqual(
      idsOf([...bounced, ...sealed]),
    );
    expect(await listed(`?message_id=${sent[1]!.messageId}`)).toEqual([sent[1]!.eventId]);
    expect(await listed(`?message_id=${sent[1]!.messageId.toUpperCase()}&type=email.sent`)).toHaveLength(1);
    expect(await listed(`?message_id=${sent[1]!.messageId}&type=email.bounced`)).toEqual([]);
    expect(await listed(`?message_id=${newId()}`)).toEqual([]);
  });

  test('by time, to the millisecond, whatever the order', async () => {
    const early = await hooks.emit(tenantId, 2);
    hooks.clock.advance(HOUR_MS);
    const late = await hooks.emit(tenantId, 2);
    const border = late[0]!.occurredAt.toISOString();
    expect(await listed(`?created_after=${border}`)).toEqual(idsOf(late).toReversed());
    expect(await listed(`?order=asc&created_after=${border}`)).toEqual(idsOf(late));
    expect(await listed(`?order=asc&created_before=${border}`)).toEqual(idsOf(early));
  });

  test.each([
    ['a type that does not exist', '?type=email.opened', /type/],
    ['a message that is not an id', '?message_id=1', /message_id must be an id/],
    ['an order that does not exist', '?order=up', /order/],
    ['a moment that is none', '?created_after=yesterday', /created_after/],
    ['a mistyped name', '?types=email.sent', /Did you mean type\?/],
  ])('%s is refused', async (_what, query, message) => {
    const { status, body } = await ask(query);
    expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
    expect(body.error.message).toMatch(message);
  });

  test('a cursor of the other order, or of other filters, is refused', async () => {
    await hooks.emit(tenantId, 3);
    const { body } = await ask('?limit=1');
    for (const query of ['?limit=1&order=asc', '?limit=1&type=email.sent'])
      expect((await ask(`${query}&after=${body.next_cursor}`)).status).toBe(400);
  });
});

test('what is rare is looked for in bounded pages that lead on, both ways', async () => {
  const first = await hooks.emit(tenantId, 1, 'email.bounced');
  await hooks.emit(tenantId, EVENTS_SCANNED_MAX + 500);
  const last = await hooks.emit(tenantId, 1, 'email.bounced');
  const { body } = await ask('?type=email.bounced');
  expect([body.data.length, body.next_cursor]).toEqual([1, expect.any(String)]);
  expect(body.scanned_to).toMatch(/Z$/);
  expect(await walk('?type=email.bounced')).toEqual({ ids: idsOf([...last, ...first]), pages: 2 });
  expect(await walk('?type=email.bounced&order=asc')).toEqual({ ids: idsOf([...first, ...last]), pages: 2 });
});

test('an account sees its own events only, with evidence:read and with no other scope', async () => {
  await hooks.emit(tenantId, 2);
  const other = await hooks.tenant('Other');
  expect((await ask('', other.key)).body).toEqual({ data: [], next_cursor: null, scanned_to: null });
  const sender = await hooks.tenant('Sender', ['messages:send']);
  expect((await ask('', sender.key)).status).toBe(403);
});

test('after an erasure the event stays, without what was said and to whom', async () => {
  const [event] = await hooks.emit(tenantId, 1, 'email.bounced', {
    to: 'ana@example.com',
    bounce_type: 'hard',
  });
  await hooks.db.transact(async (tx) => blankEvents(tx, tenantId, event!.messageId));
  const { body } = await ask();
  expect(body.data[0].data).toEqual({
    message_id: event!.messageId,
    event_id: event!.eventId,
    bounce_type: 'hard',
  });
});
