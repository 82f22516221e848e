import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addGlobalSuppression, removeGlobalSuppression } from '../../src/accounts/suppressions/operations.ts';
import { eraseMessage } from '../../src/operate/retention/erase.ts';
import { createTemplateFixture } from '../contract/fixtures.ts';
import { countRows } from '../contract/refusals.ts';
import { audit } from '../support/audit.ts';
import { sealMessage } from '../support/sealed.ts';
import { type Answer, newKey, startTestService, type TestService } from '../support/service.ts';
import { giveDomain, makeTenant } from '../support/tenants.ts';

/** One request with several recipients: one key, a message for each, all of them or none. */
let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => {
  expect(await audit(service.db)).toEqual([]);
  await service.stop();
});

const ANA = 'Ana <ana@sandbox.test>';
const at = (count: number, name = 'r') => Array.from({ length: count }, (_, n) => `${name}${n}@sandbox.test`);
const suppress = async (address: string) => {
  const { status } = await service.call('POST', '/v1/suppressions', { body: { address, reason: 'test' } });
  expect(status).toBe(201);
};
const rawOf = async (id: string) =>
  (await service.call('GET', `/v1/messages/${id}/raw`)).raw.toString('latin1');
const idsOf = ({ body }: Answer): string[] => [body.id, ...body.copies.map(({ id }: { id: string }) => id)];
/** Without the promise: it is the group's in the first answer, and the message's own in later ones. */
const shown = ({ promise, ...rest }: Answer['body']) => ({ ...rest, promised: promise !== null });
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

