import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';

const HTML = '<p>Please pay <a href="https://example.com/pay">here</a>.</p>';

describe.skipIf(!hasBrowser)('approving what an agent sends (skipped: needs chromium)', () => {
  let portal: Portal;
  let key: string;
  beforeAll(async () => {
    portal = await startPortal();
    const asking = { name: '<b>Agent</b>', scopes: ['messages:send'], needs_approval: true };
    key = (await portal.api('POST', '/v1/api-keys', asking)).body.key;
  });
  afterAll(() => portal?.stop());

  async function send(idempotencyKey: string) {
    const answer = await fetch(`${portal.base}/v1/messages`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
      },
      body: JSON.stringify({
        ...{ from: 'billing@sandbox.test', to: 'ana@sandbox.test', subject: `About ${idempotencyKey}` },
        ...{ html: HTML, attachments: [{ filename: 'customers.csv', content: 'YSxiCg==' }] },
      }),
    });
    const body = (await answer.json()) as { id: string; error: { code: string; message: string } };
    return { status: answer.status, body };
  }

  test('a message is seen as its recipient would, approved, and then sent', async () => {
    const asked = await send('approved-in-the-portal');
    expect([asked.status, asked.body.error.code]).toEqual([403, 'approval_required']);
    const { page, visit, watch, close } = await portal.asOwner();
    await visit('/');
    await page.getByRole('link', { name: 'Approvals 1 waiting' }).click();
    await page.getByRole('link', { name: 'About approved-in-the-portal' }).click();
    await page.getByText('<b>Agent</b>').waitFor();
    await page.getByText('customers.csv (4 B)').waitFor();
    await page.getByText('https://example.com/pay').waitFor();
    await page.frameLocator('iframe').getByText('Please pay').waitFor();
    await page.getByRole('button', { name: 'Approve and send' }).click();
    await page.getByText(/^Approved by /).waitFor();
    await page.getByRole('link', { name: 'Approvals', exact: true }).waitFor();
    const again = await send('approved-in-the-portal');
    expect(again.status).toBe(200);
    await page.getByRole('link', { name: 'See the message' }).click();
    await page.waitForURL(new RegExp(`/messages/${again.body.id}`));
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('a message that is refused is not sent', async () => {
    const { body } = await send('refused-in-the-portal');
    const { page, visit, watch, close } = await portal.asOwner();
    await visit(new URL(body.error.message.split(' ').at(-1)!).pathname.replace('/portal', ''));
    await page.getByRole('button', { name: 'Refuse', exact: true }).click();
    await page.getByText(/^Refused by /).waitFor();
    expect((await send('refused-in-the-portal')).body.error.code).toBe('approval_refused');
    await visit('/approvals');
    await page.getByRole('heading', { name: 'Nothing waits' }).waitFor();
    expect(watch.violations).toEqual([]);
    await close();
  });
});
