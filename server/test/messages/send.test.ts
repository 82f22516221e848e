import { untilLetIn } from '@acuse/testkit/until-let-in';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newKey, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.stop());

test('a send is committed whole before it is answered', async () => {
  const answer = await service.send({ subject: 'Factura ñ', tags: ['a'], metadata: { order: '7' } });
  expect(answer.status).toBe(201);
  expect(answer.headers['location']).toBe(`/v1/messages/${answer.body.id}`);
  expect(answer.body).toMatchObject({
    status: 'queued',
    certified: true,
    subject: 'Factura ñ',
    tags: ['a'],
    metadata: { order: '7' },
    attempts: 0,
    sealed_at: null,
  });
  const again = await service.call('GET', `/v1/messages/${answer.body.id}`);
  expect(again.body).toEqual(answer.body);
  const events = await service.call('GET', `/v1/messages/${answer.body.id}/events`);
  expect(events.body.data.map((event: { type: string }) => event.type)).toEqual(['email.queued']);
  const raw = await service.call('GET', `/v1/messages/${answer.body.id}/raw`);
  expect(raw.raw.toString().startsWith('Service-Evidence: v=1; id=')).toBe(true);
});

test('a hundred sends with one key at once make one message', async () => {
  const key = newKey();
  const answers = await Promise.all(
    Array.from({ length: 100 }, () =>
      untilLetIn(() => service.send({}, { headers: { 'idempotency-key': key } })),
    ),
  );
  expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
  expect(
    answers.filter((answer) => answer.status === 200 && answer.headers['idempotent-replayed'] === 'true'),
  ).toHaveLength(99);
  expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
});
