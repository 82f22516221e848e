import { readBundle } from '@acuse/evidence/bundle';
import { parseOpenings } from '@acuse/evidence/openings';
import { verifyEntries } from '@acuse/evidence/verify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eraseMessage } from '../../../src/operate/retention/erase.ts';
import { newId } from '../../../src/platform/ids.ts';
import { sha256 } from '../../../src/platform/sha256.ts';
import { holdableClock } from '../../support/holdable-clock.ts';
import { type Person, signedIn } from '../../support/people.ts';
import { sealMessage } from '../../support/sealed.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { makeTenant } from '../../support/tenants.ts';

/** Links by which a stranger gets the proof of a message. */
let service: TestService;
let developer: Person;
let viewer: Person;
let message: string;
let daysLater = 0;
const DAY_MS = 86_400_000;
const clock = holdableClock(() => daysLater * DAY_MS);
const inDays = (days: number) => new Date(clock.now().getTime() + days * DAY_MS).toISOString();
const ALL = { message: true, parts: [], delivery: true };

beforeAll(async () => {
  service = await startTestService({ clock });
  await signIn();
  const sealed = await sealMessage(service, {
    subject: 'Contrato secreto',
    metadata: { internal: 'nobody else sees this' },
    attachments: [{ filename: 'contrato.txt', content_type: 'text/plain', content: btoa('the contract') }],
  });
  message = sealed.id;
});
afterAll(() => service?.stop());

async function signIn(): Promise<void> {
  const { tenantId } = service.account;
  developer = await signedIn(service, tenantId, 'developer', { email: 'ana@people.test' });
  viewer = await signedIn(service, tenantId, 'viewer');
}

const share = (body: object, id = message) => developer.call('POST', `/messages/${id}/shares`, body);
const make = async (disclose: object, more: object = {}) => {
  const answer = await share({ expires_at: inDays(7), disclose, ...more });
  expect([answer.status, answer.body]).toEqual([201, expect.any(Object)]);
  const [url, secret] = answer.body.url.split('#') as [string, string];
  return { ...answer.body, secret, path: new URL(url).pathname as string };
};
type Made = Awaited<ReturnType<typeof make>>;
const open = ({ path, secret }: Pick<Made, 'path' | 'secret'>, headers: Record<string, string> = {}) =>
  service.call('POST', path, { key: null, body: { secret }, headers });
const bundleOf = async (made: Made) => {
  const answer = await open(made);
  expect(answer.status).toBe(200);
  return readBundle(answer.raw);
};
const opened = (bundle: ReturnType<typeof readBundle>) => parseOpenings(bundle.get('openings.json')!);

describe('what a share discloses', () => {
  test('is the whole message and its outcome, without the request that it was made of', async () => {
    const bundle = await bundleOf(await make(ALL));
    expect((await verifyEntries(bundle, { sha256, now: clock.now() })).valid).toBe(true);
    expect(Buffer.from(bundle.get('message.eml')!).toString()).toContain('Contrato secreto');
    expect(bundle.has('submission.bin')).toBe(false);
    expect(opened(bundle)).toMatchObject({ content: 'disclosed', envelope: { rcpt_to: expect.anything() } });
    for (const bytes of bundle.values()) expect(Buffer.from(bytes).includes('nobody else sees')).toBe(false);
  });

  test('is parts alone: nothing says to whom it went or what else it held', async () => {
    const bundle = await bundleOf(await make({ message: false, parts: [1], delivery: false }));
    expect((await verifyEntries(bundle, { sha256, now: clock.now() })).valid).toBe(true);
    expect(Buffer.from(bundle.get('parts/01.bin')!).toString()).toBe('the contract');
    expect([...bundle.keys()].filter((name) => /^(message|submission|delivery|parts)/.test(name))).toEqual([
      'parts/01.bin',
    ]);
    for (const bytes of bundle.values())
      expect(/ana@sandbox\.test|Contrato secreto|Hello Ana/.test(Buffer.from(bytes).toString())).toBe(false);
  });

  test('comes as one JSON document to who prefers that', async () => {
    const answer = await open(await make(ALL), { accept: 'application/json' });
    expect(answer.body.entries.map(({ name }: { name: string }) => name)).toContain('message.eml');
    expect(answer.headers['cache-control']).toBe('no-store');
  });
});

describe('a link that opens nothing', () => {
  test('answers one 404, byte for byte, whatever is wrong with it', async () => {
    const good = await make(ALL);
    const revoked = await make(ALL);
    const path = `/messages/${message}/shares/${revoked.id}`;
    expect((await developer.call('DELETE', path)).status).toBe(204);
    expect((await developer.call('DELETE', path)).status).toBe(204);
    const expired = await make(ALL, { expires_at: inDays(1) });
    daysLater = 2;
    await signIn();
    const wrong = [
      { path: good.path, secret: `${good.secret.slice(0, -1)}${good.secret.endsWith('A') ? 'B' : 'A'}` },
      { path: good.path, secret: revoked.secret },
      { path: good.path, secret: '' },
      { path: good.path, secret: '\0' },
      { path: `/prove/${newId()}`, secret: good.secret },
      { path: '/prove/x', secret: good.secret },
      revoked,
      expired,
    ];
    const answers = await Promise.all(wrong.map((each) => open(each)));
    expect(answers.map(({ status }) => status)).toEqual(wrong.map(() => 404));
    expect(new Set(answers.map(({ raw }) => raw.toString())).size).toBe(1);
    expect((await open(good)).status).toBe(200);
  });

  test('is no help to somebody who tries again and again', async () => {
    const made = await make(ALL);
    const opened = () => Promise.all(Array.from({ length: 25 }, () => open(made)));
    const answers = await clock.held(opened);
    const limited = answers.filter(({ status }) => status === 429);
    expect(limited).toHaveLength(5);
    expect(limited[0]!.headers['retry-after']).toBeDefined();
    const { data } = (await viewer.call('GET', `/messages/${message}/shares`)).body;
    expect(data[0].opened).toBe(answers.length - limited.length);
  });
});

