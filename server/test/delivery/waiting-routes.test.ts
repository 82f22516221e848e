import { afterAll, beforeAll, expect, test } from 'vitest';
import { pauseQueue } from '../../src/delivery/operate/queue.ts';
import { newId } from '../../src/platform/ids.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { makeTenant } from '../support/tenants.ts';

/** `GET /v1/messages/{id}/waiting`; nobody delivers here. */
let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const waiting = (id: string, key?: string) =>
  service.call('GET', `/v1/messages/${id}/waiting`, { ...(key !== undefined && { key }) });
const codes = async (id: string) =>
  (await waiting(id)).body.reasons.map(({ code }: { code: string }) => code);

test('a queued message waits for its turn, and after those before it', async () => {
  const { body: first } = await service.send();
  expect(await codes(first.id)).toEqual(['due', 'not_tried', 'expires']);
  const { body: second } = await service.send();
  const { body } = await waiting(second.id);
  expect(body.reasons[1]).toEqual({
    code: 'behind_others',
    until: null,
    text: 'One message of its account is due before it.',
  });
  expect(body.reasons.at(-1)).toMatchObject({
    code: 'expires',
    until: expect.stringMatching(/^2.*Z$/),
  });
});

test('a scheduled message says until when; a cancelled one waits no more', async () => {
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  const { body: sent } = await service.send({ send_at: sendAt });
  expect((await waiting(sent.id)).body.reasons).toMatchObject([{ code: 'scheduled', until: sendAt }]);
  await service.call('POST', `/v1/messages/${sent.id}/cancel`);
  expect(await waiting(sent.id)).toMatchObject({ status: 200, body: { reasons: [] } });
});

test("a pause is told without the operator's reason and name", async () => {
  const { body: sent } = await service.send();
  await pauseQueue(service.services, { destination: 'sandbox.test' }, { reason: 'ticket 4711', by: 'ana' });
  const answer = await waiting(sent.id);
  expect(answer.body.reasons[0]).toMatchObject({ code: 'destination_paused', until: null });
  expect(answer.raw.toString()).not.toMatch(/ticket|ana/);
});

test('of nobody else: 404 like an id that nobody has', async () => {
  const { body: sent } = await service.send();
  const stranger = await makeTenant(service);
  const unknown = await waiting(newId(), stranger.key);
  expect(unknown).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  expect((await waiting(sent.id, stranger.key)).raw).toEqual(unknown.raw);
  expect((await waiting('no-id')).status).toBe(404);
});
