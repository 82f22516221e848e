import { readBundle } from '@acuse/evidence/bundle';
import { toHex } from '@acuse/evidence/bytes';
import { CASE_INDEX, looksLikeCase, readCase } from '@acuse/evidence/case-file';
import { verifyEntries } from '@acuse/evidence/verify';
import { readZip } from '@acuse/evidence/zip';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { eraseMessage } from '../../../src/operate/retention/erase.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { newId } from '../../../src/platform/ids.ts';
import { sha256 } from '../../../src/platform/sha256.ts';
import { holdableClock } from '../../support/holdable-clock.ts';
import { type Person, signedIn } from '../../support/people.ts';
import { sealMessage } from '../../support/sealed.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { makeTenant } from '../../support/tenants.ts';

/** Several messages in one file, or behind one link. */
let service: TestService;
let developer: Person;
let viewer: Person;
let first: string;
let second: string;
const clock = holdableClock();
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const ALL = { message: true, delivery: true };

beforeAll(async () => {
  service = await startTestService({ clock });
  const { tenantId } = service.account;
  developer = await signedIn(service, tenantId, 'developer', { email: 'ana@people.test' });
  viewer = await signedIn(service, tenantId, 'viewer');
  first = (await sealMessage(service, { subject: 'First notice' })).id;
  second = (await sealMessage(service, { subject: 'Second notice' })).id;
});
afterAll(() => service?.stop());

const ask = (body: object, by = viewer) => by.call('POST', '/case-files', body);
const share = async (body: object = {}) => {
  const whole = { name: 'Contract 77', message_ids: [second, first], expires_at: inDays(7), disclose: ALL };
  const answer = await developer.call('POST', '/case-files/shares', { ...whole, ...body });
  expect([answer.status, answer.body]).toEqual([201, expect.any(Object)]);
  const { pathname, hash } = new URL(answer.body.url);
  return { ...answer.body, path: pathname, secret: hash.slice(1) };
};
type Made = Awaited<ReturnType<typeof share>>;
const open = ({ path, secret }: Pick<Made, 'path' | 'secret'>, headers: Record<string, string> = {}) =>
  service.call('POST', path, { key: null, body: { secret }, headers });
const sharesOf = async (id: string) => (await viewer.call('GET', `/messages/${id}/shares`)).body.data;
const bundlesOf = (raw: Uint8Array) =>
  readCase(raw, sha256).map(({ name, bytes }) => ({ name, bundle: readBundle(bytes) }));

describe('a case file', () => {
  test('has the whole bundles in order of time, each of which verifies, and sums of all', async () => {
    const answer = await ask({ name: 'Contrato 77 — impago', message_ids: [second, first, second] });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/zip']);
    const found = bundlesOf(answer.raw);
    expect(found.map(({ name }) => name)).toEqual([`01-${first}.zip`, `02-${second}.zip`]);
    for (const { bundle } of found) {
      expect((await verifyEntries(bundle, { sha256, now: new Date() })).valid).toBe(true);
      expect([bundle.has('submission.bin'), bundle.has('report.pdf')]).toEqual([true, true]);
    }
    const entries = readZip(answer.raw, { entries: 9, totalBytes: 1e8, entryBytes: () => 1e8 });
    expect(Buffer.from(entries[0]!.bytes.subarray(0, 5)).toString()).toBe('%PDF-');
    const lines = entries.slice(0, -1).map(({ name, bytes }) => `${toHex(sha256(bytes))}  ${name}\n`);
    expect(Buffer.from(entries.at(-1)!.bytes).toString()).toBe(lines.join(''));
    expect(looksLikeCase(answer.raw)).toBe(true);
  });

  test('of a changed byte is refused as a whole', async () => {
    const { raw } = await ask({ name: 'X', message_ids: [first] });
    const at = raw.indexOf(CASE_INDEX) + 200;
    const changed = Buffer.from(raw);
    changed[at]! ^= 1;
    expect(() => readCase(changed, sha256)).toThrow();
  });

  test('takes sealed messages of the own account alone, and says which is none', async () => {
    const plain = (await service.send({ certified: false })).body.id;
    const refused = await ask({ name: 'X', message_ids: [first, plain] });
    expect(refused.body.error.code).toBe('missing_proof_data');
    expect(refused.body.error.message).toContain(plain);
    const unknown = newId();
    expect((await ask({ name: 'X', message_ids: [unknown] })).body.error.code).toBe('not_found');
    const stranger = await makeTenant(service);
    const other = await signedIn(service, stranger.tenantId, 'owner');
    const answer = await ask({ name: 'X', message_ids: [first] }, other);
    expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found']);
  });

  test.each([
    ['no name', { name: '', message_ids: ['x'] }],
    ['a name of two lines', { name: 'a\nb', message_ids: ['x'] }],
    ['no message', { name: 'X', message_ids: [] }],
    ['too many', { name: 'X', message_ids: Array.from({ length: 101 }, () => newId()) }],
  ])('with %s is refused', async (_what, body) => {
    const answer = await ask(body);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_body']);
  });
});