describe('an opening', () => {
  test('is counted, and in the access log with the note of its share', async () => {
    const made = await make(ALL, { note: 'Notaría 12' });
    await open(made);
    await open(made);
    const { data } = (await viewer.call('GET', `/messages/${message}/shares`)).body;
    expect(data[0]).toEqual({
      id: made.id,
      message_id: message,
      disclose: ALL,
      note: 'Notaría 12',
      created_by: { id: developer.userId, name: 'ana@people.test' },
      created_at: made.created_at,
      expires_at: made.expires_at,
      revoked_at: null,
      opened: 2,
      last_opened_at: expect.stringMatching(/Z$/),
      case: null,
    });
    const log = (await viewer.call('GET', '/verifications?limit=2')).body.data;
    const actor = { kind: 'share', id: made.id, name: 'Notaría 12' };
    expect(log).toMatchObject([
      { actor, message_id: message, result: 'opened', client_address: '127.0.0.1' },
      { actor, message_id: message, result: 'opened' },
    ]);
  });

  test('of a share whose account is suspended shows nothing', async () => {
    const made = await make(ALL);
    const status = (value: string) =>
      service.db.execute('update tenants set status = $1 where tenant_id = $2', [
        value,
        service.account.tenantId,
      ]);
    await status('suspended');
    expect((await open(made)).status).toBe(404);
    await status('active');
    expect((await open(made)).status).toBe(200);
  });
});

describe('to share', () => {
  test.each([
    ['nothing at all', { disclose: { message: false, parts: [], delivery: false } }, 'shows nothing'],
    ['a part that there is not', { disclose: { message: false, parts: [2], delivery: false } }, 'no part 2'],
    ['into the past', { expires_at: '2020-01-01T00:00:00Z' }, 'has passed'],
    ['for ever', { expires_at: '2099-01-01T00:00:00Z' }, '366 days'],
    ['until some day', { expires_at: 'tomorrow' }, 'RFC 3339'],
    ['until the 31st of February', { expires_at: '2027-02-31T00:00:00Z' }, 'RFC 3339'],
    ['with a note of two lines', { note: 'a\nb' }, 'note'],
  ])('%s is refused', async (_what, change, said) => {
    const answer = await share({ expires_at: inDays(7), disclose: ALL, ...change });
    expect([answer.status, answer.body.error?.code]).toEqual([400, 'invalid_body']);
    expect(answer.body.error.message).toContain(said);
  });

  test('needs a sealed message of the own account, and the right to send', async () => {
    const body = { expires_at: inDays(7), disclose: ALL };
    const plain = (await service.send({ certified: false })).body.id;
    expect((await share(body, plain)).body.error.code).toBe('missing_proof_data');
    expect((await share(body, newId())).body.error.code).toBe('not_found');
    const refused = await viewer.call('POST', `/messages/${message}/shares`, body);
    expect(refused.body.error.code).toBe('insufficient_scope');
    const stranger = await makeTenant(service);
    const made = await make(ALL);
    const other = await signedIn(service, stranger.tenantId, 'owner');
    for (const [method, path] of [
      ['POST', `/messages/${message}/shares`],
      ['GET', `/messages/${message}/shares`],
      ['DELETE', `/messages/${message}/shares/${made.id}`],
    ] as const) {
      const answer = await other.call(method, path, method === 'POST' ? body : undefined);
      expect([method, answer.body.error.code]).toEqual([method, 'not_found']);
    }
    expect((await open(made)).status).toBe(200);
  });

  test('goes so many times for one message', async () => {
    const { id } = await sealMessage(service);
    const body = { expires_at: inDays(7), disclose: ALL };
    for (let i = 0; i < 50; i++) expect((await share(body, id)).status).toBe(201);
    expect((await share(body, id)).body.error.code).toBe('conflict');
    const page = (await viewer.call('GET', `/messages/${id}/shares?limit=100`)).body;
    expect(page.data).toHaveLength(50);
    await developer.call('DELETE', `/messages/${id}/shares/${page.data[7].id}`);
    expect((await share(body, id)).status).toBe(201);
  });
});

test('the secret is stored as a hash, and no answer but the first has it', async () => {
  const made = await make(ALL);
  const rows = await service.db.query('select s::text as row from shares s');
  expect(JSON.stringify(rows)).not.toContain(made.secret);
  const list = await viewer.call('GET', `/messages/${message}/shares`);
  expect(list.raw.toString()).not.toContain(made.secret);
});

test('after an erasure a share proves that there was a message, and shows nothing of it', async () => {
  const sent = await sealMessage(service, { subject: 'Gone' });
  const answer = await share({ expires_at: inDays(7), disclose: ALL }, sent.id);
  const [url, secret] = answer.body.url.split('#');
  const { db, account } = service;
  await service.call('POST', `/v1/messages/${sent.id}/cancel`);
  const erasure = await eraseMessage(
    { db, clock, certifiedYears: 10 },
    { messageId: sent.id, tenantId: account.tenantId, reason: 'asked', by: 'test', force: true },
  );
  expect(erasure.kind).toBe('erased');
  const shown = await open({ path: new URL(url).pathname, secret });
  expect(shown.status).toBe(200);
  const bundle = readBundle(shown.raw);
  expect((await verifyEntries(bundle, { sha256, now: clock.now() })).valid).toBe(true);
  expect(bundle.has('message.eml')).toBe(false);
});
