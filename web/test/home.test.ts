import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { delayEffects } from './support/late-effects.ts';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';
import { startReceiver } from './support/receiver.ts';

interface Entry {
  readonly message_id: string;
  readonly actor: { readonly kind: string };
}

describe.skipIf(!hasBrowser)('the home page (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startPortal();
  });
  afterAll(() => portal?.stop());

  test('a message is sent from the checklist, and its steps are done without a reload', async () => {
    const { page, visit, watch, close } = await portal.asOwner({ ownProfile: true });
    // Whoever has seen the result of a check may leave at once.
    await delayEffects(page, 1000);
    await visit('/');
    const steps = page.getByRole('list').filter({ hasText: 'Watch it sealed' });
    const stepOf = (text: string) => steps.getByRole('listitem').filter({ hasText: text });
    expect(await stepOf('Send a message').innerText()).toContain('(To do)');
    await stepOf('Send a message').getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send message' }).click();
    await page.getByRole('heading', { level: 1, name: 'A test of Acuse' }).waitFor();
    await page.goBack();
    await stepOf('Watch it sealed').filter({ hasText: '(Done)' }).waitFor();
    expect(await stepOf('Send a message').innerText()).toContain('(Done)');
    expect(await stepOf('Verify it').innerText()).toContain('(To do)');

    await stepOf('Verify it').getByRole('button', { name: 'Check its evidence' }).click();
    await page.getByText('Checked in this browser').waitFor();
    await page.getByRole('link', { name: 'Home' }).first().click();
    await stepOf('Verify it').filter({ hasText: '(Done)' }).waitFor();
    // Checks after the first stay in the browser.
    await page.goBack();
    await page.reload();
    await page.getByText('Checked in this browser').waitFor();
    await page.waitForLoadState('networkidle');
    const { body: log } = await portal.api('GET', '/v1/verifications');
    const [, id] = /messages\/([^/]+)\//.exec(page.url())!;
    expect(log.data.map(({ message_id: of, actor }: Entry) => [of, actor.kind])).toEqual([[id, 'user']]);
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('the steps are put away by who has no use for the last of them', async () => {
    const { page, visit, close } = await portal.asOwner();
    await visit('/');
    const steps = page.getByRole('list').filter({ hasText: 'Watch it sealed' });
    await steps.waitFor();
    await page.getByRole('button', { name: 'Hide' }).click();
    await steps.waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Home');
    await page.reload();
    await page.getByText('Needs attention').waitFor();
    await page.getByText('1,000,000,000').first().waitFor();
    expect(await steps.count()).toBe(0);
    await close();
  });

  test('a webhook that fails is listed, and leads to its deliveries', async () => {
    const receiver = await startReceiver();
    receiver.answer((response) => response.writeHead(503).end());
    const { body: webhook } = await portal.api('POST', '/v1/webhooks', {
      url: receiver.url,
      events: ['email.queued'],
    });
    await portal.send();
    const { page, visit, watch, close } = await portal.asOwner();
    await visit('/');
    const row = page.getByRole('listitem').filter({ hasText: 'It is turned off on' });
    await row.filter({ hasText: 'Failing' }).getByRole('link', { name: receiver.url }).click();
    await page.waitForURL((url) => url.pathname.endsWith(`/webhooks/${webhook.id}/deliveries`));
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await portal.api('DELETE', `/v1/webhooks/${webhook.id}`);
    await close();
    await receiver.close();
  });

  test('what bounced is listed with what the server said, and leads to the message', async () => {
    const id = await portal.send({ to: 'bounced@sandbox.test', subject: 'Contract 77' });
    await eventually(async () => (await portal.api('GET', `/v1/messages/${id}`)).body.status === 'bounced');
    const { page, visit, watch, close } = await portal.asViewer();
    await visit('/');
    const row = page.getByRole('listitem').filter({ hasText: 'Contract 77' });
    expect(await row.innerText()).toContain('does not exist');
    const button = page.getByRole('button', { name: 'Send a test' }).first();
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await row.getByRole('link', { name: 'Contract 77' }).click();
    await page.getByRole('heading', { level: 1, name: 'Contract 77' }).waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });
});
