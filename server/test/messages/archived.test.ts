import { rmSync } from 'node:fs';
import { readBundle } from '@acuse/evidence/bundle';
import { readCase } from '@acuse/evidence/case-file';
import { verifyEntries } from '@acuse/evidence/verify';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { archiveWithin } from '../../src/evidence/archive/archive-place.ts';
import { createArchive } from '../../src/evidence/archive/create.ts';
import { dropArchived } from '../../src/evidence/archive/drop.ts';
import { openArchiveFolder } from '../../src/evidence/archive/open-archive.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { timeOf } from '../../src/platform/ids.ts';
import { sha256 } from '../../src/platform/sha256.ts';
import { sealAll, worldOf } from '../evidence/seal-all.ts';
import { sealerOf } from '../evidence/support.ts';
import { type Person, signedIn } from '../support/people.ts';
import { sealMessage } from '../support/sealed.ts';
import { newKey, startTestService, type TestService } from '../support/service.ts';

/** What the API answers of a message whose content is in an archive alone. */

const DAY_MS = 86_400_000;
const ATTACHMENT = { filename: 'a.pdf', content_type: 'application/pdf', content: 'JVBERi0xLjcK' };

let service: TestService;
let developer: Person;
let id: string;
let link: string;
let before: { raw: Buffer; bundle: Buffer; pdf: Buffer };
const root = tempFolder();

const get = (path: string, headers: Record<string, string> = {}) =>
  service.call('GET', `/v1/messages/${id}${path}`, { headers });
/** Of the link of another message, which anybody may have. */
const page = () => service.call('GET', link, { key: null });
const pdf = () => get('/proof-bundle', { accept: 'application/pdf' });

beforeAll(async () => {
  service = await startTestService();
  developer = await signedIn(service, service.account.tenantId, 'developer');
  const sealed = await sealMessage(service, { subject: 'Aviso', attachments: [ATTACHMENT] });
  id = sealed.id;
  expect((await service.call('POST', `/v1/messages/${id}/cancel`)).status).toBe(200);
  const asked = { subject: 'Acuse', attachments: [ATTACHMENT], acknowledgement: 'request' };
  const other = await sealMessage(service, asked);
  expect((await service.call('POST', `/v1/messages/${other.id}/cancel`)).status).toBe(200);
  [link = ''] = /\/a\/[a-z2-7]{26}/.exec(other.raw.toString().replaceAll('=\r\n', '')) ?? [];
  const { policy } = service.services.authority;
  await sealAll(worldOf(service), sealerOf({ url: `${sealed.base}/tsa`, policy }));
  const [raw, bundle] = [await get('/raw'), await get('/proof-bundle')];
  expect([raw.headers, bundle.headers].map((each) => each['service-content-source'])).toEqual([
    undefined,
    undefined,
  ]);
  before = { raw: raw.raw, bundle: bundle.raw, pdf: (await pdf()).raw };
  expect((await page()).raw.toString()).toContain('a.pdf');
  await drop();
});
afterAll(() => service?.stop());

/** As in three months. */
async function drop(): Promise<void> {
  const { tenantId } = service.account;
  const order = { tenantId, month: timeOf(id).toISOString().slice(0, 7) };
  const clock = { ...systemClock, now: () => new Date(Date.now() + 90 * DAY_MS) };
  const place = archiveWithin(openArchiveFolder(root), tenantId, order.month);
  await createArchive({ ...worldOf(service), clock }, place, order, { dryRun: false });
  const deps = { db: service.db, clock };
  expect(await dropArchived(deps, place, order, { dryRun: false, root })).toMatchObject({ dropped: 2 });
}

/** Without what is made anew for each bundle. */
function lasting(zip: Uint8Array): unknown {
  const anew = ['outcomes.note', 'SHA256SUMS', 'VERIFY.md', 'report.pdf'];
  return [...readBundle(zip)].filter(([name]) => !anew.includes(name));
}

