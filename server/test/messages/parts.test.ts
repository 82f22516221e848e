import { createHash, randomBytes } from 'node:crypto';
import { messageLayers } from '@acuse/evidence/layers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LARGE_BYTES } from '../../src/messages/large-bodies.ts';
import { attachmentHeader } from '../../src/platform/http/download.ts';
import { newId } from '../../src/platform/ids.ts';
import { sha256 } from '../../src/platform/sha256.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { makeTenant } from '../support/tenants.ts';

/** `GET /v1/messages/{id}/parts` and `/parts/{index}`. */
let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const partsOf = (id: string, key?: string) =>
  service.call('GET', `/v1/messages/${id}/parts`, { ...(key !== undefined && { key }) });
const partOf = (id: string, index: number | string) =>
  service.call('GET', `/v1/messages/${id}/parts/${index}`);

const HTML =
  '<p>Pay <a href="https://pay.example@evil.example/">https://pay.example</a><img src="https://track.example/1.png"><img src="cid:logo"></p><script>alert(1)</script>';
const FILE = randomBytes(1_000);
const WITH_FILE = {
  text: 'See https://example.com/a.',
  html: HTML,
  attachments: [
    { filename: 'résumé "1".pdf', content_type: 'application/pdf', content: FILE.toString('base64') },
  ],
};

describe('parts', () => {
  test('are listed with the hashes of the evidence, the links with where they lead', async () => {
    const { body: sent } = await service.send({ ...WITH_FILE, certified: true });
    const { status, body } = await partsOf(sent.id);
    expect(status).toBe(200);
    const { raw } = await service.call('GET', `/v1/messages/${sent.id}/raw`);
    const sealed = messageLayers(raw, sha256).parts;
    expect(
      body.parts.map(({ filename, media_type, sha256: hash, size_bytes: size }: Record<string, unknown>) => ({
        filename,
        media_type,
        sha256: hash,
        size,
      })),
    ).toEqual(sealed);
    expect(body.parts.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2]);
    expect(body.headers[0].name).toBe('Service-Evidence');
    expect(body.headers).toContainEqual({ name: 'Subject', value: 'Hello' });
    expect(body.links).toEqual([
      { part: 0, url: 'https://example.com/a', text: 'https://example.com/a' },
      { part: 1, url: 'https://pay.example@evil.example/', text: 'https://pay.example' },
    ]);
    expect(body.remote).toEqual([{ part: 1, url: 'https://track.example/1.png' }]);
    expect(body.truncated).toBe(false);
  });

  test('are downloaded as files, whatever they are, and are what was hashed', async () => {
    const { body: sent } = await service.send(WITH_FILE);
    const { body } = await partsOf(sent.id);
    for (const { index, sha256: hash, size_bytes: size } of body.parts) {
      const { status, raw, headers } = await partOf(sent.id, index);
      expect([status, raw.length]).toEqual([200, size]);
      expect(createHash('sha256').update(raw).digest('hex')).toBe(hash);
      expect(headers).toMatchObject({
        'content-type': 'application/octet-stream',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "sandbox; default-src 'none'",
      });
      expect(headers['content-disposition']).toMatch(/^attachment; filename="[^"]+"/);
    }
    expect((await partOf(sent.id, 2)).raw).toEqual(FILE);
  });

  test('of a large message are read in a thread', async () => {
    const file = randomBytes(2 * LARGE_BYTES);
    const { body: sent } = await service.send({
      attachments: [
        { filename: 'big.bin', content_type: 'application/octet-stream', content: file.toString('base64') },
      ],
    });
    const { body } = await partsOf(sent.id);
    expect(body.parts[1]).toMatchObject({ filename: 'big.bin', size_bytes: file.length });
    expect((await partOf(sent.id, 1)).raw).toEqual(file);
    const jobs =
      (await service.services.metrics.text()).match(/acuse_thread_jobs_total\{.*read-part.*/g) ?? [];
    expect(jobs.sort()).toEqual([
      'acuse_thread_jobs_total{job="read-part",outcome="done"} 1',
      'acuse_thread_jobs_total{job="read-parts",outcome="done"} 1',
    ]);
  });

  test('that do not exist, or are of others, answer 404', async () => {
    const { body: sent } = await service.send();
    for (const index of ['1', '-1', '00', '1e3', '99999', 'x', '%00'])
      expect([index, (await partOf(sent.id, index)).status]).toEqual([index, 404]);
    const stranger = await makeTenant(service);
    expect((await partsOf(sent.id, stranger.key)).raw).toEqual((await partsOf(newId(), stranger.key)).raw);
    expect((await partsOf('x')).status).toBe(404);
  });

  test('that were deleted say when and why', async () => {
    const { body: sent } = await service.send();
    await service.db.execute('delete from message_contents where message_id = $1', [sent.id]);
    await service.db.execute(
      "insert into content_deletions (tenant_id, message_id, cause, deleted_at) values ($1, $2, 'retention', now())",
      [service.account.tenantId, sent.id],
    );
    for (const answer of [await partsOf(sent.id), await partOf(sent.id, 0)])
      expect([answer.status, answer.body.error.message]).toEqual([
        404,
        expect.stringContaining('because its retention period ended'),
      ]);
  });
});

test.each([
  [null, 'attachment; filename="part-1.bin"'],
  ['invoice.pdf', 'attachment; filename="invoice.pdf"'],
  ['ñ.pdf', `attachment; filename="_.pdf"; filename*=UTF-8''%C3%B1.pdf`],
  ['../../etc/passwd', 'attachment; filename=".._.._etc_passwd"'],
  ['a"\r\nSet-Cookie: x', `attachment; filename="a___Set-Cookie_ x"; filename*=UTF-8''a%22__Set-Cookie_%20x`],
  ['exe\u202efdp.', `attachment; filename="exe_fdp."`],
  ['..', 'attachment; filename="part-1.bin"'],
  ['\ud800', `attachment; filename="_"; filename*=UTF-8''%EF%BF%BD`],
  ["it's (1)*.txt", `attachment; filename="it_s _1__.txt"; filename*=UTF-8''it%27s%20%281%29%2A.txt`],
])('a file named %j is saved as such, and as nothing else', (name, header) => {
  expect(attachmentHeader(name, 'part-1.bin')).toBe(header);
});
