import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AskedPeriod, PERIOD_DAYS_MAX, readOutcomes, toOutcomes } from '../../src/messages/outcomes.ts';
import { countOutcomes, findOutcomesEnd } from '../../src/messages/outcomes-store.ts';
import { idRange } from '../../src/platform/http/created-query.ts';
import { newKey, startTestService, type TestService } from '../support/service.ts';
import { giveDomain, makeTenant, type TestTenant } from '../support/tenants.ts';

/** Outcomes of the messages of a period: by hour or day, destination, sending domain and tag. */
let service: TestService;
let tenant: TestTenant;
const ids: string[] = [];
beforeAll(async () => {
  service = await startTestService();
  tenant = await makeTenant(service);
  await giveDomain(service, tenant.tenantId, 'one.example.com');
  await giveDomain(service, tenant.tenantId, 'two.example.com');
  const from = { one: 'a@one.example.com', two: 'A@TWO.example.com' };
  await send({ from: from.one, to: 'ana@example.net', tags: ['invoice', 'mx'] });
  await send({ from: from.one, to: 'Ana@EXAMPLE.net', tags: ['invoice'] });
  await send({ from: from.two, to: 'x@Example.org' });
  await change(ids[0]!, "status = 'sent', deferred_at = created_at, sent_at = created_at");
  await change(ids[1]!, "status = 'bounced', bounced_at = created_at, bounce_type = 'hard'");
  await change(ids[2]!, "status = 'complained', sent_at = created_at, complained_at = created_at");
});
afterAll(() => service?.stop());

async function send(fields: object): Promise<void> {
  const { status, body } = await service.call('POST', '/v1/messages', {
    body: { certified: false, subject: 'x', text: 'x', ...fields },
    headers: { 'idempotency-key': newKey() },
    key: tenant.key,
  });
  expect([status, body.error]).toEqual([201, undefined]);
  ids.push(body.id);
}

const change = (id: string, set: string) =>
  service.db.transact((tx) =>
    tx.execute(`update messages set next_attempt_at = null, ${set} where message_id = $1`, [id]),
  );

const HOUR_MS = 3_600_000;
const near = (hours: number) => new Date(Date.now() + hours * HOUR_MS);
const lately = { from: near(-2), to: near(1), destination: null, sendingDomain: null, tag: null };
const read = (asked: Partial<AskedPeriod> = {}) =>
  readOutcomes(service.db, tenant.tenantId, { ...lately, ...asked });

const counts = (ingested: number, sent: number, deferred: number, bounced: number, complained: number) => ({
  ingested,
  sent,
  deferred,
  bounced,
  complained,
});

test('counts by destination, sending domain and tag, in any spelling', async () => {
  const found = await read();
  expect(found.counters).toEqual(counts(3, 2, 1, 1, 1));
  expect(found.destinations).toEqual({
    data: [
      { name: 'example.net', ...counts(2, 1, 1, 1, 0) },
      { name: 'example.org', ...counts(1, 1, 0, 0, 1) },
    ],
    others: 0,
  });
  expect(found.sending_domains.data).toEqual([
    { name: 'one.example.com', ...counts(2, 1, 1, 1, 0) },
    { name: 'two.example.com', ...counts(1, 1, 0, 0, 1) },
  ]);
  expect(found.tags.data).toEqual([
    { name: 'invoice', ...counts(2, 1, 1, 1, 0) },
    { name: 'mx', ...counts(1, 1, 1, 0, 0) },
  ]);
  expect(found.counted_from).toBeNull();
});

test('each filter leaves out what it does not name', async () => {
  expect((await read({ destination: 'example.org' })).counters).toEqual(counts(1, 1, 0, 0, 1));
  expect((await read({ sendingDomain: 'one.example.com' })).counters).toEqual(counts(2, 1, 1, 1, 0));
  expect((await read({ tag: 'mx' })).counters).toEqual(counts(1, 1, 1, 0, 0));
  expect((await read({ tag: 'mx', destination: 'example.org' })).counters).toEqual(counts(0, 0, 0, 0, 0));
  expect((await read({ to: near(-1) })).counters.ingested).toBe(0);
});

test('another account’s messages are not counted', async () => {
  const other = await makeTenant(service);
  const found = await readOutcomes(service.db, other.tenantId, lately);
  expect(found.counters.ingested).toBe(0);
});

test('every hour of a short period and every day of a long one is there', async () => {
  const from = new Date('2026-11-20T09:30:00Z');
  const hours = toOutcomes({ from, to: new Date('2026-11-20T12:00:00Z') }, 'hour', [], null).series;
  expect(hours.map((each) => each.from.slice(11, 16))).toEqual(['09:00', '10:00', '11:00']);
  const found = await read({ from: near(-10 * 24) });
  expect(found.step).toBe('day');
  expect(found.series.length).toBeGreaterThanOrEqual(11);
  expect(found.series.reduce((sum, { ingested }) => sum + ingested, 0)).toBe(3);
  expect(found.counters.ingested).toBe(3);
});

test('beyond its bound it counts the newest, and says from when on', async () => {
  const range = idRange({ createdAfter: lately.from, createdBefore: lately.to }, null);
  const question = { ...lately, ids: range, step: 'hour', scanned: 2, named: 1 } as const;
  const [rows, end] = await service.db.asTenant(tenant.tenantId, async (tx) => [
    await countOutcomes(tx, tenant.tenantId, question),
    await findOutcomesEnd(tx, tenant.tenantId, range, 2),
  ]);
  const found = toOutcomes(lately, 'hour', rows, end);
  expect(found.counters.ingested).toBe(2);
  expect(found.destinations).toMatchObject({ data: [{ name: 'example.net', ingested: 1 }], others: 1 });
  const { body } = await service.call('GET', `/v1/messages/${ids[1]}`, { key: tenant.key });
  expect(found.counted_from).toBe(body.created_at);
});

test('a period that ends before it begins, or is too long, is refused with the fix', async () => {
  await expect(read({ to: lately.from })).rejects.toThrow('created_before must be later than created_after.');
  await expect(read({ from: near(-PERIOD_DAYS_MAX * 24 - 1) })).rejects.toThrow(
    'The period may be at most 92 days long: shorten it.',
  );
});
