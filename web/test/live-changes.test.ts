import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, type Portal, startPortal, type Visitor } from './support/portal.ts';

/**
 * Another browser shows a change without a reload. The other one's own repeated reads are
 * switched off, so that only a hint can be what tells it.
 */
describe.skipIf(!hasBrowser)('live without a reload (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startPortal();
  });
  afterAll(() => portal?.stop());

  /** Timers of three seconds and more never fire in this browser: no polling, and no end of a session. */
  async function withoutPolling(visitor: Visitor): Promise<Visitor> {
    await visitor.context.addInitScript(() => {
      const LONG_MS = 3_000;
      const own = globalThis.setInterval.bind(globalThis);
      globalThis.setInterval = ((run: () => void, ms = 0) =>
        ms >= LONG_MS ? own(() => {}, 2 ** 30) : own(run, ms)) as typeof setInterval;
    });
    return visitor;
  }

  test('a domain, a sender, a template and a key that a colleague adds, and the audit log of it', async () => {
    const [reader, writer] = [
      await withoutPolling(await portal.asOwner({ ownProfile: true })),
      await portal.asOwner(),
    ];
    const change = async (method: string, path: string, data: object) => {
      const own = new URL(writer.page.url()).origin;
      const answer = await writer.context.request.fetch(`${own}/v1/portal${path}`, {
        method,
        data,
        headers: { origin: own, 'sec-fetch-site': 'same-origin' },
      });
      expect(answer.ok(), `${path}: ${answer.status()} ${await answer.text()}`).toBe(true);
      return (await answer.json()) as { id: string };
    };
    await writer.visit('/');
    await reader.visit('/domains');
    const { id: domain } = await change('POST', '/domains', { name: 'live.example.com' });
    await reader.page.getByText('live.example.com').first().waitFor();
    await reader.visit('/senders');
    await change('POST', '/senders', { address: 'hola@live.example.com' });
    await reader.page.getByText('hola@live.example.com').first().waitFor();
    await reader.visit('/templates');
    await change('POST', '/templates', { name: 'live-template', subject: 'S', text: 'T' });
    await reader.page.getByText('live-template').first().waitFor();
    await reader.visit('/audit');
    await change('PATCH', '/settings', { name: 'Renamed while you look' });
    await reader.page.getByRole('row', { name: /Renamed the account/ }).waitFor();
    await reader.visit('/keys');
    await change('POST', '/api-keys', { name: 'live-key', scopes: ['evidence:read'] });
    await reader.page.getByText('live-key').first().waitFor();
    expect(domain).toMatch(/^[0-9a-f-]{36}$/);
    await writer.close();
    await reader.close();
  });

  test('on the console: what another operator does, in the record and on the page of the account', async () => {
    const [reader, writer] = [
      await withoutPolling(await portal.asOperator({ ownProfile: true })),
      await portal.asOperator(),
    ];
    await writer.visit('/');
    const own = new URL(writer.page.url()).origin;
    const id = String(portal.server.sandbox!['tenant_id']);
    const change = (method: string, path: string, data: object) =>
      writer.context.request.fetch(`${own}/v1/admin${path}`, {
        method,
        data,
        headers: { origin: own, 'sec-fetch-site': 'same-origin' },
      });
    await reader.visit('/audit');
    expect((await change('PATCH', `/tenants/${id}`, { price_per_message_cents: 9 })).status()).toBe(200);
    await reader.page.getByRole('row', { name: /Changed an account.*MX\$0\.09/ }).waitFor();
    await reader.visit('/operators');
    const invitation = { email: 'live@example.com', name: 'Live', role: 'support' };
    expect((await change('POST', '/operators', invitation)).status()).toBe(201);
    await reader.page.getByText('live@example.com').first().waitFor();
    await reader.visit(`/tenants/${id}/audit`);
    expect((await change('PATCH', `/tenants/${id}`, { price_per_message_cents: 11 })).status()).toBe(200);
    await reader.page.getByText('Changed the terms of the account').nth(1).waitFor();
    await writer.close();
    await reader.close();
  });
});