describe('a request with to, cc and bcc', () => {
  test('answers with the first message and the others in order', async () => {
    const key = newKey();
    const sent = await service.send(
      { to: [ANA, 'bob@sandbox.test'], cc: 'carla@sandbox.test', bcc: ['dario@sandbox.test'] },
      keyed(key),
    );
    expect(sent.status).toBe(201);
    expect(sent.headers['location']).toBe(`/v1/messages/${sent.body.id}`);
    expect(sent.body).toMatchObject({ to: ANA, idempotency_key: key, status: 'queued' });
    expect(
      sent.body.copies.map(({ recipient, field }: Record<string, string>) => [recipient, field]),
    ).toEqual([
      ['bob@sandbox.test', 'to'],
      ['carla@sandbox.test', 'cc'],
      ['dario@sandbox.test', 'bcc'],
    ]);
    expect(sent.body.skipped).toBeUndefined();
    const recipients: string[] = [];
    const messageIds = new Set<string>();
    for (const id of idsOf(sent)) {
      const message = (await service.call('GET', `/v1/messages/${id}`)).body;
      expect(message).toMatchObject({ idempotency_key: key, certified: true });
      expect(message.copies).toBeUndefined();
      recipients.push(message.to);
      const events = (await service.call('GET', `/v1/messages/${id}/events`)).body.data;
      expect(events.map(({ type, data }: { type: string; data: { to: string } }) => [type, data.to])).toEqual(
        [['email.queued', message.to]],
      );
      const raw = await rawOf(id);
      expect(raw).toContain('\r\nTo: Ana <ana@sandbox.test>, bob@sandbox.test\r\nCc: carla@sandbox.test\r\n');
      expect(raw).toMatch(new RegExp(`^Service-Evidence: v=1; id=${id};`));
      expect(raw).not.toMatch(/^bcc:|dario/im);
      messageIds.add(/^Message-ID: (.*)\r$/m.exec(raw)![1]!);
    }
    expect(recipients).toEqual([ANA, 'bob@sandbox.test', 'carla@sandbox.test', 'dario@sandbox.test']);
    expect(messageIds.size).toBe(1);
  });

  test('takes one from the quota for each, and each has a leaf of its own', async () => {
    const { key, tenantId } = await makeTenant(service);
    await giveDomain(service, tenantId, 'several.example.com');
    const fields = { from: 'a@several.example.com', to: at(3), certified: true };
    const sent = await service.send(fields, { key });
    expect(sent.status).toBe(201);
    const { usage } = (await service.call('GET', '/v1/account', { key })).body;
    expect(usage.certified.used).toBe(3);
    const leaves = await service.db.query(
      'select distinct canonical_hash, tenant_sequence from messages where tenant_id = $1',
      [tenantId],
    );
    expect(leaves).toHaveLength(3);
  });

  test('a list of one is that one', async () => {
    const key = newKey();
    const sent = await service.send({ to: [ANA] }, keyed(key));
    expect([sent.status, sent.body.copies]).toEqual([201, undefined]);
    const again = await service.send({ to: ANA, cc: [], bcc: [] }, keyed(key));
    expect([again.status, again.body.id]).toEqual([200, sent.body.id]);
  });

  test('an address that is named twice gets one message, of the field that names it first', async () => {
    const sent = await service.send({
      to: ['bob@sandbox.test', 'BOB@sandbox.test'],
      cc: ['carla@SANDBOX.test', 'Bob <bob@sandbox.test>'],
      bcc: 'Carla@sandbox.test',
    });
    expect(sent.body.copies).toEqual([
      { id: expect.any(String), recipient: 'carla@sandbox.test', field: 'cc' },
    ]);
    const raw = await rawOf(sent.body.id);
    expect(raw).toContain('\r\nTo: bob@sandbox.test, BOB@sandbox.test\r\n');
    expect(raw).toContain('\r\nCc: carla@sandbox.test, Bob <bob@sandbox.test>\r\n');
  });

  test('fifty are taken, and fifty-one refused', async () => {
    const fifty = await service.send({ to: at(20), cc: at(20, 'c'), bcc: at(10, 'b') });
    expect([fifty.status, fifty.body.copies.length]).toEqual([201, 49]);
    const before = await countRows(service.db);
    const more = await service.send({ to: at(20), cc: at(20, 'c'), bcc: at(11, 'b') });
    expect([more.status, more.body.error]).toEqual([
      400,
      {
        code: 'invalid_address',
        message: 'to: 51 addresses, with cc and bcc, exceed the limit of 50: split the request.',
      },
    ]);
    expect(await countRows(service.db)).toEqual(before);
  });

  test.each([
    [{ to: ['ana@sandbox.test', 'bob', 'carla@sandbox.test'] }, 'to[1]'],
    [{ to: ['Team: ana@sandbox.test, bob@sandbox.test;'] }, 'to[0]'],
    [{ to: ['ana@sandbox.test, bob@sandbox.test'] }, 'to[0]'],
    [{ to: [] }, 'to: give at least one address'],
    [{ cc: '' }, 'cc'],
    [{ bcc: ['undisclosed-recipients:;'] }, 'bcc[0]'],
    [{ cc: ['bob@sandbox.test\r\nBcc: x@sandbox.test'] }, 'cc[0]'],
    [{ reply_to: ['a@sandbox.test', ''] }, 'reply_to[1]'],
    [{ reply_to: at(11) }, 'reply_to: must have at most 10 addresses'],
  ])('%j is refused as a whole', async (fields, says) => {
    const before = await countRows(service.db);
    const { status, body } = await service.send(fields);
    expect([status, body.error.code]).toEqual([400, 'invalid_address']);
    expect(body.error.message).toContain(says);
    expect(await countRows(service.db)).toEqual(before);
  });

  test('a template is rendered for all of them, and answers go to several', async () => {
    const template = await createTemplateFixture(() => service).template({
      subject: 'Hi {{name}}',
      text: 'T',
    });
    const { status, body } = await service.call('POST', '/v1/messages', {
      body: {
        from: 'billing@sandbox.test',
        to: at(2),
        reply_to: ['Help <help@sandbox.test>', 'sales@sandbox.test'],
        template_id: template,
        variables: { name: 'you' },
      },
      ...keyed(newKey()),
    });
    expect(status).toBe(201);
    for (const id of [body.id, body.copies[0].id])
      expect(await rawOf(id)).toMatch(
        /^Subject: Hi you\r$.*^Reply-To: Help <help@sandbox\.test>, sales@sandbox\.test\r$/ms,
      );
  });

  test('copies that are too large together are refused before they are made', async () => {
    const attachments = [{ filename: 'a.bin', content: Buffer.alloc(4 * 1024 * 1024).toString('base64') }];
    const before = await countRows(service.db);
    const { status, body } = await service.send({ to: at(50), attachments });
    expect([status, body.error.code]).toEqual([413, 'payload_too_large']);
    expect(body.error.message).toMatch(/exceeds 64 MiB.*can go to 1\d recipients/);
    expect(await countRows(service.db)).toEqual(before);
    const fewer = await service.send({ to: at(3), bcc: 'b@sandbox.test', attachments });
    expect([fewer.status, fewer.body.copies?.length]).toEqual([201, 3]);
  });
});

