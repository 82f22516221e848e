import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { sealMessage } from '../support/sealed.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { makeTenant, type TestTenant } from '../support/tenants.ts';

/** The access log of verifications, as the account reads it. */
let service: TestService;
let stranger: TestTenant;
let sealed: string;
const UNKNOWN = newId();
beforeAll(async () => {
  service = await startTestService();
  stranger = await makeTenant(service);
  sealed = (await sealMessage(service)).id;
  for (const id of [sealed, UNKNOWN, sealed.toUpperCase(), "x'--"]) await verify(id);
  await service.call('POST', '/v1/verify', { body: { message_id: sealed }, key: stranger.key });
});
afterAll(() => service?.stop());

const verify = (id: string) => service.call('POST', '/v1/verify', { body: { message_id: id } });
const list = (query = '', key?: string) =>
  service.call('GET', `/v1/verifications${query}`, key === undefined ? {} : { key });
const resultsOf = ({ body }: Awaited<ReturnType<typeof list>>) =>
  body.data.map((it: { message_id: string; result: string }) => [it.message_id, it.result]);

describe('the access log', () => {
  test('says who asked when about what, and what was answered, newest first', async () => {
    const answer = await list();
    expect(answer.status).toBe(200);
    expect(resultsOf(answer)).toEqual([
      ["x'--", 'not_found'],
      [sealed, 'valid'],
      [UNKNOWN, 'not_found'],
      [sealed, 'valid'],
    ]);
    const { id: keyId } = (await service.call('GET', '/v1/account')).body.api_key;
    expect(answer.body.data[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      message_id: "x'--",
      result: 'not_found',
      actor: { kind: 'key', id: keyId, name: expect.any(String) },
      client_address: '127.0.0.1',
    });
  });

  test('is filtered by message and by time, and read page by page', async () => {
    expect(resultsOf(await list(`?message_id=${sealed.toUpperCase()}`))).toHaveLength(2);
    expect(resultsOf(await list(`?message_id=${newId()}`))).toEqual([]);
    expect(resultsOf(await list("?message_id=x'--"))).toHaveLength(1);
    const [newest, , , oldest] = (await list()).body.data;
    expect(resultsOf(await list(`?created_before=${oldest.created_at}`))).toEqual([]);
    expect(resultsOf(await list(`?created_after=${oldest.created_at}`))).toHaveLength(4);
    const after = new Date(Date.parse(newest.created_at) + 1).toISOString();
    expect(resultsOf(await list(`?created_after=${after}`))).toEqual([]);
    const first = (await list('?limit=3')).body;
    const rest = (await list(`?limit=3&after=${first.next_cursor}`)).body;
    expect([...first.data, ...rest.data].map(({ id }) => id)).toEqual(
      (await list()).body.data.map(({ id }: { id: string }) => id),
    );
    expect((await list(`?after=${first.next_cursor}&message_id=${sealed}`)).status).toBe(400);
  });

  test('is filtered by result, together with the other filters, and page by page', async () => {
    expect(resultsOf(await list('?result=not_found'))).toEqual([
      ["x'--", 'not_found'],
      [UNKNOWN, 'not_found'],
    ]);
    expect(resultsOf(await list(`?result=valid&message_id=${sealed}`))).toHaveLength(2);
    expect(resultsOf(await list(`?result=not_found&message_id=${sealed}`))).toEqual([]);
    const first = (await list('?result=not_found&limit=1')).body;
    const rest = (await list(`?result=not_found&limit=1&after=${first.next_cursor}`)).body;
    expect(rest.data.map((it: { message_id: string }) => it.message_id)).toEqual([UNKNOWN]);
    expect((await list(`?result=valid&after=${first.next_cursor}`)).status).toBe(400);
    expect((await list('?result=perhaps')).body.error.code).toBe('invalid_parameter');
  });

  test('of another account is its own: what strangers asked is theirs', async () => {
    expect(resultsOf(await list('', stranger.key))).toEqual([[sealed, 'not_found']]);
    expect(resultsOf(await list(`?message_id=${UNKNOWN}`, stranger.key))).toEqual([]);
  });

  test('needs evidence:read, and is only read', async () => {
    const sending = await stranger.keyWith('messages:send');
    expect((await list('', sending)).body.error.code).toBe('insufficient_scope');
    expect((await service.call('DELETE', '/v1/verifications')).status).toBe(405);
    await expect(
      service.db.asTenant(stranger.tenantId, (tx) => tx.execute('delete from verification_log', [])),
    ).rejects.toThrow(/permission denied/);
  });
});

test('GET /v1/account tells the id and the scopes of the key that asks', async () => {
  const key = await stranger.keyWith('evidence:read');
  const { body } = await service.call('GET', '/v1/account', { key });
  expect(body.api_key).toEqual({ id: expect.any(String), scopes: ['evidence:read'] });
  const own = (await service.call('GET', '/v1/account')).body.api_key;
  expect(own.id).not.toBe(body.api_key.id);
});
