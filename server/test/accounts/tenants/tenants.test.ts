import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  changeTenant,
  createTenant,
  DEFAULT_SETTINGS,
  readTenant,
  readTenants,
} from '../../../src/accounts/tenants/operations.ts';
import { createTenantSettings } from '../../../src/accounts/tenants/settings.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { type ChangeDeps, createChanges } from '../../../src/platform/database/changes.ts';
import { type Db, openDb } from '../../../src/platform/database/db.ts';
import { newId } from '../../../src/platform/ids.ts';

let database: TestDatabase;
let db: Db;
let deps: ChangeDeps;
beforeAll(async () => {
  database = await testDatabase();
  db = openDb({ connectionString: database.url, poolSize: 4, applicationName: 'test' });
  deps = { db, clock: systemClock, changes: createChanges(db) };
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

describe('tenants', () => {
  test('are opened with defaults, read, listed and changed', async () => {
    const made = await createTenant(deps, { name: 'Example S.A.', quotaMessagesMonth: 5 });
    expect(made).toMatchObject({
      ...DEFAULT_SETTINGS,
      name: 'Example S.A.',
      status: 'active',
      sandbox: false,
      quotaMessagesMonth: 5,
    });
    expect(await readTenant(deps, made.tenantId)).toEqual(made);
    const second = await createTenant(deps, { name: 'Second', sandbox: true });
    expect((await readTenants(deps, null, 2)).map((each) => each.tenantId)).toEqual([
      second.tenantId,
      made.tenantId,
    ]);
    expect(await readTenants(deps, second.tenantId, 1)).toEqual([made]);

    const changed = await changeTenant(deps, made.tenantId, {
      status: 'suspended',
      defaultCertified: false,
      quotaPlainMessagesMonth: 0,
      pricePerMessageCents: 0,
    });
    expect(changed).toMatchObject({
      status: 'suspended',
      defaultCertified: false,
      quotaPlainMessagesMonth: 0,
      quotaMessagesMonth: 5,
      name: 'Example S.A.',
    });
  });

  test('are seen as they are now', async () => {
    const settings = createTenantSettings(deps);
    const { tenantId } = await createTenant(deps, { name: 'Cached' });
    expect((await settings(tenantId))!.quotaMessagesMonth).toBe(DEFAULT_SETTINGS.quotaMessagesMonth);
    expect(settings(tenantId)).not.toBeInstanceOf(Promise);
    await changeTenant(deps, tenantId, { quotaMessagesMonth: 7 });
    expect((await settings(tenantId))!.quotaMessagesMonth).toBe(7);
    expect(await settings(newId())).toBeNull();
  });

  test.each([
    { name: '' },
    { name: '   ' },
    { name: 'x'.repeat(201) },
    { name: 'x', quotaMessagesMonth: -1 },
    { name: 'x', quotaMessagesMonth: 1.5 },
    { name: 'x', quotaPlainMessagesMonth: Number.NaN },
    { name: 'x', pricePerMessageCents: 2 ** 31 },
  ])('refuse %j', async (input) => {
    await expect(createTenant(deps, input)).rejects.toMatchObject({ code: 'invalid_parameter' });
  });

  test.each(['nonsense', '', newId()])('%j names none', async (id) => {
    await expect(readTenant(deps, id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(changeTenant(deps, id, { name: 'x' })).rejects.toMatchObject({ code: 'not_found' });
  });
});