describe('one key', () => {
  test('a replay answers the same first message and the same copies', async () => {
    const key = newKey();
    const fields = { to: [ANA, 'bob@sandbox.test'], bcc: 'carla@sandbox.test' };
    const sent = await service.send(fields, keyed(key));
    const before = await countRows(service.db);
    const again = await service.send(fields, keyed(key));
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
    expect(shown(again.body)).toEqual(shown(sent.body));
    expect(await countRows(service.db)).toEqual(before);
  });

  test.each([
    ['one more', { to: at(3), cc: 'c@sandbox.test' }],
    ['one less', { to: at(2) }],
    ['another order', { to: at(2).reverse(), cc: 'c@sandbox.test' }],
    ['another field', { to: at(2), bcc: 'c@sandbox.test' }],
    ['the first alone', { to: at(1) }],
    ['skip_suppressed', { to: at(2), cc: 'c@sandbox.test', skip_suppressed: true }],
  ])('with %s is another request', async (_, changed) => {
    const key = newKey();
    expect((await service.send({ to: at(2), cc: 'c@sandbox.test' }, keyed(key))).status).toBe(201);
    const again = await service.send(changed, keyed(key));
    expect([again.status, again.body.error.code]).toEqual([422, 'idempotency_key_reused']);
  });

  test('twenty at once make the messages once', async () => {
    const key = newKey();
    const fields = { to: at(3), bcc: at(2, 'b') };
    const answers = await Promise.all(Array.from({ length: 20 }, () => service.send(fields, keyed(key))));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
    expect(new Set(answers.map((answer) => idsOf(answer).join(' '))).size).toBe(1);
    const [{ n }] = (await service.db.query('select count(*) as n from messages where idempotency_key = $1', [
      key,
    ])) as [{ n: number }];
    expect(n).toBe(5);
  });

  test('ten at once whose first recipient is left out agree on who is the first', async () => {
    const key = newKey();
    await suppress('left-out@sandbox.test');
    const fields = { to: ['left-out@sandbox.test', ...at(2)], skip_suppressed: true };
    const answers = await Promise.all(Array.from({ length: 10 }, () => service.send(fields, keyed(key))));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 201]);
    const [first, ...others] = answers.map(({ body }) => body);
    for (const other of others) expect(shown(other)).toEqual(shown(first));
  });

  test('one recipient and several at once with one key: one of the two is accepted', async () => {
    const key = newKey();
    const answers = await Promise.all([
      service.send({ to: at(3) }, keyed(key)),
      service.send({ to: at(1) }, keyed(key)),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422]);
  });

  test('belongs to one account', async () => {
    const stranger = await makeTenant(service);
    await giveDomain(service, stranger.tenantId, 'stranger.example.com');
    const key = newKey();
    const own = await service.send({ to: at(2) }, keyed(key));
    const fields = { from: 'a@stranger.example.com', to: at(2) };
    const theirs = await service.send(fields, { ...keyed(key), key: stranger.key });
    expect(theirs.status).toBe(201);
    for (const id of idsOf(own)) {
      const read = await service.call('GET', `/v1/messages/${id}`, { key: stranger.key });
      expect(read.status).toBe(404);
    }
    const again = await service.send(fields, { ...keyed(key), key: stranger.key });
    expect(idsOf(again)).toEqual(idsOf(theirs));
  });
});

