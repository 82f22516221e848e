import { eventually } from '@acuse/testkit/eventually';
import { type HttpsReceiver, startHttpsReceiver } from '@acuse/testkit/https-receiver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';

const PIXEL =
  '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8" fill="teal"/></svg>';

describe.skipIf(!hasBrowser)('what a message loads (skipped: needs chromium)', () => {
  let portal: Portal;
  /** A sender's server, which would learn who reads. */
  let host: HttpsReceiver;
  beforeAll(async () => {
    host = await startHttpsReceiver();
    host.answer(() => ({
      kind: 'status',
      status: 200,
      headers: { 'content-type': 'image/svg+xml' },
      body: PIXEL,
    }));
    portal = await startPortal();
  });
  afterAll(async () => {
    await portal?.stop();
    await host?.close();
  });

  const at = (path: string) => host.url(path, '127.0.0.1');
  const asked = () => host.requests.map(({ path }) => path).sort();

  test('nothing; with leave its images, once for this view, and nothing else', async () => {
    const html = `<html><head><meta http-equiv="refresh" content="0;url=${at('/refresh')}">
      <link rel="stylesheet" href="${at('/style')}"><style>@import "${at('/import')}";</style>
      <script src="${at('/script')}"></script></head><body onload="fetch('${at('/load')}')"><h1>Factura</h1>
      <img src="${at('/logo.svg')}" alt="Logo"><img src="${at('/pixel.svg?reader=ana')}" alt="">
      <form action="${at('/form')}"><button autofocus>Pagar</button></form><iframe src="${at('/frame')}"></iframe>
      <video src="${at('/video')}" autoplay></video><a href="${at('/link')}">aquí</a></body></html>`;
    const id = await portal.send({ subject: 'Factura con imágenes', html });
    const { page, visit, watch, close } = await portal.asViewer({ ignoreHTTPSErrors: true });
    await visit(`/messages/${id}/content`);
    const frame = page.frameLocator('iframe');
    await frame.getByRole('heading', { name: 'Factura' }).waitFor();
    await page.waitForLoadState('networkidle');
    expect([asked(), host.connections, watch.foreign]).toEqual([[], 0, []]);

    await page.getByText('Their servers learn that somebody opened').waitFor();
    await page.getByRole('button', { name: 'Load remote images' }).click();
    await eventually(() => asked().length >= 2);
    const logo = frame.getByAltText('Logo');
    await eventually(() => logo.evaluate((image) => (image as HTMLImageElement).naturalWidth > 0));
    await page.waitForLoadState('networkidle');
    expect(asked()).toEqual(['/logo.svg', '/pixel.svg?reader=ana']);
    expect(watch.foreign.splice(0).sort()).toEqual([at('/logo.svg'), at('/pixel.svg?reader=ana')]);
    for (const { headers } of host.requests)
      expect([headers['referer'], headers['cookie']], 'says nothing about the reader').toEqual([
        undefined,
        undefined,
      ]);

    await page.reload();
    await frame.getByRole('heading', { name: 'Factura' }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(asked()).toHaveLength(2);
    await close();
  });

  test('what an archive alone has is said to be read from there, in the words of the reader', async () => {
    const id = await portal.send({ subject: 'Factura archivada' });
    const message = async () => (await portal.api('GET', `/v1/messages/${id}`)).body;
    await eventually(async () => (await message()).sealed_at !== null);
    const archived = { ...(await message()), content_archived_in: '2026-08' };
    for (const [locale, notice] of [
      ['en-US', 'Read from the archive of August 2026'],
      ['es-MX', 'Se lee del archivo de agosto de 2026'],
    ] as const) {
      const { page, visit, close } = await portal.asViewer({ locale });
      await visit(`/messages/${id}/content`);
      await page.locator('iframe, pre').first().waitFor();
      expect(await page.getByText(notice).count()).toBe(0);
      await page.route(`**/v1/portal/messages/${id}`, (route) => route.fulfill({ json: archived }));
      for (const tab of ['content', 'evidence']) {
        await visit(`/messages/${id}/${tab}`);
        await page.getByText(notice).waitFor();
      }
      await close();
    }
  });

  test('a text that is not UTF-8 and names no charset is shown on the console, and said to be guessed', async () => {
    const note = {
      filename: 'nota.txt',
      content_type: 'text/plain',
      content_id: 'nota',
      content: Buffer.from('La contrase\xf1a expir\xf3.', 'latin1').toString('base64'),
    };
    const id = await portal.send({ html: '<p>Vea la nota.</p>', attachments: [note] });
    const { page, visit, close } = await portal.asOperator();
    await visit(`/messages/${id}`);
    await page.getByRole('button', { name: 'Open content…' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('ticket 4711');
    await page.getByRole('dialog').getByRole('button', { name: 'Open content' }).click();
    await page.getByRole('button', { name: 'Show nota.txt' }).click();
    await page.getByText('La contraseña expiró.').waitFor();
    await page.getByText('it is shown as Windows-1252').waitFor();
    await close();
  });
});
