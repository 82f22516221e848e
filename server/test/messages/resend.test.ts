import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { audit } from '../support/audit.ts';
import { newKey, startTestService, type TestService } from '../support/service.ts';

/** `POST /v1/messages/{id}/resend`; nobody delivers here: messages end by cancelling them. */
let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

async function ended(fields: object = {}): Promise<string> {
  const { status, body } = await service.send(fields);
  expect(status).toBe(201);
  expect((await service.call('POST', `/v1/messages/${body.id}/cancel`)).status).toBe(200);
  return body.id;
}

const resend = (id: string, key = newKey()) =>
  service.call('POST', `/v1/messages/${id}/resend`, { headers: { 'idempotency-key': key } });
const rawOf = async (id: string) =>
  (await service.call('GET', `/v1/messages/${id}/raw`)).raw.toString('latin1');
const contentOf = (raw: string, id: string) =>
  raw
    .replace(/^(?:Service-Evidence|Message-ID|Date): [\s\S]*?\r\n(?=\S)/gm, '')
    .replaceAll(/boundary="?[^"\r\n;]+"?|^--[^\r\n]+$/gm, 'boundary')
    .replaceAll(id, '');

describe('the new message', () => {
  test('has the content, tags and metadata of the old one, and an id, Message-ID and Date of its own', async () => {
    const id = await ended({
      to: 'Ana <delivered+ana@sandbox.test>',
      subject: 'Grüße für Ana',
      text: 'Hola Ana\n'.repeat(40),
      html: '<p>Hola <b>Ana</b></p>',
      reply_to: 'answers@sandbox.test',
      headers: { 'X-Order': '4711' },
      attachments: [{ filename: 'año.pdf', content_type: 'application/pdf', content: 'JVBERi0xLjcK' }],
      tags: ['invoice'],
      metadata: { order: '4711' },
      certified: true,
    });
    const old = (await service.call('GET', `/v1/messages/${id}`)).body;
    const answer = await resend(id);
    expect(answer).toMatchObject({
      status: 201,
      body: {
        to: old.to,
        from: old.from,
        subject: old.subject,
        certified: true,
        status: 'queued',
        tags: ['invoice'],
        metadata: { order: '4711' },
      },
    });
    expect(answer.headers['location']).toBe(`/v1/messages/${answer.body.id}`);
    expect(answer.body.promise).not.toBe(old.promise);
    const [before, after] = [await rawOf(id), await rawOf(answer.body.id)];
    expect(contentOf(after, answer.body.id)).toBe(contentOf(before, id));
    const idOf = (raw: string) => /^Message-ID: (\S+)/m.exec(raw)![1];
    expect(idOf(after)).not.toBe(idOf(before));
    expect(after).toContain(`Service-Evidence: v=1; id=${answer.body.id}`);
    expect(await audit(service.db)).toEqual([]);
  });

  test('is plain if the old one was, whatever the default; and of its template still', async () => {
    const made = await service.call('POST', '/v1/templates', {
      body: { name: 'resent', subject: 'Hola {{ name }}', text: 'Hola {{ name }}' },
    });
    const id = await ended({
      template_id: made.body.id,
      subject: undefined,
      text: undefined,
      variables: { name: 'Ana' },
      certified: false,
    });
    await service.call('DELETE', `/v1/templates/${made.body.id}`);
    expect((await resend(id)).body).toMatchObject({
      certified: false,
      promise: null,
      subject: 'Hola Ana',
      template_id: made.body.id,
    });
  });

  test('goes to one recipient, also of a request that had several, and of a blind copy', async () => {
    const sent = await service.send({
      to: ['Ana <delivered+a@sandbox.test>', 'delivered+b@sandbox.test'],
      bcc: 'delivered+hidden@sandbox.test',
    });
    const hidden = sent.body.copies[1].id;
    await service.call('POST', `/v1/messages/${hidden}/cancel`);
    const { body } = await resend(hidden);
    expect(body).toMatchObject({ to: 'delivered+hidden@sandbox.test', status: 'queued' });
    expect(body.copies).toBeUndefined();
    const raw = await rawOf(body.id);
    expect(raw).toMatch(/^To: Ana <delivered\+a@sandbox\.test>,\s+delivered\+b@sandbox\.test/m);
    expect(raw).not.toContain('hidden');
  });

  test('may be large', async () => {
    const content = Buffer.alloc(600_000, 'acuse').toString('base64');
    const id = await ended({ attachments: [{ filename: 'large.bin', content }] });
    const { status, body } = await resend(id);
    expect(status).toBe(201);
    expect(contentOf(await rawOf(body.id), body.id)).toBe(contentOf(await rawOf(id), id));
  });

  test('can itself be sent again', async () => {
    const first = await resend(await ended());
    await service.call('POST', `/v1/messages/${first.body.id}/cancel`);
    expect((await resend(first.body.id)).status).toBe(201);
  });
});

