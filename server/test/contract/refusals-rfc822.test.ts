import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeTenant } from '../../src/accounts/tenants/operations.ts';
import { newKey, startTestService, type TestService } from '../support/service.ts';
import { type Refusal, refuses } from './refusals.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.stop());

const headers = { 'content-type': 'message/rfc822' };
const FIELDS = ['From: Billing <billing@sandbox.test>', 'To: Ana <ana@sandbox.test>', 'Subject: Hello'];
const message = (fields: readonly string[], body = 'Hello Ana\r\n') =>
  `${fields.join('\r\n')}\r\n\r\n${body}`;
const replaced = (name: string, ...fields: string[]) => [
  ...FIELDS.filter((field) => !field.startsWith(name)),
  ...fields,
];
const send = (body: string | Uint8Array) =>
  service.call('POST', '/v1/messages', { body, headers: { ...headers, 'idempotency-key': newKey() } });

describe('message/rfc822', () => {
  const row = (name: string, body: string | Uint8Array, code: Refusal['code'], says?: string): Refusal => ({
    name,
    body,
    headers,
    code,
    ...(says !== undefined && { says }),
  });
  refuses(
    () => service,
    [
      row('empty', '', 'invalid_body'),
      row('no From', message(replaced('From')), 'invalid_address', 'from'),
      row('an empty From', message(replaced('From', 'From: ')), 'invalid_address', 'from'),
      row('two From fields', message([...FIELDS, 'From: ceo@sandbox.test']), 'invalid_address', 'from'),
      row(
        'two From mailboxes',
        message(replaced('From', 'From: a@sandbox.test, b@sandbox.test')),
        'invalid_address',
        'from',
      ),
      row('a From group', message(replaced('From', 'From: us: a@sandbox.test;')), 'invalid_address', 'from'),
      row(
        'a Sender that is another',
        message([...FIELDS, 'Sender: other@elsewhere.example']),
        'invalid_address',
        'sender',
      ),
      row('no To', message(replaced('To')), 'invalid_address', 'to'),
      row(
        'no recipient at all',
        message(replaced('To', 'To: undisclosed-recipients:;', 'Bcc: ')),
        'invalid_address',
        'to: give at least one address in To, Cc or Bcc',
      ),
      row(
        '51 recipients',
        message([...FIELDS, `Cc: ${Array.from({ length: 50 }, (_, n) => `c${n}@sandbox.test`).join(', ')}`]),
        'invalid_address',
        'to: 51 addresses, with cc and bcc, exceed the limit of 50',
      ),
      row('two To fields', message([...FIELDS, 'To: bob@sandbox.test']), 'invalid_address', 'to'),
      row('a Cc without an address', message([...FIELDS, 'Cc: bob']), 'invalid_address', 'cc'),
      row('a Bcc without an address', message([...FIELDS, 'Bcc: bob']), 'invalid_address', 'bcc'),
      row(
        'two Bcc fields',
        message([...FIELDS, 'Bcc: bob@sandbox.test', 'Bcc: eva@sandbox.test']),
        'invalid_address',
        'bcc',
      ),
      row('no body', message(FIELDS, ''), 'invalid_body'),
      row(
        'an unknown encoding',
        message([...FIELDS, 'MIME-Version: 1.0', 'Content-Transfer-Encoding: x-uue']),
        'invalid_body',
      ),
      row(
        'a multipart without boundary',
        message([...FIELDS, 'MIME-Version: 1.0', 'Content-Type: multipart/mixed']),
        'invalid_body',
      ),
      row('a header that is no field', message([...FIELDS, 'this is no field']), 'invalid_body'),
      row('a space before the colon', message(replaced('From', 'From : a@sandbox.test')), 'invalid_body'),
      row('NUL in a field', message([...FIELDS, 'X-A: a\0b']), 'invalid_body'),
      row('over 25 MiB', Buffer.alloc(25 * 1024 * 1024 + 1, 'x'), 'payload_too_large'),
      row(
        'a domain that is not registered',
        message(replaced('From', 'From: a@elsewhere.example')),
        'domain_not_verified',
        'elsewhere.example',
      ),
    ],
  );
});

test('takes no certified override: default_certified applies', async () => {
  for (const defaultCertified of [false, true]) {
    await changeTenant(service.services, service.account.tenantId, { defaultCertified });
    expect((await send(message([...FIELDS, 'X-Certified: true', 'Certified: true']))).body.certified).toBe(
      defaultCertified,
    );
  }
});

test('Bcc is removed, and what was parsed is what is sent', async () => {
  const answer = await send(message([...FIELDS, 'Bcc: secret@sandbox.test', 'X-Order: 7']));
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({
    from: 'Billing <billing@sandbox.test>',
    to: 'Ana <ana@sandbox.test>',
    subject: 'Hello',
  });
  const raw = (await service.call('GET', `/v1/messages/${answer.body.id}/raw`)).raw.toString();
  expect(raw).not.toMatch(/^bcc:|secret@/im);
  expect(raw).toContain('X-Order: 7\r\n');
});

test('a replay needs the same message, not the same bytes', async () => {
  const key = { ...headers, 'idempotency-key': newKey() };
  const post = (body: string) => service.call('POST', '/v1/messages', { body, headers: key });
  const first = await post(message(FIELDS));
  expect(first.status).toBe(201);
  const again = await post(message([...FIELDS].reverse()));
  expect([again.status, again.body.id]).toEqual([200, first.body.id]);
  const other = await post(message(FIELDS, 'Good bye\r\n'));
  expect([other.status, other.body.error.code]).toEqual([422, 'idempotency_key_reused']);
});
