import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pressOn } from './support/keyboard.ts';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';

/** A recipient's acknowledgement as customers, operators and outsiders see it. */
describe.skipIf(!hasBrowser)('an acknowledgement (skipped: needs chromium)', () => {
  let portal: Portal;
  /** By the local part of its recipient. */
  const ids: Record<string, string> = {};
  const messageOf = async (id: string) => (await portal.api('GET', `/v1/messages/${id}`)).body;

  beforeAll(async () => {
    portal = await startPortal();
    const asking = { certified: true, acknowledgement: 'request', locale: 'en', text: 'Hello' };
    for (const name of ['replies', 'refuses', 'delivered'])
      ids[name] = await portal.send({ ...asking, to: `${name}@sandbox.test`, subject: `To ${name}` });
    await eventually(async () => {
      const all = await Promise.all(Object.values(ids).map(messageOf));
      const states = all.map(({ acknowledgement }) => acknowledgement.status);
      return (
        states.join() === 'acknowledged,refused,requested' && all.every((each) => each.sealed_at !== null)
      );
    });
  });
  afterAll(() => portal?.stop());

  const clean = { violations: [], foreign: [], faults: [] };

  test.each([
    ['replies', 'The recipient acknowledged receipt', 'their mail domain signed it'],
    ['refuses', 'The recipient refused to acknowledge receipt', 'with a code that was sent there'],
    ['delivered', 'The recipient is asked to acknowledge receipt', 'No answer yet.'],
  ])('on the timeline, of %s@', async (name, title, means) => {
    const { page, visit, watch, close } = await portal.asOwner();
    await visit(`/messages/${ids[name]}/timeline`);
    const entry = page.locator('ol > li').filter({ hasText: title });
    await entry.waitFor();
    expect(await entry.innerText()).toContain(means);
    expect(watch).toEqual(clean);
    await close();
  });

  test.each([
    ['replies', /^Given by a signed mail, /],
    ['refuses', /^Refused, /],
    ['delivered', /^Asked for, until /],
  ])('on the console, of %s@, without who answered or why', async (name, text) => {
    const { page, visit, watch, close } = await portal.asSupport();
    await visit(`/messages/${ids[name]}`);
    await page.getByText(text).waitFor();
    expect(await page.locator('main').innerText()).not.toMatch(/A test|^Sandbox$/m);
    expect(watch).toEqual(clean);
    await close();
  });

  test('on the page of a proof that somebody else opens', async () => {
    const { page, visit, close } = await portal.asOwner();
    await visit(`/messages/${ids['replies']}/evidence`);
    await page.getByRole('button', { name: 'Prove it' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click();
    const url = await page.getByRole('dialog', { name: 'The link' }).locator('pre').innerText();
    await close();
    const stranger = await portal.asStranger();
    await stranger.page.goto(url);
    await pressOn(stranger.page, stranger.page.getByRole('button', { name: 'Open the proof' }));
    await stranger.page.locator('.verdict').waitFor();
    const shown = await stranger.page.locator('#result').innerText();
    expect(shown).toMatch(/acknowledged/i);
    expect(shown).toContain('DKIM pass sandbox.test');
    await stranger.close();
  });
});