describe('Idempotency-Key', () => {
  test('the same again is a replay, many at once make one, and another message is refused', async () => {
    const [id, other, key] = [await ended(), await ended(), newKey()];
    const answers = await Promise.all(Array.from({ length: 12 }, () => resend(id, key)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(11).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    const replays = answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true');
    expect(replays).toHaveLength(11);
    expect(await resend(other, key)).toMatchObject({
      status: 422,
      body: { error: { code: 'idempotency_key_reused' } },
    });
  });

  test('of the first send is not one for sending it again; without one it is refused', async () => {
    const key = newKey();
    const { body } = await service.send({}, { headers: { 'idempotency-key': key } });
    await service.call('POST', `/v1/messages/${body.id}/cancel`);
    expect((await resend(body.id, key)).body.error.code).toBe('idempotency_key_reused');
    const without = await service.call('POST', `/v1/messages/${body.id}/resend`);
    expect([without.status, without.body.error.code]).toEqual([400, 'missing_idempotency_key']);
  });

  test('a replay is answered after the content is gone; a new key is told when it went', async () => {
    const [id, key] = [await ended({ certified: false }), newKey()];
    const first = await resend(id, key);
    await service.db.execute('delete from message_contents where message_id = $1', [id]);
    await service.db.execute(
      "insert into content_deletions (tenant_id, message_id, cause, deleted_at) values ($1, $2, 'retention', $3)",
      [service.account.tenantId, id, '2026-11-20T09:30:00Z'],
    );
    expect(await resend(id, key)).toMatchObject({ status: 200, body: { id: first.body.id } });
    const refused = await resend(id);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'conflict']);
    expect(refused.body.error.message).toContain('deleted at 2026-11-20T09:30:00.000Z');
  });
});

describe('is refused', () => {
  test('while the old one may still be delivered, with what to do', async () => {
    const { body: queued } = await service.send();
    const waiting = await resend(queued.id);
    expect([waiting.status, waiting.body.error.code]).toEqual([409, 'conflict']);
    expect(waiting.body.error.message).toContain(`POST /v1/messages/${queued.id}/retry`);
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const { body: scheduled } = await service.send({ send_at: soon });
    expect((await resend(scheduled.id)).body.error.message).toContain('{"send_at": null}');
  });

  test('for a suppressed recipient, by name, and costs nothing', async () => {
    const to = 'gone@sandbox.test';
    const id = await ended({ to });
    await service.call('POST', '/v1/suppressions', { body: { address: to } });
    const { body: before } = await service.call('GET', '/v1/account');
    const refused = await resend(id);
    expect([refused.status, refused.body.error.code]).toEqual([422, 'recipient_suppressed']);
    expect(refused.body.error.message).toContain(to);
    expect((await service.call('GET', '/v1/account')).body).toEqual(before);
  });

  test('with a body that says something, and the old way names the new one', async () => {
    const id = await ended();
    const said = await service.call('POST', `/v1/messages/${id}/resend`, {
      body: { to: 'other@sandbox.test' },
      headers: { 'idempotency-key': newKey() },
    });
    expect([said.status, said.body.error.code]).toEqual([400, 'invalid_body']);
    const posted = await service.call('POST', `/v1/messages/${id}`, { body: {} });
    expect(posted.status).toBe(405);
    expect(posted.body.error.message).toContain(`POST /v1/messages/{id}/resend`);
  });
});
