import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { eventually } from '@acuse/testkit/eventually';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { delayEffects } from './support/late-effects.ts';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';
import { pressAnyway } from './support/press.ts';
import { type Receiver, startReceiver } from './support/receiver.ts';

describe.skipIf(!hasBrowser)('Webhooks (skipped: needs chromium)', () => {
  let portal: Portal;
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
    portal = await startPortal();
  });
  afterAll(async () => {
    await portal?.stop();
    await receiver?.close();
  });
  beforeEach(() => receiver.answer((response) => response.writeHead(204).end()));

  const hook = async (events = ['email.sent']): Promise<{ id: string; secret: string }> =>
    (await portal.api('POST', '/v1/webhooks', { url: receiver.url, events })).body;
  const deliveriesOf = async (id: string) =>
    (await portal.api('GET', `/v1/webhooks/${id}/deliveries`)).body.data;
  const pre = (place: Locator, label: string) =>
    place.getByRole('button', { name: `Copy ${label}` }).locator('xpath=../following-sibling::pre');

  test('an endpoint is added from Home, its secret shown once, and a test shows what came back', async () => {
    const { page, visit, watch, close } = await portal.asOwner();
    await visit('/');
    await page.getByRole('link', { name: 'Add an endpoint' }).click();
    await page.getByText('No endpoints').waitFor();
    await page.getByRole('button', { name: 'Add endpoint' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Add endpoint' });
    await dialog.getByRole('button', { name: 'Add endpoint' }).click();
    await dialog.getByText('Enter the URL of your endpoint.').waitFor();
    await dialog.getByLabel('URL').fill('ftp://example.com');
    await dialog.getByRole('button', { name: 'Add endpoint' }).click();
    await dialog.getByText('Something in the form is not right.').waitFor();
    await dialog.getByLabel('URL').fill(receiver.url);
    await dialog.getByLabel('Description').fill('ERP');
    await dialog.getByRole('checkbox', { name: /All events/ }).uncheck();
    await dialog.getByRole('checkbox', { name: /email\.bounced/ }).check();
    await dialog.getByRole('button', { name: 'Add endpoint' }).click();
    const shown = page.getByRole('dialog', { name: 'The signing secret' });
    const secret = await shown.locator('pre').innerText();
    await shown.getByRole('button', { name: 'I have copied it' }).click();

    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText(/^Delivered: answered 204 in/).waitFor();
    const body = await pre(page.locator('main'), 'Body, exactly as sent').innerText();
    expect(body).toBe(receiver.bodies.at(-1));
    expect(await page.content()).not.toContain(secret);
    const field = page.getByLabel('Signing secret');
    await field.fill('whsec_c29tZWJvZHkgZWxzZQ==');
    await page.getByText('The signature was made with another secret.').waitFor();
    await field.fill(secret);
    await page.getByText('The signature was made with this secret.').waitFor();

    receiver.answer((response) => response.writeHead(500).end('<script>alert(1)</script>'));
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText(/^Not delivered: answered 500 in/).waitFor();
    expect(await pre(page.locator('main'), 'Answer body, first 4 KiB').innerText()).toBe(
      '<script>alert(1)</script>',
    );
    await visit('/webhooks');
    await page.getByRole('link', { name: receiver.url }).waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('a failed delivery shows each attempt with its answer, escaped, and is replayed', async () => {
    const { id, secret } = await hook();
    const markup = '<img src="https://tracker.example/x.gif"><script>document.title = "taken"</script>';
    receiver.answer((response) => response.writeHead(503, { 'x-why': '<b>full</b>' }).end(markup));
    await portal.send();
    await eventually(async () => (await deliveriesOf(id))[0]?.attempts >= 1);
    const { page, visit, watch, close } = await portal.asOwner();
    await visit(`/webhooks/${id}`);
    await page.getByText(/^Since .* It is turned off on/).waitFor();
    await page.getByRole('link', { name: /^Pending.*open email\.sent$/ }).click();
    // The newest attempt is open; the next has the same answer.
    const first = page.locator('details[open]');
    await first.getByText('503', { exact: true }).waitFor();
    expect(await pre(first, 'Answer body, first 4 KiB').innerText()).toBe(markup);
    expect(await pre(first, 'Answer headers').innerText()).toContain('x-why: <b>full</b>');
    // The second attempt follows by itself, and the page shows it without a reload.
    await page.locator('summary').filter({ hasText: 'Attempt 2' }).waitFor();
    await page.getByText('What helps', { exact: true }).waitFor();
    await page.getByText('The program is overloaded or down.').waitFor();
    await page.getByRole('link', { name: 'All deliveries' }).click();
    await page.getByText('It answered 503. The program is overloaded or down.').waitFor();
    await page.goBack();

    receiver.answer((response) => response.writeHead(200).end('thanks'));
    await page.getByRole('button', { name: 'Deliver again' }).click();
    const third = page.locator('details').filter({ hasText: 'Attempt 3' });
    await third.locator('summary').getByText('200').waitFor();
    await page.getByText('Delivered', { exact: true }).waitFor();
    expect(await page.getByText('What helps', { exact: true }).count()).toBe(0);
    await page.getByLabel('Signing secret').fill(secret);
    const sent = pre(third, 'Request headers');
    await sent.getByText('webhook-signature: v1,').waitFor();
    const body = receiver.bodies.at(-1)!;
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    expect(await sent.innerText()).toContain(`Service-Signature: sha256=${signature}`);
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('all that failed is replayed at once, after the number was said', async () => {
    const { id } = await hook(['email.queued']);
    // The first answer turns the endpoint off: it comes once all three wait.
    const held: ServerResponse[] = [];
    receiver.answer((response) => held.push(response));
    for (const n of [1, 2, 3]) await portal.send({ subject: `Invoice ${n}` });
    await eventually(async () => held.length > 0 && (await deliveriesOf(id)).length === 3);
    receiver.answer((response) => response.writeHead(410).end());
    for (const response of held) response.writeHead(410).end();
    await eventually(async () => {
      const rows = await deliveriesOf(id);
      return rows.length === 3 && rows.every(({ status }: { status: string }) => status === 'failed');
    });
    receiver.answer((response) => response.writeHead(204).end());
    const { page, visit, watch, close } = await portal.asOwner();
    await visit(`/webhooks/${id}/deliveries?status=failed`);
    await page.getByText('It answered 410: it wants no more events.').waitFor();
    await page.getByRole('button', { name: 'Deliver missed events…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('3 failed deliveries are sent again.').waitFor();
    const replay = dialog.getByRole('button', { name: 'Deliver 3 again' });
    expect(await replay.getAttribute('aria-disabled')).toBe('true');
    await dialog.getByText(/the endpoint is off/).waitFor({ state: 'attached' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByText('Active', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Deliver missed events…' }).click();
    await dialog.getByRole('button', { name: 'Deliver 3 again' }).click();
    await page.getByText('Queued again: 3').waitFor();
    await eventually(async () =>
      (await deliveriesOf(id)).every(({ status }: { status: string }) => status === 'delivered'),
    );
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('what waits for its next attempt is tried at once when the program is repaired', async () => {
    const { id } = await hook();
    receiver.answer((response) => response.writeHead(503).end());
    for (const n of [1, 2]) await portal.send({ subject: `Invoice ${n}` });
    // The next attempt is five minutes away.
    await eventually(async () => {
      const rows = await deliveriesOf(id);
      return rows.length === 2 && rows.every(({ attempts }: { attempts: number }) => attempts === 2);
    });
    receiver.answer((response) => response.writeHead(204).end());
    const { page, visit, watch, close } = await portal.asOwner();
    await visit(`/webhooks/${id}`);
    await page.getByRole('button', { name: 'Deliver missed events…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 deliveries that wait for their next attempt are tried now.').waitFor();
    await dialog.getByRole('button', { name: 'Deliver 2 again' }).click();
    await page.getByText('Queued again: 2').waitFor();
    await eventually(async () =>
      (await deliveriesOf(id)).every(({ status }: { status: string }) => status === 'delivered'),
    );
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('who types and leaves at once is asked first, however late effects come', async () => {
    const { id } = await hook();
    const { page, visit, close } = await portal.asOwner({ ownProfile: true });
    await delayEffects(page, 1000);
    await visit(`/webhooks/${id}/settings`);
    await page.getByLabel('Description').fill('ERP, production');
    await page.getByRole('link', { name: 'Messages' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByLabel('Description').inputValue()).toBe('ERP, production');
    await close();
  });

  test('settings are changed, leaving asks first, the secret is rotated and the endpoint deleted', async () => {
    const { id, secret } = await hook();
    const { page, visit, watch, close } = await portal.asOwner();
    await visit(`/webhooks/${id}/settings`);
    await page.getByLabel('Description').fill('ERP, production');
    await page.getByRole('link', { name: 'Messages' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByLabel('Description').inputValue()).toBe('ERP, production');
    await page.getByRole('checkbox', { name: 'Deliver events' }).uncheck();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Somebody turned it off.').waitFor();
    expect((await portal.api('GET', `/v1/webhooks/${id}`)).body).toMatchObject({
      description: 'ERP, production',
      enabled: false,
    });
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
    const shown = page.getByRole('dialog', { name: 'The signing secret' });
    expect(await shown.locator('pre').innerText()).not.toBe(secret);
    await shown.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('button', { name: 'Delete endpoint' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete endpoint' }).click();
    await page.waitForURL(/\/webhooks$/);
    expect((await portal.api('GET', `/v1/webhooks/${id}`)).status).toBe(404);
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('a viewer reads all of it, and each button says why it does nothing', async () => {
    const { id } = await hook();
    const { page, visit, watch, close } = await portal.asViewer();
    await visit(`/webhooks/${id}/test`);
    const button = page.getByRole('button', { name: 'Send a test' });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    expect(await button.getAttribute('title')).toContain('your role may read only');
    await visit(`/webhooks/${id}/settings`);
    await pressAnyway(page.getByRole('button', { name: 'Save changes' }));
    await pressAnyway(page.getByRole('button', { name: 'Delete endpoint' }));
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });
});
