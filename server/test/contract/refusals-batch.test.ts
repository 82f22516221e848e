import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { API_ERRORS } from '../../src/errors.ts';
import { newKey, startTestService, type TestService } from '../support/service.ts';
import { countRows, GOOD, refuses } from './refusals.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.stop());

const path = '/v1/messages/batch';
const item = (fields: object = {}) => ({ idempotency_key: newKey(), ...GOOD, ...fields });

describe('a batch as a whole', () => {
  refuses(
    () => service,
    [
      { name: 'no items', path, body: { messages: [] }, code: 'empty_batch' },
      {
        name: '101 items',
        path,
        body: { messages: Array.from({ length: 101 }, () => item()) },
        code: 'batch_too_large',
      },
      { name: 'no messages', path, body: {}, code: 'invalid_body', says: 'messages must be an array' },
      {
        name: 'messages that is an object',
        path,
        body: { messages: { 0: item() } },
        code: 'invalid_body',
        says: 'messages must be an array',
      },
      {
        name: 'messages that is null',
        path,
        body: { messages: null },
        code: 'invalid_body',
        says: 'messages must be an array',
      },
      { name: 'an array', path, body: [item()], code: 'invalid_body', says: 'messages' },
      {
        name: 'an unknown field',
        path,
        body: { messages: [item()], atomic: true },
        code: 'invalid_body',
        says: /^atomic is not a field/,
      },
      {
        name: 'an unknown field before an empty batch',
        path,
        body: { messages: [], atomic: true },
        code: 'invalid_body',
        says: /^atomic/,
      },
    ],
  );
});

test('a failing item fails alone, with the code that it would have had by itself', async () => {
  const reused = item({ subject: 'first' });
  expect((await service.call('POST', path, { body: { messages: [reused] } })).body.created).toBe(1);
  const failing: [object | unknown, string, RegExp][] = [
    [item({ idempotency_key: undefined }), 'missing_idempotency_key', /^Give the item an idempotency_key/],
    [item({ idempotency_key: '' }), 'missing_idempotency_key', /./],
    [item({ idempotency_key: 'é' }), 'invalid_idempotency_key', /./],
    [item({ idempotency_key: 'k'.repeat(256) }), 'invalid_idempotency_key', /./],
    [item({ idempotency_key: 7 }), 'invalid_idempotency_key', /./],
    [item({ text: undefined }), 'invalid_body', /text and html/],
    [item({ cerified: true }), 'invalid_body', /^cerified is not a field/],
    [item({ subject: 'a\nb' }), 'invalid_body', /subject/],
    [item({ from: '' }), 'invalid_address', /from/],
    [item({ to: 'ana' }), 'invalid_address', /to/],
    [item({ from: 'a@elsewhere.example' }), 'domain_not_verified', /elsewhere/],
    [
      { idempotency_key: newKey(), from: GOOD.from, to: GOOD.to, template_id: 'x' },
      'template_not_found',
      /./,
    ],
    [{ ...reused, subject: 'second' }, 'idempotency_key_reused', /./],
    [7, 'invalid_body', /messages\[13\] must be an object/],
    [null, 'invalid_body', /messages\[14\] must be an object/],
    [[], 'invalid_body', /messages\[15\] must be an object/],
  ];
  const before = await countRows(service.db);
  const refused = await service.call('POST', path, { body: { messages: failing.map(([each]) => each) } });
  expect(refused.status).toBe(200);
  expect(refused.body).toMatchObject({ created: 0, failed: failing.length, replayed: 0 });
  for (const [index, [, code, says]] of failing.entries()) {
    expect(refused.body.results[index]).toEqual({
      index,
      status: 'failed',
      error: { code, message: expect.stringMatching(says) },
    });
    expect(API_ERRORS).toHaveProperty(code);
  }
  expect(await countRows(service.db)).toEqual(before);

  const mixed = await service.call('POST', path, {
    body: { messages: [failing[7]![0], item({ subject: 'good' }), reused, failing[8]![0]] },
  });
  expect(mixed.body).toMatchObject({ created: 1, failed: 2, replayed: 1 });
  expect(
    mixed.body.results.map((result: { index: number; status: string }) => [result.index, result.status]),
  ).toEqual([
    [0, 'failed'],
    [1, 'created'],
    [2, 'replayed'],
    [3, 'failed'],
  ]);
  expect(mixed.body.results[1]).toEqual({
    index: 1,
    status: 'created',
    message: expect.objectContaining({ subject: 'good', status: 'queued' }),
  });
});

test('one key twice in a batch makes one message', async () => {
  const twice = item();
  const answer = await service.call('POST', path, {
    body: { messages: [twice, twice, { ...twice, subject: 'other' }] },
  });
  expect(answer.body).toMatchObject({ created: 1, replayed: 1, failed: 1 });
  expect(answer.body.results[1].message.id).toBe(answer.body.results[0].message.id);
  expect(answer.body.results[2].error.code).toBe('idempotency_key_reused');
});

test('a hundred items are taken, and need no Idempotency-Key header', async () => {
  const messages = Array.from({ length: 100 }, (_, at) => item({ subject: `${at}` }));
  const answer = await service.call('POST', path, { body: { messages } });
  expect(answer.body).toMatchObject({ created: 100, failed: 0, replayed: 0 });
  expect(
    answer.body.results.map((result: { message: { subject: string } }) => result.message.subject),
  ).toEqual(messages.map(({ subject }) => subject));
  const again = await service.call('POST', path, { body: { messages } });
  expect(again.body).toMatchObject({ created: 0, failed: 0, replayed: 100 });
});
