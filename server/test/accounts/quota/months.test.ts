import { afterAll, beforeAll, expect, test } from 'vitest';
import { readMonthCosts } from '../../../src/accounts/quota/account.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { giveDomain, makeTenant } from '../../support/tenants.ts';

let service: TestService;
const now = new Date('2026-11-15T12:00:00Z');

beforeAll(async () => {
  service = await startTestService({ clock: { now: () => now, monotonicMs: () => now.getTime() } });
});
afterAll(() => service?.stop());

test('each month has what was used and what it cost, the newest first, and no other account’s', async () => {
  const prices = { pricePerMessageCents: 200, pricePerPlainMessageCents: 10 };
  const { tenantId, key } = await makeTenant(service, prices);
  await giveDomain(service, tenantId, 'months.example');
  expect(await readMonthCosts(service.db, tenantId, 25)).toEqual([]);
  const from = 'cobros@months.example';
  await service.send({ from }, { key });
  for (let n = 0; n < 2; n++) await service.send({ from, certified: false }, { key });
  await service.send();
  await service.db.execute(
    `insert into quota_usage (tenant_id, month, bag, used) values ($1, '2026-10-01', 'plain', 30)`,
    [tenantId],
  );
  await service.db.execute(
    `insert into sealing_costs (tenant_id, month, kind, authority, items, cost_micros)
     values ($1, '2026-10-01', 'batch', 'dev', 1, 1500000)`,
    [tenantId],
  );
  const november = { month: '2026-11', certified: 1, certified_cents: 200, plain: 2, plain_cents: 20 };
  const october = { month: '2026-10', certified: 0, certified_cents: 0, plain: 30, plain_cents: 300 };
  expect(await readMonthCosts(service.db, tenantId, 25)).toEqual([
    { ...november, total_cents: 220, on_demand: 0, sealing_cost_cents: 0 },
    { ...october, total_cents: 300, on_demand: 0, sealing_cost_cents: 1.5 },
  ]);
  expect(await readMonthCosts(service.db, tenantId, 1)).toHaveLength(1);
});
