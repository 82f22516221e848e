import { readFileSync } from 'node:fs';
import { readCase } from '@acuse/evidence/case-file';
import { eventually } from '@acuse/testkit/eventually';
import { sha256 } from '@noble/hashes/sha2.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, type Portal, startPortal, type Visitor } from './support/portal.ts';

describe.skipIf(!hasBrowser)('case files in the portal (skipped: needs chromium)', () => {
  let portal: Portal;
  let notices: string[];
  beforeAll(async () => {
    portal = await startPortal();
    notices = [
      await portal.send({ subject: 'First notice' }),
      await portal.send({ subject: 'Second notice' }),
    ];
    await portal.send({ subject: 'Never certified', certified: false });
    const sealed = async (id: string) =>
      (await portal.api('GET', `/v1/messages/${id}`)).body.sealed_at !== null;
    await eventually(async () => (await Promise.all(notices.map(sealed))).every(Boolean));
  });
  afterAll(() => portal?.stop());

  const box = ({ page }: Visitor, subject: string) =>
    page.getByRole('checkbox', { name: `Choose: ${subject}` });
  const makeOf = async (visitor: Visitor, subjects: readonly string[]) => {
    const { page, visit } = visitor;
    await visit('/messages');
    await page.getByRole('button', { name: 'Case file' }).click();
    for (const subject of subjects) await box(visitor, subject).check();
    await page.getByRole('button', { name: 'Continue' }).click();
  };

  test('chosen messages become one file, in order of time; what is not sealed cannot be chosen', async () => {
    const visitor = await portal.asViewer();
    const { page, close, watch } = visitor;
    await makeOf(visitor, ['Second notice', 'First notice']);
    expect(await box(visitor, 'Never certified').isDisabled()).toBe(true);
    // A viewer makes no links.
    expect(await page.getByRole('radio').count()).toBe(0);
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    await page.getByText('Give it a name.').waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('Contract 77');
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    const file = await saving;
    expect(file.suggestedFilename()).toBe('Contract 77.zip');
    await page.getByText('Print index.pdf, which is in it.').waitFor();
    const bundles = readCase(readFileSync((await file.path())!), sha256);
    expect(bundles.map(({ name }) => name)).toEqual(notices.map((id, at) => `0${at + 1}-${id}.zip`));
    await page.getByRole('link', { name: /First notice/ }).waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();

    const stranger = await portal.asStranger();
    await stranger.page.goto(`${portal.base}/verify`);
    await stranger.page
      .locator('input[type=file]')
      .first()
      .setInputFiles((await file.path())!);
    await stranger.page.getByText('Case file of 2 messages').waitFor();
    expect(await stranger.page.locator('#result').getAttribute('data-valid')).toBe('true');
    await stranger.close();
  });

  test('a link shows each with its verdict to a stranger, and is revoked at any of them', async () => {
    const owner = await portal.asOwner();
    await makeOf(owner, ['First notice', 'Second notice']);
    await owner.page.getByRole('textbox', { name: 'Name' }).fill('Contract 77');
    await owner.page.getByRole('radio', { name: 'By a link' }).check();
    await owner.page.getByRole('button', { name: 'Create link' }).click();
    await owner.page.getByRole('heading', { name: 'The link' }).waitFor();
    const link = (await owner.page.getByText(/\/prove\/.+#/).innerText()).trim();
    await owner.page.getByRole('button', { name: 'I have copied it' }).click();

    const { page, close } = await portal.asStranger();
    await page.goto(link);
    await page.getByRole('button', { name: 'Open the proof' }).click();
    await page.getByText('Case file of 2 messages').waitFor();
    const lines = page.locator('details.case > summary');
    expect(await lines.count()).toBe(2);
    expect(await lines.nth(0).innerText()).toContain('First notice');
    expect(await lines.nth(0).innerText()).toContain('Handed to the receiving server');
    expect(await page.locator('#result').getAttribute('data-valid')).toBe('true');
    await lines.nth(1).click();
    await page.locator('details.case[open] .verdict').first().waitFor();
    await page.getByText('whoever made the case file chose these').waitFor();

    await owner.visit(`/messages/${notices[1]}/evidence`);
    await owner.page.getByText('Case file “Contract 77”').first().waitFor();
    await owner.page.getByRole('button', { name: /^Revoke .*Contract 77/ }).click();
    await owner.page.getByText(/The link to the whole case file is revoked/).waitFor();
    await owner.page.getByRole('button', { name: 'Revoke link', exact: true }).click();
    await owner.page.getByText('Revoked', { exact: true }).first().waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Open the proof' }).click();
    await page.getByText('This link cannot be opened').waitFor();
    await close();
    await owner.close();
  });
});
