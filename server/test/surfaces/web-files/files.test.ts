import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../support/service.ts';

/** The portal as files, as the build made them. */
describe('the files of the portal', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service?.stop());

  const get = (path: string, headers: Record<string, string> = {}) =>
    service.call('GET', path, { key: null, headers });

  async function anAsset(): Promise<string> {
    const { body } = await get('/portal');
    return /\/portal\/assets\/[\w-]+\.js/.exec(body)![0];
  }

  const POLICY =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types acuse";

  test('the page and every asset carry the policy, and nothing that it forbids', async () => {
    for (const path of ['/portal', '/portal/', '/portal/messages/1/evidence', await anAsset()]) {
      for (const method of ['GET', 'HEAD']) {
        const { status, headers } = await service.call(method, path, { key: null });
        expect([path, status]).toEqual([path, 200]);
        expect(headers).toMatchObject({
          'content-security-policy': POLICY,
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'cross-origin-opener-policy': 'same-origin',
        });
        expect(headers['strict-transport-security']).toBeUndefined();
      }
    }
    const { body } = await get('/portal');
    expect(body).not.toMatch(/<style|<script(?![^>]*\ssrc=)|\son\w+=|\sstyle=|https?:/);
  });

  test('the page is asked for each time, an asset is kept for ever', async () => {
    const page = await get('/portal/');
    expect(page.headers['cache-control']).toBe('no-cache');
    const again = await get('/portal/', { 'if-none-match': String(page.headers['etag']) });
    expect([again.status, again.raw.length]).toEqual([304, 0]);
    const asset = await get(await anAsset());
    expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });

  test('in brotli, in gzip and plain it is the same file', async () => {
    const path = await anAsset();
    const plain = await get(path);
    expect(plain.headers['content-encoding']).toBeUndefined();
    const [br, gz] = [
      await get(path, { 'accept-encoding': 'gzip, deflate, br' }),
      await get(path, { 'accept-encoding': 'br;q=0, gzip' }),
    ];
    expect([br.headers['content-encoding'], gz.headers['content-encoding']]).toEqual(['br', 'gzip']);
    expect(brotliDecompressSync(br.raw).equals(plain.raw)).toBe(true);
    expect(gunzipSync(gz.raw).equals(plain.raw)).toBe(true);
    expect([br.headers['vary'], plain.headers['vary']]).toEqual(['Accept-Encoding', 'Accept-Encoding']);
  });

  test('what is no file is a page for the application to know, an unknown asset is 404', async () => {
    const { body } = await get('/portal');
    expect((await get('/portal/no/such/page')).body).toBe(body);
    for (const path of [
      '/portal/assets/none.js',
      '/portal/assets/../../acuse.mjs',
      '/portal/assets/%2e%2e/x',
    ])
      expect((await get(path)).body).not.toContain('import');
    expect((await get('/portal/assets/none.js')).status).toBe(404);
    expect((await get('/portal/manifest.json')).body).toBe(body);
  });

  test('a link with marks of those who sent it opens, and other methods are refused', async () => {
    expect((await get('/portal?utm_source=mail')).status).toBe(200);
    expect((await service.call('POST', '/portal', { key: null })).status).toBe(405);
  });
});

test('under https browsers are told to stay with it', async () => {
  const service = await startTestService({ environment: { ACUSE_PUBLIC_URL: 'https://mail.example.com' } });
  const { headers } = await service.call('GET', '/portal', { key: null });
  expect(headers['strict-transport-security']).toBe('max-age=31536000');
  await service.stop();
});
