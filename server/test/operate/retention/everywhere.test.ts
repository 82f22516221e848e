import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bundle, readBundle } from '@acuse/evidence/bundle';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { acuse, type Said } from '../../cli/run.ts';
import { attempt } from '../../evidence/deliveries.ts';
import { sealMessage } from '../../support/sealed.ts';
import { newKey, startTestService, type TestService } from '../../support/service.ts';
import { makeTenant } from '../../support/tenants.ts';
import { AheadClock, CONTENT } from './support.ts';

/**
 * One message with a mark in everything that its sender says of it; it is erased, and then everybody is asked
 * about it.
 */
const MARK = 'Zanahoria7391';
const RECIPIENT = `${MARK}@example.test`;
const KEY = newKey();
const poppler = spawnSync('pdftotext', ['-v']).error === undefined;

let service: TestService;
const folder = tempFolder();
let id: string;
let earlier: Buffer;
let bundle: Bundle;
let erased: Said;
let digestBefore: string;

const send = () =>
  service.call('POST', '/v1/messages', { body: FIELDS, headers: { 'idempotency-key': KEY } });
const FIELDS = {
  from: `${MARK} <billing@sandbox.test>`,
  to: `${MARK} <${RECIPIENT}>`,
  subject: `About ${MARK}`,
  text: `Dear ${MARK}, you owe us 300.`,
  html: `<p>${MARK}</p>`,
  attachments: [
    { filename: `${MARK}.txt`, content_type: 'text/plain', content: Buffer.from(MARK).toString('base64') },
  ],
  headers: { 'X-Case': MARK },
  tags: [MARK],
  metadata: { customer: MARK },
  certified: true,
};

