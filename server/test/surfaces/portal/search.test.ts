import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Person, signedIn } from '../../support/people.ts';
import { sealMessage } from '../../support/sealed.ts';
import { newKey, startTestService, type TestService } from '../../support/service.ts';
import { makeTenant } from '../../support/tenants.ts';

/** Searches for an id, an address, a hash, a number on a certificate. */
let service: TestService;
let viewer: Person;
let stranger: Person;
let evidence: Record<string, string> & { certificate: Record<string, string> };
const key = newKey();

beforeAll(async () => {
  service = await startTestService({ environment: { ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true' } });
  viewer = await signedIn(service, service.account.tenantId, 'viewer');
  stranger = await signedIn(service, (await makeTenant(service)).tenantId, 'owner');
  const { id } = await sealMessage(service, { to: 'Luis <luis@sandbox.test>', subject: 'Contrato 77' });
  evidence = (await service.call('GET', `/v1/messages/${id}/evidence`)).body;
  await service.send({ subject: 'By key' }, { headers: { 'idempotency-key': key } });
});
afterAll(() => service?.stop());

const find = async (q: string, person: Person = viewer) => {
  const answer = await person.call('GET', `/search?q=${encodeURIComponent(q)}`);
  expect([q, answer.status]).toEqual([q, 200]);
  return answer.body.data as { kind: string; id: string; label: string }[];
};

describe('search', () => {
  test('finds a message by everything that its evidence names', async () => {
    const { message_id, canonical_hash, merkle_root, batch_id, certificate } = evidence;
    const serial = certificate['serial_number']!;
    const printed = serial.toUpperCase().replace(/(..)(?=.)/g, '$1:');
    for (const q of [
      message_id!,
      message_id!.toUpperCase(),
      ` ${message_id} `,
      canonical_hash!,
      merkle_root!.toUpperCase(),
      batch_id!,
      serial,
      printed,
    ])
      expect([q, await find(q)]).toEqual([
        q,
        [{ kind: 'message', id: message_id, label: expect.stringContaining('Contrato 77 → ') }],
      ]);
  });

  test('finds by address and by idempotency key', async () => {
    expect((await find('LUIS@sandbox.test')).map(({ id }) => id)).toEqual([evidence['message_id']]);
    expect(await find(key)).toMatchObject([{ kind: 'message', label: expect.stringContaining('By key') }]);
  });

  test('finds what the account has set up, by name and by id', async () => {
    const made = async (path: string, body: object) => (await service.call('POST', path, { body })).body.id;
    const domain = await made('/v1/domains', { name: 'search.example.com' });
    const template = await made('/v1/templates', { name: 'Factura nueva', subject: 'S', text: 'T' });
    const suppression = await made('/v1/suppressions', { address: 'no@search.example.com' });
    const webhook = await made('/v1/webhooks', { url: 'https://127.0.0.1:1/', events: ['*'] });
    for (const [q, kind, id] of [
      ['search.example.com', 'domain', domain],
      [domain, 'domain', domain],
      ['Factura nueva', 'template', template],
      ['NO@search.example.com', 'suppression', suppression],
      [webhook, 'webhook', webhook],
    ])
      expect([q, await find(q)]).toMatchObject([q, [{ kind, id }]]);
  });

  test('finds nothing of another account, and nothing for what means nothing', async () => {
    const { message_id, canonical_hash, merkle_root, batch_id, certificate } = evidence;
    for (const q of [message_id!, canonical_hash!, merkle_root!, batch_id!, certificate['serial_number']!])
      expect(await find(q, stranger)).toEqual([]);
    for (const q of ['luis@sandbox.test', key]) expect(await find(q, stranger)).toEqual([]);
    for (const q of [' ', '%', '\0', "' or 1=1 --", 'ñ'.repeat(320), 'f'.repeat(64), '0'])
      expect(await find(q)).toEqual([]);
    expect((await viewer.call('GET', '/search?q=')).body.error.code).toBe('invalid_parameter');
    expect((await viewer.call('GET', `/search?q=${'x'.repeat(321)}`)).status).toBe(400);
  });

  test('shows at most twenty', async () => {
    for (let i = 0; i < 22; i++) await service.send({ to: 'many@sandbox.test' });
    expect(await find('many@sandbox.test')).toHaveLength(20);
  });
});

test('the first steps are found in what the account has', async () => {
  const steps = async (person: Person) =>
    Object.fromEntries(
      ((await person.call('GET', '/onboarding')).body.steps as { step: string; done: boolean }[]).map(
        ({ step, done }) => [step, done],
      ),
    );
  expect(await steps(stranger)).toEqual({
    sent: false,
    sealed: false,
    verified: false,
    domain: false,
    invited: false,
    webhook: false,
  });
  await service.call('POST', '/v1/verify', { body: { message_id: evidence['message_id'] } });
  await signedIn(service, service.account.tenantId, 'developer');
  expect(await steps(viewer)).toMatchObject({ sent: true, sealed: true, verified: true, invited: true });
  // A step that was taken stays done, whatever becomes of it.
  await service.db.query(
    `update domains set status = 'failing' where tenant_id = $1 and status = 'verified'`,
    [service.account.tenantId],
  );
  expect(await steps(viewer)).toMatchObject({ domain: true });
});
