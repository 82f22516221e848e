import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sweepApprovals } from '../../src/messages/approvals.ts';
import { openBrowser, type Person, signedIn } from '../support/people.ts';
import { newKey, startTestService, type TestService } from '../support/service.ts';

const MAIL = { from: 'billing@sandbox.test', to: 'ana@sandbox.test', subject: 'Invoice', text: 'Hello Ana' };
const REPLAYED = 'idempotent-replayed';

let service: TestService;
const ahead = { ms: 0 };
let owner: Person;
let agent: { id: string; key: string };

beforeAll(async () => {
  service = await startTestService({
    clock: {
      now: () => new Date(Date.now() + ahead.ms),
      monotonicMs: () => performance.now() + ahead.ms,
    },
  });
});
afterAll(() => service?.stop());
beforeEach(async () => {
  owner = await signedIn(service, service.account.tenantId, 'owner');
  agent = await askingKey();
});

async function askingKey() {
  const body = {
    name: 'agent',
    scopes: ['messages:send', 'evidence:read', 'api_keys:write'],
    needs_approval: true,
  };
  const answer = await owner.call('POST', '/api-keys', body);
  expect([answer.status, answer.body.needs_approval]).toEqual([201, true]);
  return answer.body as { id: string; key: string };
}

function send(idempotencyKey: string, mail: object = MAIL, key = agent.key) {
  return service.call('POST', '/v1/messages', {
    key,
    body: mail,
    headers: { 'idempotency-key': idempotencyKey },
  });
}

/** Asks, and gives the id of what waits. */
async function asked(idempotencyKey: string, mail: object = MAIL): Promise<string> {
  const { status, body } = await send(idempotencyKey, mail);
  expect([status, body.error?.code]).toEqual([403, 'approval_required']);
  const id = /\/portal\/approvals\/([0-9a-f-]{36})$/.exec(body.error.message)?.[1];
  if (id === undefined) throw new Error(body.error.message);
  return id;
}

const shownIn = async (id: string, person = owner): Promise<string> =>
  (await person.call('GET', `/approvals/${id}`)).body.content.shown;
const approve = async (id: string, person = owner) =>
  person.call('POST', `/approvals/${id}/approve`, { shown: await shownIn(id) });

const entriesOf = async (id: string) =>
  (
    await service.db.query<{ action: string; actor_kind: string }>(
      'select action, actor_kind from account_events where target = $1 order by event_id',
      [id],
    )
  ).map(({ action, actor_kind: kind }) => `${kind} ${action}`);

const storedFor = async (idempotencyKey: string) =>
  (
    await service.db.query<{ count: number }>(
      'select count(*)::integer as count from messages where idempotency_key = $1',
      [idempotencyKey],
    )
  )[0]!.count;