describe('a suppressed recipient', () => {
  beforeAll(async () => {
    await suppress('no@sandbox.test');
    await suppress('never@sandbox.test');
  });

  test('in the middle refuses the request by name, and frees the key', async () => {
    const key = newKey();
    const before = await countRows(service.db);
    const fields = { to: at(2), cc: ['no@sandbox.test', 'c@sandbox.test'], bcc: 'never@sandbox.test' };
    const { status, body } = await service.send(fields, keyed(key));
    expect([status, body.error.code]).toEqual([422, 'recipient_suppressed']);
    expect(body.error.message).toMatch(
      /^no@sandbox\.test is on this account's.* Also suppressed: never@sandbox\.test\. To send to the other recipients, set skip_suppressed to true\.$/,
    );
    expect(await countRows(service.db)).toEqual(before);
    const mended = await service.send({ ...fields, skip_suppressed: true }, keyed(key));
    expect(mended.status).toBe(201);
    expect(mended.body.copies.map(({ recipient }: { recipient: string }) => recipient)).toEqual([
      'r1@sandbox.test',
      'c@sandbox.test',
    ]);
    expect(mended.body.skipped).toEqual([
      { recipient: 'no@sandbox.test', field: 'cc', reason: 'recipient_suppressed' },
      { recipient: 'never@sandbox.test', field: 'bcc', reason: 'recipient_suppressed' },
    ]);
  });

  test('that is the first is left out, and the next answers for all, on replay too', async () => {
    const key = newKey();
    const fields = { to: ['No <no@sandbox.test>', ANA, 'bob@sandbox.test'], skip_suppressed: true };
    const sent = await service.send(fields, keyed(key));
    expect([sent.status, sent.body.to]).toEqual([201, ANA]);
    expect(sent.body.copies).toEqual([
      { id: expect.any(String), recipient: 'bob@sandbox.test', field: 'to' },
    ]);
    expect(sent.body.skipped).toEqual([
      { recipient: 'No <no@sandbox.test>', field: 'to', reason: 'recipient_suppressed' },
    ]);
    const again = await service.send(fields, keyed(key));
    expect([again.status, shown(again.body)]).toEqual([200, shown(sent.body)]);
  });

  test('alone with skip_suppressed, or all of them, is refused', async () => {
    const before = await countRows(service.db);
    for (const to of ['no@sandbox.test', ['no@sandbox.test'], ['no@sandbox.test', 'never@sandbox.test']]) {
      const { status, body } = await service.send({ to, skip_suppressed: true });
      expect([status, body.error.code]).toEqual([422, 'recipient_suppressed']);
      expect(body.error.message).not.toContain('skip_suppressed');
    }
    expect(await countRows(service.db)).toEqual(before);
  });

  test('is one on the operator’s list, too', async () => {
    await addGlobalSuppression(service.services, { address: 'gone@sandbox.test' });
    const fields = { to: ['gone@sandbox.test', ANA] };
    expect((await service.send(fields)).body.error.message).toMatch(
      /^gone@.* the operator's suppression list/,
    );
    const sent = await service.send({ ...fields, skip_suppressed: true });
    expect([sent.status, sent.body.to, sent.body.copies]).toEqual([201, ANA, []]);
    await removeGlobalSuppression(service.services, 'gone@sandbox.test');
  });

  test('takes nothing from the quota, nor a number of the sequence', async () => {
    const { key, tenantId } = await makeTenant(service, { quotaMessagesMonth: 3 });
    await giveDomain(service, tenantId, 'skips.example.com');
    const from = 'a@skips.example.com';
    await service.call('POST', '/v1/suppressions', {
      body: { address: 'no@sandbox.test', reason: 'test' },
      key,
    });
    const fields = { from, certified: true, skip_suppressed: true };
    const sent = await service.send({ ...fields, to: ['no@sandbox.test', ...at(2)] }, { key });
    expect(sent.status).toBe(201);
    const over = await service.send({ ...fields, to: ['no@sandbox.test', ...at(2)] }, { key });
    expect([over.status, over.body.error.code]).toEqual([429, 'quota_exceeded']);
    const last = await service.send({ ...fields, to: 'x@sandbox.test' }, { key });
    expect(last.status).toBe(201);
    const [row] = await service.db.query('select last_sequence from tenant_sequences where tenant_id = $1', [
      tenantId,
    ]);
    expect(row).toEqual({ last_sequence: 3 });
  });
});