describe('a link to a case file', () => {
  test('opens what is disclosed of each message, and is counted and logged at each', async () => {
    const made = await share({ note: 'Juzgado 4' });
    expect(made).toMatchObject({ name: 'Contract 77', messages: 2 });
    const answer = await open(made, { accept: 'application/json' });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/zip']);
    const found = bundlesOf(answer.raw);
    expect(found.map(({ name }) => name)).toEqual([`01-${first}.zip`, `02-${second}.zip`]);
    for (const { bundle } of found) {
      expect((await verifyEntries(bundle, { sha256, now: new Date() })).valid).toBe(true);
      expect([bundle.has('message.eml'), bundle.has('submission.bin')]).toEqual([true, false]);
    }
    for (const id of [first, second]) {
      const [listed] = await sharesOf(id);
      expect(listed).toMatchObject({
        case: { id: made.id, name: 'Contract 77' },
        note: 'Juzgado 4',
        opened: 1,
      });
      const log = (await viewer.call('GET', `/verifications?message_id=${id}&limit=1`)).body.data;
      expect(log).toMatchObject([
        { actor: { kind: 'share', id: listed.id, name: 'Juzgado 4' }, message_id: id, result: 'opened' },
      ]);
    }
  });

  test('is no key to another link, nor another to it', async () => {
    const [made, other] = [await share(), await share()];
    expect((await open({ path: made.path, secret: other.secret })).status).toBe(404);
    expect((await open({ path: `/prove/${newId()}`, secret: made.secret })).status).toBe(404);
  });

  test('revoked at one of its messages opens nothing any longer', async () => {
    const made = await share();
    const [listed] = await sharesOf(second);
    expect((await developer.call('DELETE', `/messages/${second}/shares/${listed.id}`)).status).toBe(204);
    expect((await open(made)).status).toBe(404);
    const [other] = await sharesOf(first);
    expect([other.case.id, other.revoked_at]).toEqual([made.id, expect.any(String)]);
  });

  test('opened again and again has to wait', async () => {
    const made = await share({ message_ids: [first] });
    const opened = () => Promise.all(Array.from({ length: 12 }, () => open(made)));
    const statuses = (await clock.held(opened)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([...Array(5).fill(200), ...Array(7).fill(429)]);
  });

  test('of many links and at many clients is made two at a time', async () => {
    const { threads } = service.services;
    const run = threads.run.bind(threads);
    let making = 0;
    let most = 0;
    const watched = vi.spyOn(threads, 'run').mockImplementation(async (job, input, order) => {
      const isBundle = job.name === 'case-bundle';
      if (isBundle) most = Math.max(most, ++making);
      return run(job, input, order).finally(() => {
        if (isBundle) making--;
      });
    });
    const links = await Promise.all(Array.from({ length: 8 }, () => share()));
    const answers = await Promise.all(links.map((link) => open(link)));
    watched.mockRestore();
    expect(answers.map(({ status }) => status)).toEqual(links.map(() => 200));
    expect(most).toBe(2);
  });

  test('needs the right to send, a time, and something to show', async () => {
    const body = { name: 'X', message_ids: [first], expires_at: inDays(1), disclose: ALL };
    const refused = await viewer.call('POST', '/case-files/shares', body);
    expect(refused.body.error.code).toBe('insufficient_scope');
    const nothing = { ...body, disclose: { message: false, delivery: false } };
    for (const wrong of [{ ...body, expires_at: 'tomorrow' }, { ...body, expires_at: inDays(-1) }, nothing])
      expect((await developer.call('POST', '/case-files/shares', wrong)).body.error.code).toBe(
        'invalid_body',
      );
    expect((await sharesOf(first)).every((each: { case: unknown }) => each.case !== undefined)).toBe(true);
  });

  test('after an erasure shows nothing of that message, and proves that there was one', async () => {
    const gone = await sealMessage(service, { subject: 'Gone for good' });
    const made = await share({ message_ids: [first, gone.id] });
    const { db, account } = service;
    await service.call('POST', `/v1/messages/${gone.id}/cancel`);
    const erasure = await eraseMessage(
      { db, clock: systemClock, certifiedYears: 10 },
      { messageId: gone.id, tenantId: account.tenantId, reason: 'asked', by: 'test', force: true },
    );
    expect(erasure.kind).toBe('erased');
    const answer = await open(made);
    expect(answer.raw.includes('Gone for good')).toBe(false);
    const found = bundlesOf(answer.raw);
    expect(found.map(({ bundle }) => bundle.has('message.eml'))).toEqual([true, false]);
    expect((await verifyEntries(found[1]!.bundle, { sha256, now: new Date() })).valid).toBe(true);
  });
});