beforeAll(async () => {
  service = await startTestService({ environment: { ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true' } });
  const url = 'http://127.0.0.1:9/hook';
  expect((await service.call('POST', '/v1/webhooks', { body: { url, events: ['*'] } })).status).toBe(201);
  const sent = await send();
  expect(sent.status).toBe(201);
  id = sent.body.id;
  const [content] = await service.db.query<{ raw: Buffer }>('select raw from message_contents');
  await attempt(
    service.db,
    [{ tenantId: service.account.tenantId, messageId: id, raw: content!.raw }],
    'sent',
  );
  await sayWhoRefused();
  await sayWhatMailSaid();
  // Seals what is pending, this message and its outcome among it.
  await sealMessage(service);
  earlier = (await service.call('GET', `/v1/messages/${id}/proof-bundle`)).raw;
  await sayWhatReceiversAnswered();
  await sayWhatSearchesFind();
  await markContent();
  digestBefore = await digest();
  expect(await whereIs(MARK)).not.toEqual([]);
  erased = await run('messages', 'erase', id, '--reason', 'request 4711', '--by', 'ana', '--force', '--json');
  bundle = readBundle((await service.call('GET', `/v1/messages/${id}/proof-bundle`)).raw);
});
afterAll(() => service?.stop());

const run = (...args: string[]) => acuse(args, { DATABASE_URL: service.databaseUrl, ACUSE_DATA_DIR: folder });
const get = (path: string) => service.call('GET', `/v1/messages/${id}${path}`);

/** Servers quote whom they refuse. */
async function sayWhoRefused(): Promise<void> {
  const reply = JSON.stringify({ code: 250, enhanced: '2.0.0', text: `<${RECIPIENT}> ok`, mx: `mx.${MARK}` });
  await service.db.execute(`update messages set last_reply = $2 where message_id = $1`, [id, reply]);
  await service.db.execute('update attempts set reply = $2 where message_id = $1', [id, reply]);
}

/** A mail that ends nothing is kept among the message's reports. */
async function sayWhatMailSaid(): Promise<void> {
  await service.db.execute(
    `insert into delivery_reports (tenant_id, message_id, action, report, created_at, reported_by_mail)
     values ($1, $2, 'delivered', 'Action: delivered', now(), '{}')`,
    [service.account.tenantId, id],
  );
}

/** Receivers quote what they were told, in their answer to the constancia too. */
async function sayWhatReceiversAnswered(): Promise<void> {
  const rows = await service.db.execute(
    `insert into webhook_attempts (tenant_id, delivery_id, attempt, started_at, duration_ms, status_code,
       response_headers, response_excerpt)
     select tenant_id, delivery_id, 1, now(), 1, 500, '{}', '' from webhook_deliveries where message_id = $1`,
    [id],
  );
  expect(rows).toBeGreaterThan(2);
}

/** Words of the message and its neighbours. */
async function sayWhatSearchesFind(): Promise<void> {
  const values = [service.account.tenantId, '00000000-0000-0000-0000-000000000000'];
  await service.db.execute(
    'insert into search_segments (tenant_id, after_id, last_id, made) values ($1, $2, $3, true)',
    [...values, 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  );
  await service.db.execute(
    "insert into search_words (tenant_id, after_id, last_word, words) values ($1, $2, 'x', 'x 1')",
    values,
  );
}

/** By type of column: its value with the mark in it. */
const MARKED: Readonly<Record<string, (column: string) => string>> = {
  text: () => '$1',
  ARRAY: () => 'array[$1]',
  // As long as it was.
  bytea: (column) => `convert_to(rpad($1, octet_length(${column})), 'UTF8')`,
  jsonb: (column) => markedJson(column),
  json: (column) => markedJson(`${column}::jsonb`),
};

function markedJson(value: string): string {
  return `case when jsonb_typeof(${value}) = 'array' then to_jsonb(array[$1])
    else coalesce(${value}, '{}') || jsonb_build_object('to', $1) end`;
}

/** Rows of the message, where its id does not tell them, or where not all that have it lose their words. */
const OWN: Readonly<Record<string, string>> = {
  webhook_deliveries: "message_id = $2 and type <> 'email.sealed'",
  search_words: 'after_id < $2',
  webhook_attempts: 'delivery_id in (select delivery_id from webhook_deliveries where message_id = $2)',
};

/** Puts the mark into every column that a domain calls content, whatever brought a word of it there. */
async function markContent(): Promise<void> {
  const types = await service.db.query<{ at: string; type: string }>(
    "select table_name || '.' || column_name as at, data_type as type from information_schema.columns where table_schema = 'public' and is_generated = 'NEVER'",
  );
  const typeOf = new Map(types.map(({ at, type }) => [at, type]));
  for (const [table, columns] of Object.entries(CONTENT)) {
    const isItsOwn = OWN[table] ?? 'message_id = $2';
    for (const column of columns) {
      const type = typeOf.get(`${table}.${column}`);
      // Made of another column, which is marked.
      if (type === undefined) continue;
      const marked = MARKED[type]!(column).replaceAll('$1', '$1::text');
      const touched = await service.db.execute(
        `update ${table} set ${column} = ${marked} where ${isItsOwn}`,
        [MARK, id],
      );
      expect(touched, `rows of ${table}`).toBeGreaterThan(0);
    }
  }
}

async function digest(): Promise<string> {
  const [row] = await service.db.query<{ digest: string }>(
    "select encode(submission_digest, 'hex') as digest from idempotency_claims where message_id = $1",
    [id],
  );
  return row!.digest;
}

/** Tables of the database in which a row holds these words, as text, in bytes, or in the base64 of either. */
async function whereIs(words: string): Promise<string[]> {
  const tables = await service.db.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'schema_migrations'",
  );
  expect(tables.length).toBeGreaterThan(30);
  const spellings = [
    words,
    Buffer.from(words).toString('hex'),
    Buffer.from(words).toString('base64').slice(0, -2),
  ];
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await service.db.query(
      `select 1 from ${name} t where ${spellings.map((_, i) => `position(lower($${i + 1}) in lower(t::text)) > 0`).join(' or ')} limit 1`,
      spellings,
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}

test('the command says what it did', () => {
  expect(erased).toMatchObject({ code: 0 });
  expect(erased.json).toEqual({
    message_id: id,
    tenant_id: service.account.tenantId,
    certified: true,
    erased_at: expect.stringMatching(/Z$/),
    reason: 'request 4711',
    erased_by: 'ana',
    bytes: expect.any(Number),
    already_erased: false,
  });
  expect(erased.json.bytes).toBeGreaterThan(500);
});

describe('nothing in the database holds a word of it', () => {
  test('in no table, as text or as bytes', async () => {
    expect(await whereIs(MARK)).toEqual([]);
  });

  test('and no hash of it can be guessed against', async () => {
    expect(await digest()).not.toBe(digestBefore);
    const [leaf] = await service.db.query<{ openings: Buffer | null }>(
      'select openings from leaf_contents where message_id = $1 and openings is not null',
      [id],
    );
    expect(leaf).toBeUndefined();
  });

  test('but what happened stays, with who erased it, when and why', async () => {
    const { body } = await get('');
    expect(body).toMatchObject({
      id,
      status: 'sent',
      certified: true,
      attempts: 1,
      to: '',
      subject: '',
      from: 'billing@sandbox.test',
      tags: [],
      metadata: {},
      content_deleted_at: erased.json.erased_at,
      last_reply: { code: 250, enhanced: '2.0.0', text: '', mx: null },
    });
    const events = (await get('/events')).body.data as { type: string; data: object }[];
    expect(events.map(({ type, data }) => [type, Object.keys(data).sort()])).toEqual([
      ['email.queued', ['certified']],
      ['email.sent', ['enhanced', 'reply_code']],
      ['email.sealed', ['batch_id', 'certificate_id', 'merkle_root', 'sealed_at']],
    ]);
    expect((await get('/attempts')).body.data).toMatchObject([{ attempt: 1, outcome: 'sent', sessions: [] }]);
    const { json } = await run('retention', 'status', '--json');
    expect(json).toMatchObject({
      plain_days: 90,
      certified_years: 10,
      erased: 1,
      last_erased_at: erased.json.erased_at,
    });
  });
});

describe('whoever asks is told', () => {
  test.each(['/raw', '/dsn'])('%s: 404, with when and why', async (path) => {
    const { status, body } = await get(path);
    expect([status, body.error.code]).toEqual([404, 'not_found']);
    expect(body.error.message).toContain(
      `was deleted at ${erased.json.erased_at}, because its erasure was requested`,
    );
  });

  test('but no other account, which is told what it is told of any id', async () => {
    const { key } = await makeTenant(service);
    const theirs = await service.call('GET', `/v1/messages/${id}/raw`, { key });
    const unknown = await service.call('GET', `/v1/messages/${service.account.tenantId}/raw`, { key });
    expect([theirs.status, theirs.body]).toEqual([404, unknown.body]);
  });

  test('the evidence: when, and all else as before', async () => {
    const { status, body } = await get('/evidence');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      message_id: id,
      content_deleted_at: erased.json.erased_at,
      delivery: [{ kind: 'sent' }],
    });
  });

  test('a send with its key: nothing is sent twice', async () => {
    const { status, body } = await send();
    expect([status, body.error.code]).toEqual([422, 'idempotency_key_reused']);
  });

  test('POST /v1/verify: it holds, and says what is gone', async () => {
    const { status, body } = await service.call('POST', '/v1/verify', { body: { message_id: id } });
    expect([status, body.valid]).toEqual([200, true]);
    const { detail } = body.checks.find(({ name }: { name: string }) => name === 'openings');
    expect(detail).toMatch(
      /^the content was erased, and with it the salts: the message, its \d parts, the request/,
    );
  });

  test('its bundle: what is gone and why the rest holds, for people and for programs', () => {
    expect(
      [...bundle.keys()].some(
        (name) => /eml$|submission|openings.json$|transcript/.test(name) && name !== 'openings.json',
      ),
    ).toBe(false);
    expect(Buffer.from(bundle.get('VERIFY.md')!).toString()).toContain(
      'The operator erased the content of this message',
    );
    for (const [name, bytes] of bundle)
      expect(Buffer.from(bytes).includes(MARK), `${name} says ${MARK}`).toBe(false);
  });

  test.skipIf(!poppler)('its report.pdf, in both languages (skipped: needs poppler-utils)', () => {
    const pdf = join(folder, 'report.pdf');
    writeFileSync(pdf, bundle.get('report.pdf')!);
    const text = execFileSync('pdftotext', ['-layout', pdf, '-'], { encoding: 'utf8' });
    expect(text).toContain('El operador borró el contenido');
    expect(text).toContain('The operator erased the content');
    expect(text).not.toContain(MARK);
  });

  test('acuse verify: the new bundle, and the one from before', async () => {
    const [now, then] = [join(folder, 'now.zip'), join(folder, 'then.zip')];
    writeFileSync(now, (await get('/proof-bundle')).raw);
    writeFileSync(then, earlier);
    const said = await run('verify', now, '--verbose');
    expect(said.code).toBe(5);
    expect(said.out).toMatch(/^! the message's content was erased\.$/m);
    expect(said.out).toMatch(/The operator erased the content.*\n.*\n\nThe time-stamp/s);
    expect((await run('verify', then, '--json')).json).toMatchObject({
      valid: true,
      facts: { content: 'complete' },
    });
    // Both are of one manifest: what the earlier one opens is what was sealed.
    expect(readBundle(earlier).get('manifest.json')).toEqual(bundle.get('manifest.json'));
  });

  test('acuse fsck: clean, and one was erased', async () => {
    const { code, json } = await run('fsck', '--json');
    expect([code, json.problems, json.checked.erased]).toEqual([0, [], 1]);
  });
});

describe('the command', () => {
  test('asked again, changes nothing and says who it was', async () => {
    const again = await run('messages', 'erase', id, '--reason', 'other', '--by', 'bob', '--force');
    expect(again).toMatchObject({ code: 0 });
    expect(again.out).toContain(`was already erased at ${erased.json.erased_at} by ana (request 4711)`);
  });

  test('refuses what waits, what is guarded, what is unknown, and what says no reason', async () => {
    const { body: waiting } = await service.send();
    const sealed = await service.send({ certified: true });
    const message = {
      tenantId: service.account.tenantId,
      messageId: sealed.body.id,
      raw: Buffer.from('a: b\r\n\r\n'),
    };
    await attempt(service.db, [message], 'sent');
    const other = await makeTenant(service);
    const cases: [string[], number, string][] = [
      [[waiting.id, '--reason', 'x', '--force'], 1, 'still_waiting'],
      [[sealed.body.id, '--reason', 'x'], 1, 'within_retention'],
      [[sealed.body.id, '--reason', 'x', '--force', '--tenant', other.tenantId], 1, 'not_found'],
      [[other.tenantId, '--reason', 'x'], 1, 'not_found'],
      [['x', '--reason', 'x'], 1, 'not_found'],
      [[sealed.body.id, '--force'], 2, 'usage'],
      [[sealed.body.id, '--force', '--reason', ' '], 2, 'usage'],
      [[sealed.body.id, '--force', '--reason', 'a\nb'], 2, 'usage'],
      [[sealed.body.id, '--force', '--reason', 'x'.repeat(501)], 2, 'usage'],
    ];
    for (const [args, code, error] of cases) {
      const said = await run('messages', 'erase', ...args, '--json');
      expect([said.code, said.json.error.code], args.join(' ')).toEqual([code, error]);
    }
    expect((await run('messages', 'erase', sealed.body.id, '--reason', 'x')).err).toContain(
      'to erase it anyway, add --force',
    );
    expect((await service.call('GET', `/v1/messages/${sealed.body.id}/raw`)).status).toBe(200);
  });
});

test('plain content that has had its days: its record stays, and says so', async () => {
  const clock = new AheadClock();
  const sent = await service.send({ certified: false });
  const path = `/v1/messages/${sent.body.id}`;
  const message = {
    tenantId: service.account.tenantId,
    messageId: sent.body.id,
    raw: Buffer.from('a: b\r\n\r\n'),
  };
  await attempt(service.db, [message], 'sent', clock);
  expect((await run('retention', 'run', '--json')).json).toEqual({
    plain: { messages: 0, bytes: 0 },
    // Not yet, in the month after an installation was made or upgraded.
    records: null,
    certified: null,
  });
  // As if it had been accepted 91 days ago.
  const old = `${'0'.repeat(8)}${sent.body.id.slice(8)}`;
  for (const table of ['messages', 'message_contents', 'attempts', 'events', 'delivery_reports'])
    await service.db.execute(`update ${table} set message_id = $2 where message_id = $1`, [
      sent.body.id,
      old,
    ]);
  await service.db.execute(
    "update messages set created_at = created_at - interval '91 days' where message_id = $1",
    [old],
  );
  const done = await run('retention', 'run');
  expect([done.code, done.out]).toEqual([
    0,
    expect.stringMatching(/^deleted the content of 1 plain messages \(\d+ bytes\)\n$/),
  ]);
  const kept = await service.call('GET', path.replace(sent.body.id, old));
  expect(kept.body).toMatchObject({
    status: 'sent',
    to: 'ana@sandbox.test',
    subject: 'Hello',
    content_deleted_at: expect.stringMatching(/Z$/),
  });
  const raw = await service.call('GET', `${path.replace(sent.body.id, old)}/raw`);
  expect(raw.status).toBe(404);
  expect(raw.body.error.message).toContain('because its retention period ended');
  expect((await service.call('GET', `${path.replace(sent.body.id, old)}/attempts`)).body.data).toHaveLength(
    1,
  );
  expect((await service.call('GET', `${path.replace(sent.body.id, old)}/dsn`)).status).toBe(200);
  expect((await run('retention', 'status')).out).toMatch(/^deleted_after_days +1$/m);
});