test('a quota that is too small for all refuses all', async () => {
  const { key, tenantId } = await makeTenant(service, { quotaPlainMessagesMonth: 4 });
  await giveDomain(service, tenantId, 'small.example.com');
  const fields = { from: 'a@small.example.com', certified: false };
  const before = await countRows(service.db);
  const over = await service.send({ ...fields, to: at(5) }, { key });
  expect([over.status, over.body.error.code]).toEqual([429, 'quota_exceeded']);
  const after = await countRows(service.db);
  expect(after['messages']).toBe(before['messages']);
  expect(after['idempotency_claims']).toBe(before['idempotency_claims']);
  expect((await service.send({ ...fields, to: at(4) }, { key })).status).toBe(201);
});

describe('evidence', () => {
  test('is each recipient’s own, and nobody’s shows who got a blind copy', async () => {
    const fields = { to: [ANA, 'bob@sandbox.test'], bcc: ['Zacarías <hidden@sandbox.test>'] };
    const { id, bundle } = await sealMessage(service, fields);
    const { idempotency_key: key } = (await service.call('GET', `/v1/messages/${id}`)).body;
    const copies = (await service.send(fields, keyed(key))).body.copies;
    expect(copies).toHaveLength(2);
    const bundles = [bundle];
    for (const copy of copies)
      bundles.push((await service.call('GET', `/v1/messages/${copy.id}/proof-bundle`)).raw);
    for (const [index, bytes] of bundles.entries()) {
      const text = bytes.toString('latin1');
      const shown = ['ana@', 'bob@', 'hidden@'].map((name) => text.includes(name));
      expect(shown).toEqual([true, true, index === 2]);
      expect(text.includes('Zacar')).toBe(false);
    }
    const rows = await service.db.query<{ submission: Buffer }>(
      `select c.submission from message_contents c join messages m using (tenant_id, message_id)
        where m.idempotency_key = $1`,
      [key],
    );
    expect(rows).toHaveLength(3);
    for (const { submission } of rows) {
      const shown = JSON.parse(submission.toString());
      expect(shown).toMatchObject({ to: fields.to, text: 'Hello Ana' });
      expect('bcc' in shown).toBe(false);
    }
  });

  test('without bcc is over the bytes as received', async () => {
    const body = `{ "from": "billing@sandbox.test", "to": ["a@sandbox.test","b@sandbox.test"], "text":"T" }`;
    const sent = await service.call('POST', '/v1/messages', { body, ...keyed(newKey()) });
    for (const id of idsOf(sent)) {
      const [row] = await service.db.query<{ submission: Buffer }>(
        'select submission from message_contents where message_id = $1',
        [id],
      );
      expect(row!.submission.toString()).toBe(body);
    }
  });
});

