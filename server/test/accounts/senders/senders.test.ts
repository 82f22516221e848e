import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { markVerified } from '../../../src/accounts/domains/register.ts';
import { createIsApprovedSender, type IsApprovedSender } from '../../../src/accounts/senders/approved.ts';
import { type Accounts, startAccounts } from '../harness.ts';

let accounts: Accounts;
let isApproved: IsApprovedSender;
let key: string;
let tenantId: string;
let domainId: string;

beforeAll(async () => {
  accounts = await startAccounts();
  isApproved = createIsApprovedSender(accounts.deps);
  const owner = await accounts.tenant();
  key = owner.key;
  tenantId = owner.tenant.tenantId;
  domainId = (await accounts.call('POST', '/v1/domains', key, { name: 'Example.com' })).body.id;
  await accounts.call('POST', '/v1/domains', key, { name: 'bücher.example' });
});
afterAll(() => accounts.close());

async function create(address: unknown) {
  return accounts.call('POST', '/v1/senders', key, { address });
}

describe('senders', () => {
  test('are addresses of registered domains, in one spelling', async () => {
    const made = await create('Billing@EXAMPLE.com');
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ address: 'billing@example.com', domain_id: domainId, active: true });
    expect((await create('billing@example.com')).body.error.code).toBe('conflict');
    expect((await create('*@BÜCHER.example')).body.address).toBe('*@xn--bcher-kva.example');
    expect((await accounts.call('GET', `/v1/senders/${made.body.id}`, key)).body).toEqual(made.body);
  });

  test.each([
    ['a@unregistered.example', 422, 'domain_not_verified'],
    ['a@sub.example.com', 422, 'domain_not_verified'],
    ['*@com', 400, 'invalid_address'],
    ['*@', 400, 'invalid_address'],
    ['', 400, 'invalid_address'],
    ['nobody', 400, 'invalid_address'],
    ['Name <a@example.com>', 400, 'invalid_address'],
    ['a@example.com, b@example.com', 400, 'invalid_address'],
    ['a@example.com\r\nBcc: b@example.com', 400, 'invalid_address'],
    ['a\u0000@example.com', 400, 'invalid_address'],
    [7, 400, 'invalid_body'],
    ['x'.repeat(5_000), 400, 'invalid_body'],
  ])('refuses %j', async (address, status, code) => {
    const answer = await create(address);
    expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
  });

  test('PATCH takes active and nothing else', async () => {
    const { id } = (await create('patched@example.com')).body;
    for (const body of [{}, { active: 'no' }, { active: null }, { active: true, address: 'x' }, undefined]) {
      expect((await accounts.call('PATCH', `/v1/senders/${id}`, key, body)).status).toBe(400);
    }
    expect((await accounts.call('PATCH', `/v1/senders/${id}`, key, { active: false })).body.active).toBe(
      false,
    );
  });
});

describe('approval', () => {
  test('is by address, or by the domain, and a switched off address stays off', async () => {
    await markVerified(accounts.domainDeps, tenantId, domainId);
    expect(await isApproved(tenantId, 'one@example.com')).toBe(false);
    const one = (await create('one@example.com')).body;
    expect(await isApproved(tenantId, 'one@example.com')).toBe(true);
    expect(isApproved(tenantId, 'one@example.com')).toBe(true);
    expect(await isApproved(tenantId, 'two@example.com')).toBe(false);

    const all = (await create('*@example.com')).body;
    expect(await isApproved(tenantId, 'two@example.com')).toBe(true);
    await accounts.call('PATCH', `/v1/senders/${one.id}`, key, { active: false });
    expect(await isApproved(tenantId, 'one@example.com')).toBe(false);
    expect(await isApproved(tenantId, 'two@example.com')).toBe(true);
    await accounts.call('DELETE', `/v1/senders/${one.id}`, key);
    expect(await isApproved(tenantId, 'one@example.com')).toBe(true);
    await accounts.call('PATCH', `/v1/senders/${all.id}`, key, { active: false });
    expect(await isApproved(tenantId, 'two@example.com')).toBe(false);
  });

  test('goes with its domain', async () => {
    const other = (await accounts.call('POST', '/v1/domains', key, { name: 'gone.example' })).body;
    await create('*@gone.example');
    expect(await isApproved(tenantId, 'a@gone.example')).toBe(true);
    await accounts.call('DELETE', `/v1/domains/${other.id}`, key);
    expect(await isApproved(tenantId, 'a@gone.example')).toBe(false);
  });
});