describe('of an archived message', () => {
  test('the message says in which month’s archive its content is, in lists too', async () => {
    const month = timeOf(id).toISOString().slice(0, 7);
    const { body } = await get('');
    const { body: list } = await service.call('GET', '/v1/messages');
    const listed = list.data.find((each: { id: string }) => each.id === id);
    expect([body, listed].map((each) => each.content_archived_in)).toEqual([month, month]);
    const fresh = await service.send({ subject: 'Otro' });
    expect(fresh.body).not.toHaveProperty('content_archived_in');
    const read = await service.call('GET', `/v1/messages/${fresh.body.id}`);
    expect(read.body).not.toHaveProperty('content_archived_in');
  });

  test('the content and the bundle are those from before, and the answer says whence', async () => {
    const [raw, bundle] = [await get('/raw'), await get('/proof-bundle')];
    for (const { status, headers } of [raw, bundle])
      expect([status, headers['service-content-source']]).toEqual([200, 'archive']);
    expect(raw.raw.equals(before.raw)).toBe(true);
    expect(lasting(bundle.raw)).toEqual(lasting(before.bundle));
    const { verdict, valid } = await verifyEntries(readBundle(bundle.raw), { sha256, now: new Date() });
    expect([valid, verdict]).not.toContain('rejected');
    expect(valid).toBe(true);
  });

  test('no second time-stamp is bought for the PDF', async () => {
    const answer = await pdf();
    expect([answer.status, answer.raw.equals(before.pdf)]).toEqual([200, true]);
    const [row] = await service.db.query<{ count: number }>(
      'select count(*)::integer as count from pdf_certificates where message_id = $1',
      [id],
    );
    expect(row).toEqual({ count: 1 });
  });

  test('parts, verification, preview, case files and shares are as of any other', async () => {
    const parts = await get('/parts');
    expect(parts.body.parts.map((part: { filename: string }) => part.filename)).toContain('a.pdf');
    const verified = await service.call('POST', '/v1/verify', { body: { message_id: id } });
    expect([verified.status, verified.body.valid]).toEqual([200, true]);
    expect((await developer.call('GET', `/messages/${id}/preview`)).status).toBe(200);
    const file = await developer.call('POST', '/case-files', { name: 'Contract', message_ids: [id] });
    const [only] = readCase(file.raw, sha256);
    expect(readBundle(only!.bytes).has('message.eml')).toBe(true);
    const share = await developer.call('POST', `/messages/${id}/shares`, {
      expires_at: new Date(Date.now() + 7 * DAY_MS).toISOString(),
      disclose: { message: true, parts: [], delivery: true },
    });
    expect([share.status, share.body]).toEqual([201, expect.any(Object)]);
    const { pathname, hash } = new URL(share.body.url);
    const opened = await service.call('POST', pathname, { key: null, body: { secret: hash.slice(1) } });
    expect([opened.status, opened.raw.includes('message.eml')]).toEqual([200, true]);
  });

  test('the page of its link reads nothing from the archive: it stands without the attachments', async () => {
    const { status, raw } = await page();
    expect([status, raw.includes('Acuse'), raw.includes('a.pdf')]).toEqual([200, true, false]);
  });

  test('it is sent again from the archive', async () => {
    const answer = await service.call('POST', `/v1/messages/${id}/resend`, {
      headers: { 'idempotency-key': newKey() },
    });
    expect([answer.status, answer.body.subject]).toEqual([201, 'Aviso']);
  });

  test('whose archive is away nothing is answered but when to ask again, and its records', async () => {
    rmSync(root, { recursive: true });
    for (const path of ['/raw', '/parts']) {
      const { status, headers, body } = await get(path);
      expect([path, status, headers['retry-after'], body.error.code]).toEqual([
        path,
        503,
        '30',
        'unavailable',
      ]);
      expect(body.error.message).toContain('is in an archive, which cannot be reached');
    }
    const file = await developer.call('POST', '/case-files', { name: 'Contract', message_ids: [id] });
    expect([file.status, file.body.error.code]).toEqual([503, 'unavailable']);
    const verified = await service.call('POST', '/v1/verify', { body: { message_id: id } });
    expect(verified.status).toBe(503);
    const again = await service.call('POST', `/v1/messages/${id}/resend`, {
      headers: { 'idempotency-key': newKey() },
    });
    expect(again.status).toBe(503);
    expect((await get('')).body).toMatchObject({ subject: 'Aviso', status: 'cancelled' });
    expect((await get('/evidence')).body).toMatchObject({ content_deleted_at: null });
  });
});