describe('in a batch', () => {
  const item = (fields: object, key = newKey()) => ({
    idempotency_key: key,
    from: 'billing@sandbox.test',
    to: ANA,
    text: 'T',
    ...fields,
  });
  const batch = (messages: object[]) => service.call('POST', '/v1/messages/batch', { body: { messages } });

  test('items have recipients of their own, and are counted as items', async () => {
    const known = item({ to: at(2), bcc: 'b@sandbox.test' });
    const [first] = (await batch([known])).body.results;
    const { body } = await batch([
      item({ to: at(3) }),
      known,
      item({ to: at(2), cc: 'broken' }),
      item({}),
      item({ to: ['no@sandbox.test', ANA] }),
      item({ to: ['no@sandbox.test', ANA, 'bob@sandbox.test'], skip_suppressed: true }),
      { ...known, to: at(3) },
    ]);
    expect([body.created, body.replayed, body.failed]).toEqual([3, 1, 3]);
    expect(
      body.results.map(
        (result: { status: string; error?: { code: string } }) => result.error?.code ?? result.status,
      ),
    ).toEqual([
      'created',
      'replayed',
      'invalid_address',
      'created',
      'recipient_suppressed',
      'created',
      'idempotency_key_reused',
    ]);
    expect(body.results[0].message.copies).toHaveLength(2);
    expect(shown(body.results[1].message)).toEqual(shown(first.message));
    expect(body.results[3].message.copies).toBeUndefined();
    expect(body.results[5].message.skipped).toHaveLength(1);
  });

  test('a key that two items share makes the messages once', async () => {
    const twice = item({ to: at(3) });
    const { body } = await batch([twice, twice]);
    expect([body.created, body.replayed]).toEqual([1, 1]);
    expect(body.results[0].message.copies).toEqual(body.results[1].message.copies);
  });

  test('a thousand recipients are taken, and one more refused', async () => {
    const items = Array.from({ length: 20 }, (_, n) => item({ to: at(50, `n${n}-`) }));
    let created = 0;
    let refused: { error: { code: string } }[];
    // A send that a busy machine refuses as unavailable is repeated with its key, as a client does.
    do {
      const { status, body } = await batch(items);
      created += body.created;
      refused = body.results.filter((result: { status: string }) => result.status === 'failed');
      expect([status, refused.filter(({ error }) => error.code !== 'unavailable')]).toEqual([200, []]);
    } while (refused.length > 0);
    expect(created).toBe(20);
    const before = await countRows(service.db);
    const more = await batch([...items, item({})]);
    expect([more.status, more.body.error]).toEqual([
      400,
      {
        code: 'batch_too_large',
        message: 'The items have 1001 recipients in all, over the limit of 1000: split the batch.',
      },
    ]);
    expect(await countRows(service.db)).toEqual(before);
  });

  test('a large one has room for copies of 64 MiB in all', async () => {
    const large = (count: number) =>
      item({ to: at(count), bcc: 'hidden@sandbox.test', text: 'x'.repeat(3 * 1024 * 1024) });
    const { body } = await batch([large(10), large(10), item({ to: at(4) })]);
    expect([body.created, body.failed]).toEqual([2, 1]);
    const [first, second, third] = body.results;
    expect([first, second].map(({ error }) => error?.code)).toContain('payload_too_large');
    expect(third.status).toBe('created');
    const [row] = await service.db.query<{ submission: Buffer }>(
      'select submission from message_contents where message_id = $1',
      [[first, second].find(({ message }) => message !== undefined).message.copies[9].id],
    );
    expect(row!.submission.includes('hidden')).toBe(false);
  });
});

test('what fails while it is stored leaves nothing, and the same request makes all of it later', async () => {
  const own = await startTestService();
  const headers = { 'idempotency-key': newKey() };
  const fields = { to: at(3), bcc: 'b@sandbox.test' };
  const before = await countRows(own.db);
  // Claims, quotas and sequence numbers are taken before, messages are written after.
  const owner = new pg.Client({ connectionString: own.databaseUrl });
  await owner.connect();
  await owner.query('alter table message_copies rename to hidden');
  const failed = await own.send(fields, { headers });
  expect([failed.status, failed.body.error.code]).toEqual([500, 'internal_error']);
  await owner.query('alter table hidden rename to message_copies');
  await owner.end();
  expect(await countRows(own.db)).toEqual(before);
  const sent = await own.send(fields, { headers });
  expect([sent.status, sent.body.copies.length]).toEqual([201, 3]);
  expect(await audit(own.db)).toEqual([]);
  await own.stop();
});

