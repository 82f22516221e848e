import fc from '@acuse/testkit/properties';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { absentFields } from '../../src/platform/http/validator.ts';
import { newId } from '../../src/platform/ids.ts';
import { schemaOf } from '../../src/surfaces/reference/document.ts';
import { newKey, startTestService, type TestService } from '../support/service.ts';
import { DOCUMENT, OPERATIONS } from './conform.ts';
import { GOOD } from './refusals.ts';

/** `null` for an optional field is the field left out, in every body that the API takes. */
let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.stop());

interface Field {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly field: string;
  readonly body: Record<string, unknown>;
}

const OPTIONAL: Field[] = OPERATIONS.flatMap(({ id, method, path, operation }) => {
  const media = operation.requestBody?.content['application/json'];
  if (media === undefined) return [];
  const schema = schemaOf(DOCUMENT, media.schema) as { properties?: object; required?: string[] };
  return Object.keys(schema.properties ?? {})
    .filter((field) => !schema.required?.includes(field))
    .map((field) => ({ id, method, path, field, body: { ...(media.example as object) } }));
});

describe('null for an optional field', () => {
  test.each(OPTIONAL)('$id: $field', async ({ id, method, path, field, body }) => {
    const url = path.replaceAll(/\{\w+\}/g, () => newId());
    const left = { ...body };
    delete left[field];
    const ask = (fields: object) =>
      service.call(method, url, {
        body: id === 'sendMessage' ? { ...fields, from: GOOD.from } : fields,
        headers: { 'idempotency-key': newKey() },
      });
    const [without, withNull] = [await ask(left), await ask({ ...left, [field]: null })];
    // A field left out may still be missed (text of a template, say): then both are refused alike. What the
    // first made may be in the way of the second.
    const said = ({ body }: typeof without) => body?.error ?? 'taken';
    if (withNull.status !== 409) expect(said(withNull)).toEqual(said(without));
    else expect([201, 409]).toContain(without.status);
  });

  test('of an attachment and of a batch item, too', async () => {
    const attachment = { filename: 'a.txt', content: 'eA==', content_id: null, content_type: null };
    const fields = { ...GOOD, html: null, tags: null, metadata: null, certified: null, template_id: null };
    const one = await service.send({ ...fields, attachments: [attachment] });
    expect([one.status, one.body.tags, one.body.metadata, one.body.certified]).toEqual([201, [], {}, true]);
    const batch = await service.call('POST', '/v1/messages/batch', {
      body: {
        messages: [
          { ...fields, idempotency_key: newKey(), attachments: [attachment] },
          { ...fields, idempotency_key: null },
        ],
      },
    });
    const [first, second] = batch.body.results;
    expect([first.status, second.error.code]).toEqual(['created', 'missing_idempotency_key']);
  });

  test('makes the same request as leaving it out', async () => {
    const key = newKey();
    const made = await service.send({}, { headers: { 'idempotency-key': key } });
    const again = await service.send({ html: null, reply_to: null }, { headers: { 'idempotency-key': key } });
    expect([made.status, again.status, again.body.id]).toEqual([201, 200, made.body.id]);
  });

  test('a required field that is null, and null among the values of metadata, are refused', async () => {
    const sender = await service.call('POST', '/v1/senders', { body: { address: null } });
    expect(sender.body.error).toEqual({ code: 'invalid_body', message: 'address must be a string.' });
    const send = await service.send({ metadata: { order: null } });
    expect(send.body.error).toEqual({ code: 'invalid_body', message: 'metadata.order must be a string.' });
    expect((await service.send({ nonsense: null })).body.error.code).toBe('invalid_body');
  });
});

describe('absentFields', () => {
  const leaveOut = absentFields(
    Type.Object({
      kept: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      gone: Type.Optional(Type.String()),
      needed: Type.String(),
      inner: Type.Optional(Type.Array(Type.Object({ gone: Type.Optional(Type.Integer()) }))),
      free: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
  )!;

  test('leaves what it was given as it was', () => {
    const given = {
      kept: null,
      gone: null,
      needed: null,
      inner: [{ gone: null }, { gone: 1 }],
      free: { a: null },
    };
    const copy = structuredClone(given);
    expect(leaveOut(given)).toEqual({
      kept: null,
      needed: null,
      inner: [{}, { gone: 1 }],
      free: { a: null },
    });
    expect(given).toEqual(copy);
  });

  test('gives back the value itself where there is nothing to leave out, whatever it is', () => {
    const filled = { kept: null, gone: 'x', needed: 'y', inner: [{ gone: 1 }], free: {} };
    expect(leaveOut(filled)).toBe(filled);
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const made = leaveOut(value);
        expect(leaveOut(made)).toBe(made);
      }),
    );
    const hostile = JSON.parse('{"__proto__":{"gone":null},"gone":null,"constructor":null}');
    expect(JSON.stringify(leaveOut(hostile))).toBe('{"__proto__":{"gone":null},"constructor":null}');
  });
});
