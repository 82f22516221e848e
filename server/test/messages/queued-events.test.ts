import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { enqueue } from '../../src/delivery/claim/enqueue-store.ts';
import { queueDue } from '../../src/messages/schedule.ts';
import { eraseMessage } from '../../src/operate/retention/erase.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/ids.ts';
import { appendEvents } from '../../src/webhooks/append.ts';
import { EVENTS_SCANNED_MAX } from '../../src/webhooks/event-store.ts';
import { newKey, startTestService, type TestService } from '../support/service.ts';
import { giveDomain, makeTenant } from '../support/tenants.ts';

/**
 * `email.queued`, made from its message or stored: every list has both, each once and in its place. Nobody
 * delivers here.
 */
let service: TestService;
let key: string;
let tenantId: string;
let from: string;

beforeAll(async () => {
  service = await startTestService({ environment: { ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true' } });
});
afterAll(() => service.stop());
beforeEach(async () => {
  ({ key, tenantId } = await makeTenant(service));
  const domain = `${newKey()}.example`;
  await giveDomain(service, tenantId, domain);
  from = `billing@${domain}`;
});

interface Listed {
  readonly id: string;
  readonly type: string;
  readonly messageId: string;
  readonly data: Record<string, unknown>;
}

/** As the API tells it. */
interface Told {
  readonly type: string;
  readonly data: { readonly message_id: string; readonly event_id: string } & Record<string, unknown>;
}

const send = async (fields: object = {}): Promise<{ id: string; created_at: string }> => {
  const { status, body } = await service.send({ from, ...fields }, { key });
  expect([status, body.error]).toEqual([201, undefined]);
  return body;
};
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

async function sent(messageId: string): Promise<string> {
  const eventId = newId();
  const event = { tenantId, eventId, messageId, type: 'email.sent' as const, occurredAt: new Date() };
  await service.db.transact((tx) => appendEvents(tx, [{ ...event, data: { to: 'ana@sandbox.test' } }]));
  return eventId;
}

async function page(query: string) {
  const { status, body } = await service.call('GET', `/v1/events?${query}`, { key });
  expect([status, body.error]).toEqual([200, undefined]);
  const data = (body.data as Told[]).map(
    ({ type, data: { message_id: messageId, event_id: id, ...data } }) => ({
      ...{ id, type, messageId },
      data,
    }),
  );
  return { data, next: body.next_cursor as string | null, scannedTo: body.scanned_to as string | null };
}

/** All pages; the query of each but the first continues the one before. */
async function walk(query: string): Promise<{ events: Listed[]; pages: number }> {
  const events: Listed[] = [];
  for (let pages = 1, cursor = ''; ; pages++) {
    const { data, next } = await page(`${query}${cursor}`);
    events.push(...data);
    if (next === null) return { events, pages };
    cursor = `&after=${next}`;
  }
}

const idsOf = (events: readonly Listed[]) => events.map(({ id }) => id);
const storedQueued = () =>
  service.db.query("select event_id from events where tenant_id = $1 and type = 'email.queued'", [tenantId]);

describe('of a message that is in line at once', () => {
  test('is not stored, and says what a stored one says, with the id of the message', async () => {
    const { id, created_at } = await send({
      to: 'Ana <ana@sandbox.test>',
      certified: true,
      subject: 'Né "1"',
    });
    const data = { from, to: 'Ana <ana@sandbox.test>', subject: 'Né "1"', certified: true };
    expect(await storedQueued()).toEqual([]);
    const { body } = await service.call('GET', '/v1/events', { key });
    const event = { type: 'email.queued', created_at, data: { message_id: id, event_id: id, ...data } };
    expect(body).toEqual({ data: [event], next_cursor: null, scanned_to: null });
    const own = await service.call('GET', `/v1/messages/${id}/events`, { key });
    expect(own.body).toEqual({ data: [{ id, type: 'email.queued', created_at, data }], next_cursor: null });
  });

  test('comes before what happens to the message, in pages of one', async () => {
    const { id } = await send();
    const eventId = await sent(id);
    const pageOf = (after: string) =>
      service.call('GET', `/v1/messages/${id}/events?limit=1${after}`, { key }).then(({ body }) => body);
    const first = await pageOf('');
    expect(first.data).toMatchObject([{ id, type: 'email.queued' }]);
    const second = await pageOf(`&after=${first.next_cursor}`);
    expect(second).toMatchObject({ data: [{ id: eventId, type: 'email.sent' }], next_cursor: null });
  });

  test('is told to who subscribes to it, with the same id, body and time', async () => {
    const endpoint = { url: 'https://127.0.0.1:1/', events: ['email.queued'] };
    const made = await service.call('POST', '/v1/webhooks', { key, body: endpoint });
    expect(made.status).toBe(201);
    const { id, created_at } = await send();
    const told = await service.db.query<{ event_id: string; body: Buffer; created_at: Date }>(
      'select event_id, body, created_at from webhook_deliveries where tenant_id = $1',
      [tenantId],
    );
    expect(told).toMatchObject([{ event_id: id, created_at: new Date(created_at) }]);
    const listed = (await service.call('GET', '/v1/events', { key })).body.data;
    expect(listed).toEqual([JSON.parse(told[0]!.body.toString())]);
    expect(await storedQueued()).toEqual([]);
  });

  test('after an erasure has nothing of who and what, and no delivery of it is left', async () => {
    await service.call('POST', '/v1/webhooks', {
      key,
      body: { url: 'https://127.0.0.1:1/', events: ['*'] },
    });
    const { id } = await send({ certified: false });
    await service.db.execute(
      "update messages set status = 'sent', sent_at = now(), next_attempt_at = null where message_id = $1",
      [id],
    );
    await eraseMessage(
      { db: service.db, clock: systemClock, certifiedYears: 10 },
      { messageId: id, tenantId, reason: 'asked', by: 'test', force: false },
    );
    expect((await walk('')).events).toEqual([
      { id, type: 'email.queued', messageId: id, data: { certified: false } },
    ]);
    const own = await service.call('GET', `/v1/messages/${id}/events`, { key });
    expect(own.body.data).toMatchObject([{ id, data: { certified: false } }]);
    expect(await service.db.query('select from webhook_deliveries where tenant_id = $1', [tenantId])).toEqual(
      [],
    );
  });
});

test('of a scheduled message it is stored once it is queued, and not made before or after', async () => {
  const { id } = await send({ send_at: inAnHour() });
  expect((await walk('')).events).toEqual([]);
  await service.db.execute(
    "update scheduled_messages set send_at = now() - interval '1 second' where message_id = $1",
    [id],
  );
  await queueDue({ db: service.db, clock: systemClock, enqueue });
  const { events } = await walk('');
  expect(events).toMatchObject([{ type: 'email.queued', messageId: id }]);
  expect(events[0]!.id).not.toBe(id);
  expect(await storedQueued()).toEqual([{ event_id: events[0]!.id }]);
  const own = await service.call('GET', `/v1/messages/${id}/events`, { key });
  expect(own.body.data).toMatchObject([{ id: events[0]!.id, type: 'email.queued' }]);
});

describe('lists of both kinds', () => {
  /** All events, in the order in which they happened. */
  let all: { id: string; type: string; messageId: string }[];

  /** In no regular turn: so many messages, then so many events, and what is scheduled between. */
  const TURNS = [
    [3, 0],
    [1, 2],
    [0, 1],
    [2, 3],
    [1, 0],
    [0, 3],
    [1, 1],
  ] as const;

  beforeEach(async () => {
    all = [];
    const messages: string[] = [];
    for (const [accepted, happened] of TURNS) {
      for (let n = 0; n < accepted; n++) {
        const { id } = await send();
        messages.push(id);
        all.push({ id, type: 'email.queued', messageId: id });
      }
      for (let n = 0; n < happened; n++) {
        const messageId = messages[n % messages.length]!;
        all.push({ id: await sent(messageId), type: 'email.sent', messageId });
      }
      await send({ send_at: inAnHour() });
    }
  });

  test.each([1, 2, 3, 5, 18, 100])('are in one order, in pages of %i', async (limit) => {
    expect(all.length).toBe(18);
    const ids = all.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(idsOf((await walk(`limit=${limit}&order=asc`)).events)).toEqual(ids);
    const { events, pages } = await walk(`limit=${limit}`);
    expect([idsOf(events), pages]).toEqual([ids.toReversed(), Math.ceil(18 / limit)]);
  });

  test('by type, by message and by time', async () => {
    const of = (wanted: (event: (typeof all)[number]) => boolean) => all.filter(wanted).map(({ id }) => id);
    const isQueued = ({ type }: { type: string }) => type === 'email.queued';
    for (const limit of [1, 4, 100]) {
      const query = `limit=${limit}&order=asc`;
      const ids = async (filter: string) => idsOf((await walk(`${query}&${filter}`)).events);
      expect(await ids('type=email.queued')).toEqual(of(isQueued));
      expect(await ids('type=email.sent')).toEqual(of((event) => !isQueued(event)));
      expect(await ids('type=email.sent,email.queued')).toEqual(all.map(({ id }) => id));
      const { messageId } = all[0]!;
      expect(await ids(`message_id=${messageId}`)).toEqual(of((event) => event.messageId === messageId));
      expect(await ids(`message_id=${messageId}&type=email.queued`)).toEqual([messageId]);
      expect(await ids(`message_id=${messageId}&type=email.bounced`)).toEqual([]);
      const at = (await service.call('GET', `/v1/messages/${all[7]!.messageId}`, { key })).body.created_at;
      const before = await ids(`created_before=${at}`);
      const after = await ids(`created_after=${at}`);
      expect([...before, ...after]).toEqual(all.map(({ id }) => id));
      expect(before.length).toBeGreaterThan(0);
      expect(await ids(`message_id=${all[7]!.messageId}&created_before=${at}`)).toEqual([]);
    }
  });

  test('of other accounts stay theirs', async () => {
    const other = await makeTenant(service);
    const { body } = await service.call('GET', '/v1/events', { key: other.key });
    expect(body.data).toEqual([]);
  });
});

describe('among very many messages that are scheduled', () => {
  /** As many scheduled messages as one look passes over, and some. */
  const SCHEDULED = EVENTS_SCANNED_MAX + 300;

  test.each(['asc', 'desc'])('no event is lost, and no page looks further than it may: %s', async (order) => {
    const first = await send();
    const sentId = await sent(first.id);
    const { id } = await send({ send_at: inAnHour() });
    // Copies of it, with ids of now: between what was before and what comes after.
    const ids = Array.from({ length: SCHEDULED }, () => newId());
    const columns = await service.db.query<{ name: string }>(
      `select column_name as name from information_schema.columns
        where table_name = 'messages' and is_generated = 'NEVER' and column_name <> 'message_id'
          and column_name <> 'canonical_hash' and column_name <> 'tenant_sequence'
          and column_name <> 'certified'`,
    );
    const names = columns.map(({ name }) => name).join(', ');
    await service.db.transact((tx) =>
      tx.execute(
        `insert into messages (message_id, certified, ${names})
         select made.id, false, ${columns.map(({ name }) => `m.${name}`).join(', ')}
           from unnest($2::uuid[]) made (id), messages m where m.message_id = $1
         on conflict do nothing`,
        [id, ids],
      ),
    );
    const last = await send();
    const all = [first.id, sentId, last.id, await sent(last.id)];
    const wanted = order === 'asc' ? all : all.toReversed();
    for (const filter of ['', '&type=email.queued,email.sent']) {
      const { events, pages } = await walk(`limit=100&order=${order}${filter}`);
      expect([filter, idsOf(events)]).toEqual([filter, wanted]);
      expect([filter, pages]).toEqual([filter, 2]);
    }
    const { scannedTo } = await page(`limit=100&order=${order}`);
    expect(scannedTo).toMatch(/Z$/);
    // Full before it has looked so far: nothing to say.
    expect((await page(`limit=1&order=${order}`)).scannedTo).toBeNull();
  });
});
