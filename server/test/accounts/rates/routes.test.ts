import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApiKey } from '../../../src/accounts/api-keys/operations.ts';
import { addUpPage } from '../../../src/accounts/rates/adding-up.ts';
import { findDrift } from '../../../src/accounts/rates/store.ts';
import { createTenant } from '../../../src/accounts/tenants/operations.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import type { Scope } from '../../../src/platform/http/http.ts';
import { newId } from '../../../src/platform/ids.ts';
import { appendEvents } from '../../../src/webhooks/append.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let aheadMs = 0;
const clock: Clock = {
  now: () => new Date(Date.now() + aheadMs),
  monotonicMs: () => performance.now(),
};
const DAY_MS = 24 * 60 * 60 * 1_000;

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ clock });
});

afterAll(() => service.stop());

const rates = (query = '', key?: string) =>
  service.call('GET', `/v1/rates${query}`, key === undefined ? {} : { key });
const today = () => clock.now().toISOString().slice(0, 10);

async function otherTenant(scopes: readonly Scope[]): Promise<string> {
  const { db, changes } = service.services;
  const { tenantId } = await createTenant({ db, clock, changes }, { name: 'other' });
  return (await createApiKey({ db, clock, changes }, tenantId, { name: 'test', scopes }, null)).key;
}

describe('GET /v1/rates', () => {
  test('shows fourteen days unless asked for others', async () => {
    const answer = await rates();
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body)).toEqual([
      'days',
      'from',
      'to',
      'counters',
      'rates',
      'daily',
      'bounce_reasons',
      'deferral_reasons',
    ]);
    expect(answer.body).toMatchObject({ days: 14, to: today() });
    expect(answer.body.daily).toHaveLength(14);
    for (const days of [1, 30, 366]) {
      const { body } = await rates(`?days=${days}`);
      expect(body.days).toBe(days);
      expect(body.daily).toHaveLength(days);
      expect(body.daily.at(-1).date).toBe(today());
      expect(body.from).toBe(body.daily[0].date);
    }
  });

  test.each(['0', '367', '-1', '1.5', 'x', '', '1e2x', 'null'])(
    'days=%s: 400 invalid_parameter',
    async (days) => {
      expect(await rates(`?days=${days}`)).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid_parameter' } },
      });
    },
  );

  test('an unknown parameter is refused', async () => {
    expect((await rates('?day=1')).body.error.code).toBe('invalid_parameter');
  });

  test('takes evidence:read', async () => {
    expect((await rates('', await otherTenant(['messages:send']))).status).toBe(403);
    expect((await rates('', await otherTenant(['evidence:read']))).status).toBe(200);
  });

  test("counts an account's own messages on the day they came, once, and no refused or replayed send", async () => {
    const before = (await rates()).body.counters.ingested;
    const key = 'rates-1';
    await service.send({}, { headers: { 'idempotency-key': key } });
    await service.send({}, { headers: { 'idempotency-key': key } });
    await service.send({ certified: false });
    await service.send({ to: 'nobody' });
    await service.send({ from: 'x@elsewhere.example' });
    expect((await rates()).body.counters.ingested).toBe(before + 2);
    aheadMs += DAY_MS;
    await service.send();
    const { body } = await rates('?days=2');
    expect(body.daily.map((day: { ingested: number }) => day.ingested)).toEqual([before + 2, 1]);
    expect(body.rates).toMatchObject({ delivery: 0, complaint: null, seal: 0 });
    expect((await rates('?days=1')).body.counters.ingested).toBe(1);
    const stranger = await rates('', await otherTenant(['evidence:read']));
    expect(stranger.body.counters.ingested).toBe(0);
  });
});

describe('the check of the counters', () => {
  test('counts a seal on the day of its time-stamp, whenever that was written down', async () => {
    const { tenantId } = service.account;
    const { id } = (await service.send()).body;
    const genTime = '2026-01-31T23:59:59.000Z';
    await service.db.transact((tx) =>
      appendEvents(tx, [
        {
          tenantId,
          eventId: newId(),
          messageId: id,
          type: 'email.sealed',
          occurredAt: new Date('2026-02-01T00:00:02Z'),
          data: { sealed_at: genTime },
        },
      ]),
    );
    expect(await findDrift(service.db, tenantId)).toEqual([
      { day: '2026-01-31', counter: 'sealed', counted: 0, actual: 1 },
    ]);
    await service.db.execute(
      "insert into daily_counters (tenant_id, day, sealed) values ($1, '2026-01-31', 1)",
      [tenantId],
    );
    expect(await findDrift(service.db, tenantId)).toEqual([]);
  });

  test('finds nothing where they agree with the messages, and each one that does not', async () => {
    const { tenantId } = service.account;
    await service.send();
    expect(await findDrift(service.db, tenantId)).toEqual([]);
    await addUpPage(service.db, 1_000);
    expect(await findDrift(service.db, tenantId)).toEqual([]);
    await service.db.execute(
      'update daily_counters set sent = sent + 2, ingested = ingested - 1 where tenant_id = $1 and day = $2',
      [tenantId, today()],
    );
    const drift = await findDrift(service.db, tenantId);
    const { ingested } = (await rates('?days=1')).body.counters;
    expect(drift).toEqual([
      { day: today(), counter: 'ingested', counted: ingested, actual: ingested + 1 },
      { day: today(), counter: 'sent', counted: 2, actual: 0 },
    ]);
    await service.db.execute('delete from daily_counters where tenant_id = $1', [tenantId]);
    expect((await findDrift(service.db, tenantId)).length).toBeGreaterThan(0);
  });
});

// Last: it makes bounces that no counter knows.
describe('the reasons of bounces', () => {
  test('are counted of the messages of the window, most frequent first', async () => {
    const { tenantId } = service.account;
    const sent = await Promise.all([1, 2, 3].map(() => service.send()));
    const [first, ...others] = sent.map(({ body }) => body.id);
    const bounce = (ids: string[], reason: string | null) =>
      service.db.execute(
        `update messages set status = 'bounced', bounced_at = now(), next_attempt_at = null,
           bounce_type = 'soft', bounce_reason = $3 where tenant_id = $1 and message_id = any ($2)`,
        [tenantId, ids, reason],
      );
    await bounce([first], null);
    await bounce(others, 'mailbox_full');
    expect((await rates()).body.bounce_reasons).toEqual([
      { reason: 'mailbox_full', messages: 2, share: 2 / 3 },
      { reason: null, messages: 1, share: 1 / 3 },
    ]);
    aheadMs += 20 * DAY_MS;
    expect((await rates()).body.bounce_reasons).toEqual([]);
  });
});
