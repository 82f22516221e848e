import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeTenant } from '../../src/accounts/tenants/operations.ts';
import { newKey, startTestService, type TestService } from '../support/service.ts';
import { giveDomain, makeTenant, type TestTenant } from '../support/tenants.ts';

/** A send asks to be certified in two ways: it says so, or leaves it to the account. */
const DOMAIN = 'replay.example.com';
let service: TestService;
let tenant: TestTenant;
beforeAll(async () => {
  service = await startTestService();
  tenant = await makeTenant(service);
  await giveDomain(service, tenant.tenantId, DOMAIN);
});
afterAll(() => service?.stop());

const FIELDS = { from: `billing@${DOMAIN}`, to: 'ana@example.net', text: 'Hello' };
const OTHER = { true: false, false: true } as const;

function send(idempotencyKey: string, certified: boolean | undefined) {
  return service.call('POST', '/v1/messages', {
    body: { ...FIELDS, ...(certified !== undefined && { certified }) },
    headers: { 'idempotency-key': idempotencyKey },
    key: tenant.key,
  });
}

async function sendItem(idempotencyKey: string, certified: boolean | undefined) {
  const item = { idempotency_key: idempotencyKey, ...FIELDS, ...(certified !== undefined && { certified }) };
  const { body } = await service.call('POST', '/v1/messages/batch', {
    body: { messages: [item] },
    key: tenant.key,
  });
  return body.results[0];
}

const setDefault = (defaultCertified: boolean) =>
  changeTenant(service.services, tenant.tenantId, { defaultCertified });

describe.each([true, false])('with default_certified %s', (standard) => {
  test.each([
    ['left out, then given as the default is', undefined, standard],
    ['given as the default is, then left out', standard, undefined],
    ['given against the default, then left out', !standard, undefined],
  ])('%s: a replay', async (_name, first, second) => {
    await setDefault(standard);
    const key = newKey();
    const made = await send(key, first);
    const again = await send(key, second);
    expect([made.status, again.status, again.headers['idempotent-replayed']]).toEqual([201, 200, 'true']);
    expect([again.body.id, again.body.certified]).toEqual([made.body.id, made.body.certified]);
    expect((await sendItem(key, second)).status).toBe('replayed');
  });

  test.each([
    ['left out', undefined],
    ['given', standard],
  ])('%s, then left out after the default has changed: a replay all the same', async (_name, first) => {
    await setDefault(standard);
    const key = newKey();
    const made = await send(key, first);
    await setDefault(!standard);
    for (const second of [undefined, standard]) {
      const again = await send(key, second);
      expect([again.status, again.body.id, again.body.certified]).toEqual([200, made.body.id, standard]);
    }
    // The default of now is not what was asked for then.
    expect((await send(key, !standard)).body.error.code).toBe('idempotency_key_reused');
  });

  test.each([undefined, true, false])('%s, then the opposite of what it became: refused', async (first) => {
    await setDefault(standard);
    const key = newKey();
    const made = await send(key, first);
    const asked = OTHER[String(made.body.certified) as 'true' | 'false'];
    const again = await send(key, asked);
    expect([again.status, again.body.error]).toEqual([
      422,
      {
        code: 'idempotency_key_reused',
        message: expect.stringContaining(`certified ${made.body.certified};`),
      },
    ]);
    expect((await sendItem(key, asked)).error.code).toBe('idempotency_key_reused');
    // Refused, it changed nothing: the first is still a replay.
    expect((await send(key, first)).status).toBe(200);
  });

  test('two at once, one that leaves it out and one that gives the default, make one message', async () => {
    await setDefault(standard);
    const key = newKey();
    const answers = await Promise.all([send(key, undefined), send(key, standard)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 201]);
    expect(answers[0]!.body.id).toBe(answers[1]!.body.id);
  });
});
