import { afterAll, beforeAll, expect, test } from 'vitest';
import { linkOperator, requireByEmail } from '../../../src/people/operators/operators.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { openConsole, type TestConsole } from './harness.ts';

/** Operators as admins manage them on the console. */
let service: TestService;
let admin: TestConsole;

beforeAll(async () => {
  service = await startTestService();
  admin = await openConsole(service);
});
afterAll(async () => {
  await admin?.stop();
  await service?.stop();
});

async function idOf(email: string): Promise<string> {
  const { body } = await admin.call('GET', '/operators');
  return body.data.find((each: { email: string }) => each.email === email).id;
}

test('a second factor that was lost is removed, once, and the sessions end', async () => {
  const id = await idOf('luis@example.com');
  const reset = () => admin.call('DELETE', `/operators/${id}/second-factor`);
  await service.services.db.asSessions((tx) =>
    tx.execute("update operators set totp_sealed = '\\x00' where operator_id = $1", [id]),
  );
  expect((await admin.call('GET', '/session', { as: 'luis' })).status).toBe(200);
  expect((await reset()).status).toBe(204);
  expect((await admin.call('GET', '/session', { as: 'luis' })).status).toBe(401);
  expect((await reset()).body.error.code).toBe('conflict');
  expect(await admin.audited('?action=operator.reset_factor')).toMatchObject([
    { outcome: 'refused', error: 'conflict', subject: id },
    { outcome: 'done', error: null, subject: id },
  ]);
  const unknown = await admin.call('DELETE', '/operators/01900000-0000-7000-8000-000000000000/second-factor');
  expect(unknown.body.error.code).toBe('not_found');
});

test('the first operator, who has no address of mail yet, can be given another link', async () => {
  const id = await idOf('luis@example.com');
  await service.services.db.asSessions((tx) =>
    tx.execute(
      "update operators set email = 'admin@localhost', email_key = 'admin@localhost' where operator_id = $1",
      [id],
    ),
  );
  const { personId: operatorId } = await requireByEmail(admin.sessions, ' Admin@localhost');
  expect(operatorId).toBe(id);
  expect((await linkOperator(admin.sessions, operatorId)).link.url).toContain('/link#');
  await expect(requireByEmail(admin.sessions, 'nobody')).rejects.toMatchObject({ code: 'not_found' });
});

test('the record is filtered by time: from a moment on, and before another', async () => {
  const [newest, oldest] = [(await admin.audited())[0], (await admin.audited()).at(-1)];
  const at = encodeURIComponent(newest.occurred_at);
  const since = await admin.audited(`?created_after=${at}`);
  expect(since.map(({ id }) => id)).toContain(newest.id);
  const before = await admin.audited(`?created_before=${encodeURIComponent(oldest.occurred_at)}`);
  expect(before).toEqual([]);
  const refused = await admin.call('GET', '/audit?created_after=yesterday');
  expect(refused.body.error.code).toMatch(/^invalid_/);
});

test('the record is read by who did it, and by nobody who is unknown', async () => {
  const id = await idOf('ana@example.com');
  const other = await idOf('sara@example.com');
  await admin.call('PUT', '/queue/pauses/destinations/filtered.test', {
    as: 'support',
    body: { reason: 'ticket 4712' },
  });
  const namesOf = async (query: string) => [
    ...new Set((await admin.audited(query)).map(({ operator }) => operator.id)),
  ];
  expect(await namesOf(`?operator_id=${id}`)).toEqual([id]);
  expect(await namesOf(`?operator_id=${other}&limit=100`)).toEqual([other]);
  expect(await namesOf('?operator_id=01900000-0000-7000-8000-000000000000')).toEqual([]);
  expect((await admin.call('GET', '/audit?operator_id=ana')).body.error.code).toBe('invalid_parameter');
});