test('after one of its messages was erased, a request is refused rather than made again', async () => {
  const own = await startTestService();
  const fields = { to: at(2), certified: false };
  const headers = { 'idempotency-key': newKey() };
  const sent = await own.send(fields, { headers });
  await own.call('POST', `/v1/messages/${sent.body.copies[0].id}/cancel`);
  const request = { messageId: sent.body.copies[0].id, tenantId: null, reason: '1', by: 'ana', force: true };
  const deps = { db: own.db, clock: own.services.clock, certifiedYears: 10 };
  expect((await eraseMessage(deps, request)).kind).toBe('erased');
  const again = await own.send(fields, { headers });
  expect([again.status, again.body.error.code]).toEqual([422, 'idempotency_key_reused']);
  await own.stop();
});

describe('a message/rfc822', () => {
  const headers = (key = newKey()) => ({ 'content-type': 'message/rfc822', 'idempotency-key': key });
  const post = (body: string, key?: string) =>
    service.call('POST', '/v1/messages', { body, headers: headers(key) });
  const mail = (lines: readonly string[], text = 'Hello') =>
    `${['From: billing@sandbox.test', 'Subject: S', ...lines].join('\r\n')}\r\n\r\n${text}\r\n`;

  test('goes to everybody in To, Cc and Bcc, groups included, and shows no Bcc', async () => {
    const body = mail([
      'To: Team: Ana <ana@sandbox.test>, bob@sandbox.test;',
      'Bcc: Zacarías <hidden@sandbox.test>,',
      ' bob@sandbox.test',
      'Cc: carla@sandbox.test',
    ]);
    const key = newKey();
    const sent = await post(body, key);
    expect([sent.status, sent.body.to]).toEqual([201, ANA]);
    expect(sent.body.copies).toEqual([
      { id: expect.any(String), recipient: 'bob@sandbox.test', field: 'to' },
      { id: expect.any(String), recipient: 'carla@sandbox.test', field: 'cc' },
      { id: expect.any(String), recipient: 'hidden@sandbox.test', field: 'bcc' },
    ]);
    const submitted = mail(['To: Team: Ana <ana@sandbox.test>, bob@sandbox.test;', 'Cc: carla@sandbox.test']);
    for (const id of idsOf(sent)) {
      const raw = await rawOf(id);
      expect(raw).toContain(
        'To: Team: Ana <ana@sandbox.test>, bob@sandbox.test;\r\nCc: carla@sandbox.test\r\n',
      );
      expect(raw).not.toMatch(/^bcc:|hidden|zacar/im);
      const [row] = await service.db.query<{ submission: Buffer }>(
        'select submission from message_contents where message_id = $1',
        [id],
      );
      expect(row!.submission.toString()).toBe(submitted);
    }
    const again = await post(body, key);
    expect([again.status, shown(again.body)]).toEqual([200, shown(sent.body)]);
    const other = await post(body.replace('hidden@', 'other@'), key);
    expect([other.status, other.body.error.code]).toEqual([422, 'idempotency_key_reused']);
  });

  test('may name nobody but in Bcc', async () => {
    const sent = await post(mail(['To: undisclosed-recipients:;', 'Bcc: hidden@sandbox.test']));
    expect([sent.status, sent.body.to, sent.body.copies]).toEqual([201, 'hidden@sandbox.test', undefined]);
    expect(await rawOf(sent.body.id)).not.toContain('hidden');
  });

  test('that is large loses its Bcc on a thread', async () => {
    const to = 'To: ana@sandbox.test';
    const text = 'A line of text.\r\n'.repeat(20_000);
    const sent = await post(mail([to, 'Bcc: hidden@sandbox.test'], text));
    expect([sent.status, sent.body.copies?.length]).toEqual([201, 1]);
    const [row] = await service.db.query<{ submission: Buffer }>(
      'select submission from message_contents where message_id = $1',
      [sent.body.id],
    );
    expect(row!.submission.equals(Buffer.from(mail([to], text)))).toBe(true);
  });

  test('with a suppressed recipient is refused by name', async () => {
    const { status, body } = await post(mail(['To: ana@sandbox.test', 'Cc: no@sandbox.test']));
    expect([status, body.error.code]).toEqual([422, 'recipient_suppressed']);
    expect(body.error.message).toMatch(/^no@sandbox\.test is on/);
    expect(body.error.message).not.toContain('skip_suppressed');
  });
});
