import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, type Portal, startOwnPortal } from './support/portal.ts';

describe.skipIf(!hasBrowser)("the operator's role mailbox (skipped: needs chromium)", () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startOwnPortal();
  });
  afterAll(() => portal?.stop());

  /** As a server of somebody else brings it. */
  async function bring(forwardPath: string, text: string): Promise<void> {
    const socket = connect(Number(portal.server.sandbox!['return_path_port']), '127.0.0.1');
    socket.setEncoding('utf8');
    const said = socket[Symbol.asyncIterator]();
    let heard = '';
    const until = async (answer: RegExp) => {
      while (!answer.test(heard)) heard += (await said.next()).value;
      heard = '';
    };
    await until(/^220 .*\r\n$/m);
    const steps = [
      ['EHLO a.example', /^250 /m],
      ['MAIL FROM:<a@a.example>', /^250 /m],
      [`RCPT TO:<${forwardPath}>`, /^250 /m],
      ['DATA', /^354 /m],
      [`${text}.`, /^250 2\.0\.0/m],
    ] as const;
    for (const [line, answer] of steps) {
      socket.write(`${line}\r\n`);
      await until(answer);
    }
    socket.destroy();
  }

  test('a letter and a complaint about nothing of ours are read, downloaded and deleted', async () => {
    await bring(
      'postmaster@localhost',
      'From: ana@a.example\r\nSubject: <b>hola</b>\r\n\r\n¿Quién es usted?\r\n',
    );
    await bring(
      'fbl@localhost',
      'From: f@loop.example\r\nSubject: complaint\r\nContent-Type: multipart/report; report-type=feedback-report; boundary=b\r\n\r\n--b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\n\r\n--b--\r\n',
    );
    const { page, visit, watch, close } = await portal.asOperator();
    await visit('/role-mail');
    const letter = page.getByRole('row', { name: /ana@a\.example postmaster.*Letter <b>hola<\/b>/ });
    await letter.getByText('¿Quién es usted?').waitFor();
    await page
      .getByRole('row', { name: /f@loop\.example.*It names no message of this installation/ })
      .waitFor();
    const begun = page.waitForEvent('download');
    await letter.getByRole('button', { name: 'Download “<b>hola</b>”' }).click();
    expect(readFileSync(await (await begun).path(), 'utf8')).toMatch(/^From: ana@a\.example\r\n/);
    await page.getByLabel('Role', { exact: true }).selectOption('fbl');
    await letter.waitFor({ state: 'detached' });
    const listSaved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    const list = readFileSync(await (await listSaved).path(), 'utf8');
    expect([list.includes('f@loop.example'), list.includes('ana@a.example')]).toEqual([true, false]);
    await page.getByLabel('Role', { exact: true }).selectOption('');
    await page.getByLabel('Period (UTC)').selectOption('dates');
    await page.getByLabel('To and including').fill('2024-02-01');
    await page.getByText('Nothing matches these filters.').waitFor();
    await page.reload();
    await page.getByText('Nothing matches these filters.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await letter.getByRole('button', { name: 'Delete “<b>hola</b>”' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete mail' }).click();
    await letter.waitFor({ state: 'detached' });
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });
});
