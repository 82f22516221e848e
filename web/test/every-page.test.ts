import { type DnsPeer, startDnsPeer } from '@acuse/testkit/dns-peer';
import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_PAGES, type Known, PORTAL_PAGES, PUBLIC_PAGES, SHARE, TEMPLATE } from './pages.mjs';
import { accessibilityFailures, clippedText } from './support/accessibility.ts';
import { changeSome } from './support/changes.ts';
import { foreignTexts } from './support/languages.ts';
import { hasBrowser, type Portal, startPortal, type Visitor } from './support/portal.ts';
import { type Receiver, startReceiver } from './support/receiver.ts';

/** Each page in both languages, both themes, on a phone and on a desk. */
const LOOKS = [
  { locale: 'en-US', colorScheme: 'light', width: 1280 },
  { locale: 'es-MX', colorScheme: 'dark', width: 320 },
  { locale: 'es-MX', colorScheme: 'light', width: 320 },
  { locale: 'en-US', colorScheme: 'dark', width: 1280 },
] as const;
const HEIGHT = 900;
/** Of a test that visits all of them, a second or two each, several on a busy machine (ms). */
const ALL_PAGES_MS = 600_000;

describe.skipIf(!hasBrowser)('every page (skipped: needs chromium)', () => {
  let dns: DnsPeer;
  let portal: Portal;
  let known: Known;
  let receiver: Receiver;
  beforeAll(async () => {
    dns = await startDnsPeer(() => undefined);
    receiver = await startReceiver();
    receiver.answer((response) => response.writeHead(503, { 'retry-after': '60' }).end('<h1>down</h1>'));
    portal = await startPortal({ ACUSE_DNS_SERVERS: dns.server, ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true' });
    const endpoint = { url: receiver.url, events: ['*'], description: 'ERP, production' };
    const webhook = (await portal.api('POST', '/v1/webhooks', endpoint)).body.id;
    const html = '<p>Hello <a href="https://example.com/a">there</a></p>';
    const [sent, deferred] = [
      await portal.send({ html }),
      await portal.send({
        to: 'greylisted@sandbox.test',
        subject: 'Lorem ipsum dolor sit amet, consectetur',
      }),
    ];
    const message = async (id: string) => (await portal.api('GET', `/v1/messages/${id}`)).body;
    await eventually(async () => (await message(sent)).sealed_at !== null);
    await eventually(async () => (await message(deferred)).status === 'deferred');
    const { body: made } = await portal.api('POST', '/v1/templates', TEMPLATE.created);
    await portal.api('PATCH', `/v1/templates/${made.id}`, TEMPLATE.changed);
    const tenant = String(portal.server.sandbox!['tenant_id']);
    const { body: domain } = await portal.api('POST', '/v1/domains', { name: 'boletines.example.com' });
    await portal.api('POST', `/v1/domains/${domain.id}/verify`);
    await portal.api('POST', '/v1/senders', { address: '*@boletines.example.com' });
    await portal.api('POST', '/v1/suppressions', { address: 'a.very.long.address@mail.example.com' });
    const deliveries = async () => (await portal.api('GET', `/v1/webhooks/${webhook}/deliveries`)).body.data;
    await eventually(async () =>
      (await deliveries()).some(({ attempts }: { attempts: number }) => attempts > 0),
    );
    const delivery = (await deliveries()).at(-1).id;
    const { body: mails } = await portal.api('GET', '/sandbox/mailbox');
    const { context } = await portal.firstOwner();
    const shared = await context.request.post(`${portal.base}/v1/portal/messages/${sent}/shares`, {
      data: SHARE,
      headers: { origin: portal.base, 'sec-fetch-site': 'same-origin' },
    });
    const { pathname, hash } = new URL((await shared.json()).url);
    const share = pathname + hash;
    const mail = mails.data[0].id;
    const things = { template: made.id, domain: domain.id, tenant, webhook, delivery, mail };
    known = { sent, deferred, ...things, share };
    await changeSome(portal, known);
  });
  afterAll(async () => {
    await portal?.stop();
    await receiver?.close();
    await dns?.close();
  });

  test.each(LOOKS)(
    '$locale, $colorScheme, $width px: accessible, within its policy, nothing cut',
    async ({ width, ...look }) => {
      const options = { ...look, viewport: { width, height: HEIGHT } };
      const language = look.locale === 'es-MX' ? 'es' : 'en';
      const people = {
        portal: [await portal.asOwner(options), await portal.asStranger(options)],
        console: [await portal.asOperator(options), await portal.asStranger({ ...options, console: true })],
        guests: [await portal.asOwner(options), await portal.asStranger(options)],
      } as const;
      // Side by side: most of a visit is waiting until nothing more is loaded.
      const found = await Promise.all([
        visitAll(PORTAL_PAGES, people.portal, language),
        visitAll(ADMIN_PAGES, people.console, language),
        visitAll(PUBLIC_PAGES, people.guests, language),
      ]);
      const failures = Object.assign({}, ...found);
      expect(failures).toEqual({});
      for (const { watch, close } of Object.values(people).flat()) {
        expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
        await close();
      }
    },
    ALL_PAGES_MS,
  );

  async function visitAll(
    pages: typeof PORTAL_PAGES,
    [insider, stranger]: readonly [Visitor, Visitor],
    language: 'es' | 'en',
  ): Promise<Record<string, string[]>> {
    const failures: Record<string, string[]> = {};
    for (const { name, open, press, shows, path } of pages) {
      const { page, visit } = open === true ? stranger : insider;
      const isOfApplication = pages !== PUBLIC_PAGES;
      const status = await visit(isOfApplication ? path(known) : portal.base + path(known));
      expect(status, `the answer to ${name}`).toBe(200);
      if (press !== undefined) await page.locator(press).first().click();
      if (shows !== undefined) await page.locator(shows).waitFor();
      await page.waitForLoadState('networkidle');
      const found = [
        ...(await accessibilityFailures(page)),
        ...(await clippedText(page)),
        ...(await foreignTexts(page, language)),
      ];
      expect(await page.locator('h1').count(), `${name} has one h1`).toBe(1);
      if (isOfApplication) expect(await page.title()).toMatch(/ · Acuse$|^Acuse$/);
      if (found.length > 0) failures[name] = found;
    }
    return failures;
  }
});