describe('a send of a key that needs approval', () => {
  test('waits, is shown as it would be sent, and is sent once a person approves it', async () => {
    const key = newKey();
    const attachments = [{ filename: 'invoice.pdf', content_type: 'application/pdf', content: 'JVBERg==' }];
    const mail = { ...MAIL, html: '<p>Hello <a href="https://example.com/pay">Ana</a></p>', attachments };
    const id = await asked(key, mail);
    expect(await asked(key, mail)).toBe(id);
    expect(await storedFor(key)).toBe(0);

    const list = (await owner.call('GET', '/approvals')).body.data;
    expect(list.find((each: { id: string }) => each.id === id)).toMatchObject({
      state: 'waiting',
      api_key: { id: agent.id, name: 'agent' },
      summary: { from: MAIL.from, to: [MAIL.to], subject: 'Invoice' },
    });
    const { content } = (await owner.call('GET', `/approvals/${id}`)).body;
    expect(content.recipients).toEqual([{ address: MAIL.to, field: 'to' }]);
    expect(content.parts.links).toMatchObject([{ url: 'https://example.com/pay', text: 'Ana' }]);
    expect(content.parts.parts).toContainEqual(
      expect.objectContaining({ filename: 'invoice.pdf', size_bytes: 4, disposition: 'attachment' }),
    );
    const preview = await owner.call('GET', `/approvals/${id}/preview`);
    expect(preview.headers['content-security-policy']).toMatch(/^sandbox; default-src 'none'/);
    expect(preview.raw.toString()).toContain('Hello');

    const approved = await approve(id);
    expect(approved.body).toMatchObject({ state: 'approved', summary: null });
    const again = await send(key, mail);
    expect([again.status, again.headers[REPLAYED], again.body.id]).toEqual([
      200,
      'true',
      approved.body.message_id,
    ]);
    expect(await entriesOf(id)).toEqual(['key ask_to_send', 'user approve_send']);
    const [row] = await service.db.query('select body, summary from send_approvals where approval_id = $1', [
      id,
    ]);
    expect(row).toEqual({ body: null, summary: null });
    const [message] = await service.db.query<{ api_key_id: string }>(
      'select api_key_id from messages where message_id = $1',
      [approved.body.message_id],
    );
    expect(message!.api_key_id).toBe(agent.id);
  });

  test('to several is a message for each, approved as one', async () => {
    const key = newKey();
    const many = { ...MAIL, cc: ['eva@sandbox.test'], bcc: ['leo@sandbox.test'] };
    const id = await asked(key, many);
    const { recipients } = (await owner.call('GET', `/approvals/${id}`)).body.content;
    expect(recipients.map(({ field }: { field: string }) => field)).toEqual(['to', 'cc', 'bcc']);
    const approved = await approve(id);
    const again = await send(key, many);
    expect([again.status, again.body.id]).toEqual([200, approved.body.message_id]);
    expect(again.body.copies.map(({ field }: { field: string }) => field)).toEqual(['cc', 'bcc']);
    expect(await entriesOf(id)).toEqual(['key ask_to_send', 'user approve_send']);
  });

  test('of a body that threads read is sent whole, and of a whole message too', async () => {
    const text = 'Hello Ana. '.repeat(40_000);
    const large = newKey();
    const mime = newKey();
    const raw = `From: ${MAIL.from}\r\nTo: ${MAIL.to}\r\nSubject: Raw\r\n\r\nHello\r\n`;
    const sendRaw = () =>
      service.call('POST', '/v1/messages', {
        ...{ key: agent.key, body: Buffer.from(raw) },
        headers: { 'idempotency-key': mime, 'content-type': 'message/rfc822' },
      });
    const { body } = await sendRaw();
    for (const id of [await asked(large, { ...MAIL, text }), body.error.message.split('/').at(-1)])
      expect((await approve(id)).status).toBe(200);
    const [sent, whole] = [await send(large, { ...MAIL, text }), await sendRaw()];
    expect([sent.status, whole.status, whole.body.subject]).toEqual([200, 200, 'Raw']);
    expect(sent.body.size_bytes).toBeGreaterThan(text.length);
  });

  test('that another key sent meanwhile is not sent again', async () => {
    const key = newKey();
    const id = await asked(key);
    const other = await owner.call('POST', '/api-keys', { name: 'other', scopes: ['messages:send'] });
    const sent = await send(key, MAIL, other.body.key);
    expect(sent.status).toBe(201);
    const approved = await approve(id);
    expect([approved.status, approved.body.message_id]).toEqual([200, sent.body.id]);
    expect(await storedFor(key)).toBe(1);
    expect(await entriesOf(id)).toEqual(['key ask_to_send', 'user approve_send']);
  });

  test('of a revoked key leaves its room and its idempotency key to another', async () => {
    const key = newKey();
    const id = await asked(key);
    expect((await owner.call('DELETE', `/api-keys/${agent.id}`)).status).toBe(204);
    agent = await askingKey();
    const next = await asked(key);
    expect(next).not.toBe(id);
    expect(await asked(key)).toBe(next);
    expect((await owner.call('GET', `/approvals/${id}`)).status).toBe(404);
    expect((await approve(next)).status).toBe(200);
  });

  test('approved by several at once is one message, and one entry', async () => {
    const key = newKey();
    const id = await asked(key);
    const shown = await shownIn(id);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => owner.call('POST', `/approvals/${id}/approve`, { shown })),
    );
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.message_id}`)).size).toBe(1);
    expect(await storedFor(key)).toBe(1);
    expect(await entriesOf(id)).toEqual(['key ask_to_send', 'user approve_send']);
  });

  test('approved and refused at once is one of both', async () => {
    const key = newKey();
    const id = await asked(key);
    const shown = await shownIn(id);
    const [yes, no] = await Promise.all([
      owner.call('POST', `/approvals/${id}/approve`, { shown }),
      owner.call('POST', `/approvals/${id}/refuse`),
    ]);
    expect([yes.status, no.status].sort()).toEqual([200, 409]);
    expect(await storedFor(key)).toBe(yes.status === 200 ? 1 : 0);
    expect((await entriesOf(id)).length).toBe(2);
  });

  test('refused is told to the key, and stays so', async () => {
    const key = newKey();
    const id = await asked(key);
    for (let times = 0; times < 2; times++)
      expect((await owner.call('POST', `/approvals/${id}/refuse`)).body.state).toBe('refused');
    const { status, body } = await send(key);
    expect([status, body.error.code]).toEqual([403, 'approval_refused']);
    const late = await owner.call('POST', `/approvals/${id}/approve`, { shown: 'a'.repeat(64) });
    expect([late.status, late.body.error.code]).toEqual([409, 'conflict']);
    expect(await storedFor(key)).toBe(0);
    expect(await entriesOf(id)).toEqual(['key ask_to_send', 'user refuse_send']);
  });

  test('is another with another content, also where only certified differs', async () => {
    const key = newKey();
    await asked(key);
    for (const changes of [{ text: 'Hello Eva' }, { certified: true }, { to: 'eva@sandbox.test' }]) {
      const { status, body } = await send(key, { ...MAIL, ...changes });
      expect([status, body.error.code]).toEqual([422, 'idempotency_key_reused']);
    }
  });

  test('is not approved unless it is what was shown', async () => {
    const template = { name: newKey(), subject: 'S', text: 'one' };
    const made = (await owner.call('POST', '/templates', template)).body;
    const { from, to } = MAIL;
    const id = await asked(newKey(), { from, to, template_id: made.id });
    const shown = await shownIn(id);
    await owner.call('PATCH', `/templates/${made.id}`, { text: 'two' });
    const stale = await owner.call('POST', `/approvals/${id}/approve`, { shown });
    expect([stale.status, stale.body.error.code]).toEqual([409, 'conflict']);
    expect((await approve(id)).status).toBe(200);
  });

  test('that cannot be sent is refused at once, and what refuses it later is told to the person', async () => {
    const wrong = await send(newKey(), { ...MAIL, from: 'x@unknown.example' });
    expect(wrong.body.error.code).toBe('domain_not_verified');
    const key = newKey();
    const address = `s${key}@example.com`;
    const id = await asked(key, { ...MAIL, to: address });
    await owner.call('POST', '/suppressions', { address });
    const refused = await approve(id);
    expect([refused.status, refused.body.error.code]).toEqual([422, 'recipient_suppressed']);
    expect((await owner.call('GET', `/approvals/${id}`)).body.state).toBe('waiting');
    expect(await entriesOf(id)).toEqual(['key ask_to_send']);
  });

  test('goes nowhere by another way', async () => {
    const item = { idempotency_key: newKey(), ...MAIL };
    const batch = await service.call('POST', '/v1/messages/batch', {
      key: agent.key,
      body: { messages: [item] },
    });
    expect(batch.body.results[0].error.code).toBe('approval_required');
    const child = await service.call('POST', '/v1/api-keys', {
      key: agent.key,
      body: { name: 'child', scopes: ['messages:send'], needs_approval: false },
    });
    expect(child.body.needs_approval).toBe(true);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const key = newKey();
    const id = await asked(key, { ...MAIL, send_at: later });
    const messageId = (await approve(id)).body.message_id;
    const moved = await service.call('PATCH', `/v1/messages/${messageId}`, {
      key: agent.key,
      body: { send_at: null },
    });
    expect(moved.body.error.code).toBe('insufficient_scope');
  });

  test('waits for a day, and no longer than its key', async () => {
    const key = newKey();
    const id = await asked(key);
    ahead.ms += 24 * 3_600_000 + 1_000;
    owner = await signedIn(service, service.account.tenantId, 'owner');
    expect((await owner.call('GET', `/approvals/${id}`)).status).toBe(404);
    const next = await asked(key);
    expect(next).not.toBe(id);
    const shown = await shownIn(next);
    expect((await owner.call('DELETE', `/api-keys/${agent.id}`)).status).toBe(204);
    const list = (await owner.call('GET', '/approvals')).body.data;
    expect(list.map((each: { id: string }) => each.id)).not.toContain(next);
    const late = await owner.call('POST', `/approvals/${next}/approve`, { shown });
    expect([late.status, late.body.error.code]).toEqual([409, 'conflict']);
    expect(await storedFor(key)).toBe(0);
  });

  test('is deleted with its content once its time is over', async () => {
    const id = await asked(newKey());
    const { db, clock } = service.services;
    const rows = () => db.query('select from send_approvals where approval_id = $1', [id]);
    await sweepApprovals({ db, clock }, service.account.tenantId);
    expect(await rows()).toHaveLength(1);
    ahead.ms += 24 * 3_600_000;
    await sweepApprovals({ db, clock }, service.account.tenantId);
    expect(await rows()).toEqual([]);
  });

  test('is one of twenty that wait, at most', async () => {
    for (let waiting = 0; waiting < 20; waiting++) await asked(newKey());
    const key = newKey();
    const { status, body } = await send(key);
    expect([status, body.error.code]).toEqual([403, 'approval_required']);
    expect(body.error.message).toContain('was not added');
    const rows = await service.db.query('select 1 from send_approvals where idempotency_key = $1', [key]);
    expect(rows).toEqual([]);
  });

  test('is approved by those who send, after they confirmed who they are', async () => {
    const id = await asked(newKey());
    const viewer = await signedIn(service, service.account.tenantId, 'viewer');
    const developer = await signedIn(service, service.account.tenantId, 'developer');
    const shown = await shownIn(id, viewer);
    for (const act of ['approve', 'refuse'])
      expect((await viewer.call('POST', `/approvals/${id}/${act}`, { shown })).status).toBe(403);
    const nobody = openBrowser(service);
    expect((await nobody.call('POST', `/approvals/${id}/approve`, { shown })).status).toBe(401);
    ahead.ms += 11 * 60_000;
    const old = await developer.call('POST', `/approvals/${id}/approve`, { shown });
    expect(old.body.error.code).toBe('reauthentication_required');
    const fresh = await signedIn(service, service.account.tenantId, 'developer');
    expect((await fresh.call('POST', `/approvals/${id}/approve`, { shown })).status).toBe(200);
  });
});
