import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  addGlobalSuppression,
  readGlobalSuppressions,
  recordSuppression,
  removeGlobalSuppression,
  SUPPRESSIONS_MAX,
} from '../../../src/accounts/suppressions/operations.ts';
import { newId } from '../../../src/platform/ids.ts';
import { type Accounts, startAccounts } from '../harness.ts';

let accounts: Accounts;
beforeAll(async () => {
  accounts = await startAccounts();
});
afterAll(() => accounts.close());

describe('the list of a tenant', () => {
  test('keeps one entry an address, in any spelling, with its first reason', async () => {
    const { key } = await accounts.tenant();
    const made = await accounts.call('POST', '/v1/suppressions', key, {
      address: 'Someone@BÜCHER.example',
      reason: 'asked',
    });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      address: 'someone@xn--bcher-kva.example',
      reason: 'asked',
      source: 'manual',
      message_id: null,
    });
    const again = await accounts.call('POST', '/v1/suppressions', key, {
      address: 'someone@xn--bcher-kva.example',
      reason: 'other',
    });
    expect(again).toMatchObject({ status: 200, body: made.body });
    const found = await accounts.call('GET', '/v1/suppressions?address=SOMEONE%40b%C3%BCcher.example', key);
    expect(found.body.data).toEqual([made.body]);
    expect(
      (await accounts.call('GET', '/v1/suppressions?address=else%40example.com', key)).body.data,
    ).toEqual([]);

    expect((await accounts.call('DELETE', `/v1/suppressions/${made.body.id}`, key)).status).toBe(204);
    expect((await accounts.call('DELETE', `/v1/suppressions/${made.body.id}`, key)).status).toBe(404);
  });

  test('changes need suppressions:write, reads evidence:read', async () => {
    const reader = await accounts.tenant(['evidence:read', 'messages:send']);
    expect(
      (await accounts.call('POST', '/v1/suppressions', reader.key, { address: 'a@example.com' })).body.error
        .code,
    ).toBe('insufficient_scope');
    expect((await accounts.call('DELETE', `/v1/suppressions/${newId()}`, reader.key)).body.error.code).toBe(
      'insufficient_scope',
    );
    const writer = await accounts.tenant(['suppressions:write']);
    expect((await accounts.call('GET', '/v1/suppressions', writer.key)).body.error.code).toBe(
      'insufficient_scope',
    );
  });

  test('many at once make one entry', async () => {
    const { key } = await accounts.tenant();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        accounts.call('POST', '/v1/suppressions', key, { address: 'same@example.com' }),
      ),
    );
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
  });

  test('takes what a bounce adds, with its message, and leaves a known entry alone', async () => {
    const { key, tenant } = await accounts.tenant();
    const messageId = newId();
    const entry = {
      suppressionKey: 'hard@example.com',
      reason: '550 5.1.1 no such user',
      source: 'bounce' as const,
      messageId,
      at: new Date(),
    };
    await accounts.db.transact((tx) => recordSuppression(tx, tenant.tenantId, entry));
    await accounts.db.transact((tx) =>
      recordSuppression(tx, tenant.tenantId, { ...entry, source: 'complaint', messageId: newId() }),
    );
    expect((await accounts.call('GET', '/v1/suppressions', key)).body.data).toMatchObject([
      { address: 'hard@example.com', source: 'bounce', message_id: messageId },
    ]);
  });

  test.each([
    [{ address: '' }, 'invalid_address'],
    [{ address: 'no' }, 'invalid_address'],
    [{ address: 'a@b' }, 'invalid_address'],
    [{ address: 'a\u0000@example.com' }, 'invalid_address'],
    [{ address: 'a@example.com', reason: 'x\u0000' }, 'invalid_body'],
    [{ address: 'a@example.com', reason: '' }, 'invalid_body'],
    [{ address: 'a@example.com', reason: 'x'.repeat(501) }, 'invalid_body'],
    [{ address: 'a@example.com', source: 'bounce' }, 'invalid_body'],
    [{}, 'invalid_body'],
  ])('refuses %j', async (body, code) => {
    const { key } = await accounts.tenant();
    const answer = await accounts.call('POST', '/v1/suppressions', key, body);
    expect([answer.status, answer.body.error?.code]).toEqual([400, code]);
  });

  test('is full at its limit, except for what is added by itself', async () => {
    const { key, tenant } = await accounts.tenant();
    await accounts.db.execute(
      `insert into suppressions (tenant_id, suppression_id, address, reason, source, created_at)
       select $1, gen_random_uuid(), 'n' || n || '@example.com', 'r', 'manual', now() from generate_series(1, $2) n`,
      [tenant.tenantId, SUPPRESSIONS_MAX],
    );
    expect(
      (await accounts.call('POST', '/v1/suppressions', key, { address: 'one-more@example.com' })).body.error
        .code,
    ).toBe('conflict');
    expect((await accounts.call('POST', '/v1/suppressions', key, { address: 'n7@example.com' })).status).toBe(
      200,
    );
    const entry = {
      suppressionKey: 'auto@example.com',
      reason: 'r',
      source: 'bounce' as const,
      messageId: newId(),
      at: new Date(),
    };
    await accounts.db.transact((tx) => recordSuppression(tx, tenant.tenantId, entry));
    expect(
      (await accounts.call('GET', '/v1/suppressions?address=auto%40example.com', key)).body.data,
    ).toHaveLength(1);
  });
});

test("the operator's own list", async () => {
  expect(
    await addGlobalSuppression(accounts.deps, { address: 'Spam-Trap@Example.com', reason: 'trap' }),
  ).toBe(true);
  expect(await addGlobalSuppression(accounts.deps, { address: 'spam-trap@example.com' })).toBe(false);
  expect(await readGlobalSuppressions(accounts.deps, {}, '', 10)).toMatchObject([
    { address: 'spam-trap@example.com', reason: 'trap' },
  ]);
  expect(await removeGlobalSuppression(accounts.deps, 'SPAM-TRAP@example.com')).toBe(true);
  expect(await removeGlobalSuppression(accounts.deps, 'spam-trap@example.com')).toBe(false);
});
