import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clippedText } from './support/accessibility.ts';
import { hasBrowser, type Portal, startOwnPortal, type Visitor } from './support/portal.ts';
import { pressAnyway } from './support/press.ts';

/** As many as the operator retries at once. */
const MANY = 50;

describe.skipIf(!hasBrowser)('a message on the console (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startOwnPortal();
  });
  afterAll(() => portal?.stop());

  const clean = { violations: [], foreign: [], faults: [] };
  const statusOf = async (id: string) => (await portal.api('GET', `/v1/messages/${id}`)).body.status;

  async function sendDeferred(to = 'deferred@sandbox.test'): Promise<string> {
    const id = await portal.send({ to, subject: 'Salario de Ana', text: 'Nadie debe leer esto.' });
    await eventually(async () => (await statusOf(id)) === 'deferred');
    return id;
  }

  async function audited({ context }: Visitor, path: string) {
    return (await (await context.request.get(path)).json()).data as Record<string, unknown>[];
  }

  test.each([
    ['en-US', /^(?:Pause|Retry|Cancel)/],
    ['es-MX', /^(?:Pausar|Reintentar|Cancelar)/],
  ])('what can be done with a destination is one line, and all of it is seen (%s)', async (locale, name) => {
    const id = await sendDeferred();
    const { page, visit, close } = await portal.asOperator({
      locale,
      viewport: { width: 1280, height: 800 },
    });
    await visit('/queue');
    const actions = page.getByRole('row', { name: /sandbox\.test/ }).getByRole('button', { name });
    await actions.nth(2).waitFor();
    const tops = await actions.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().top));
    const clipped = await clippedText(page);
    await portal.api('POST', `/v1/messages/${id}/cancel`);
    await close();
    expect(new Set(tops).size).toBe(1);
    expect(clipped).toEqual([]);
  });

  test('an operator pauses a destination, retries 50 messages at once and opens one: all of it is on record', async () => {
    const ids = await Promise.all(
      Array.from({ length: MANY }, (_, at) =>
        portal.send({
          to: `deferred+${at}@sandbox.test`,
          subject: `Factura ${at}`,
          text: 'Nadie debe leer esto.',
        }),
      ),
    );
    await eventually(async () => {
      const { body } = await portal.api('GET', '/v1/messages?status=deferred&limit=100');
      return body.data.length === MANY;
    });
    const operator = await portal.asOperator();
    const { page, visit, watch, close } = operator;
    await visit('/queue');
    const row = page.getByRole('row', { name: /sandbox\.test/ });
    await row.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').getByLabel('Why').fill('ticket 4711');
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await row.getByText(/ticket 4711/).waitFor();
    await row.getByRole('button', { name: 'Resume' }).click();
    await row.getByRole('button', { name: 'Pause' }).waitFor();
    await row.getByRole('button', { name: 'Retry…' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: `Retry ${MANY} messages` })
      .click();
    await page.getByText(`${MANY} messages are due`).waitFor();
    await eventually(async () => {
      const { body } = await portal.api('GET', '/v1/messages?status=deferred&limit=100');
      return body.data.filter(({ attempts }: { attempts: number }) => attempts === 2).length === MANY;
    });

    await visit(`/messages/${ids[0]}`);
    expect(await page.content()).not.toContain('Factura 0');
    await page.getByRole('button', { name: 'Open content…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Open content' }).click();
    await dialog.getByText('Write why.').waitFor();
    await dialog.getByLabel('Reason').fill('ticket 4712, asked by the customer');
    await dialog.getByRole('button', { name: 'Open content' }).click();
    await page.getByText('Factura 0').waitFor();
    await page.locator('pre').getByText('Nadie debe leer esto.').waitFor();

    const at = new URL(page.url()).origin;
    const record = await audited(operator, `${at}/v1/admin/audit?limit=100`);
    const done = (action: string) => record.find((each) => each['action'] === action);
    expect(done('queue.pause')).toMatchObject({
      outcome: 'done',
      subject: 'sandbox.test',
      reason: 'ticket 4711',
    });
    expect(done('queue.resume')).toMatchObject({ outcome: 'done', subject: 'sandbox.test' });
    expect(done('queue.retry')).toMatchObject({ outcome: 'done', after: { done: MANY } });
    expect(done('message.open_content')).toMatchObject({
      outcome: 'done',
      subject: ids[0],
      reason: 'ticket 4712, asked by the customer',
    });
    const owner = await portal.asOwner();
    const own = await audited(owner, `${portal.base}/v1/portal/audit`);
    expect(own.find((each) => each['action'] === 'open_message_content')).toMatchObject({
      actor: { kind: 'operator' },
      target: ids[0],
      after: { reason: 'ticket 4712, asked by the customer' },
    });
    expect(own.find((each) => each['action'] === 'retry_messages')).toMatchObject({
      actor: { kind: 'operator' },
      after: { count: MANY, destination: 'sandbox.test' },
    });
    expect(watch).toEqual(clean);
    await owner.close();
    await close();
  });

  test('what was opened is open to nobody else, and support cannot open it', async () => {
    const id = await sendDeferred();
    const { page, visit, watch, close } = await portal.asSupport();
    await visit(`/messages/${id}`);
    await page.getByText('Closed to operators').waitFor();
    await page.getByRole('heading', { name: 'Why it waits' }).waitFor();
    expect(await page.content()).not.toContain('Salario');
    for (const name of ['Open content…', 'Erase…']) {
      const button = page.getByRole('button', { name });
      expect(await button.getAttribute('title')).toContain('this needs the role admin');
      await pressAnyway(button);
    }
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(watch).toEqual(clean);
    await close();
  });

  test('a deferred message is tried again, then cancelled, then erased by its id', async () => {
    const id = await sendDeferred();
    const { page, visit, watch, close } = await portal.asOperator();
    await visit(`/messages/${id}`);
    const erase = page.getByRole('button', { name: 'Erase…' });
    expect(await erase.getAttribute('title')).toContain('cancel it first');
    await page.getByRole('button', { name: 'Try now' }).click();
    await page.getByText('It is due now').waitFor();
    await eventually(async () => (await portal.api('GET', `/v1/messages/${id}`)).body.attempts === 2);
    await page.getByRole('button', { name: 'Cancel message' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel message' }).click();
    await page.getByText('Cancelled', { exact: true }).first().waitFor();

    await erase.click();
    const dialog = page.getByRole('dialog');
    expect(new URL(page.url()).search).toBe('?do=erase');
    await dialog.getByLabel('Reason').fill('request 12');
    await dialog.getByLabel('Id of the message').fill('01936b0e-7c2a-7d10-9c1e-5a0f3f6b2aff');
    await dialog.getByRole('button', { name: 'Erase message' }).click();
    await dialog.getByText('This is not the id of this message.').waitFor();
    await dialog.getByLabel('Id of the message').fill(id);
    await dialog.getByRole('button', { name: 'Erase message' }).click();
    await dialog.getByText(/evidence must be kept until/).waitFor();
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('request 12');
    await dialog.getByRole('checkbox').check();
    await dialog.getByRole('button', { name: 'Erase message' }).click();
    await page.getByText('The content was deleted').waitFor();
    expect((await portal.api('GET', `/v1/messages/${id}`)).body.content_deleted_at).not.toBeNull();
    expect(watch).toEqual(clean);
    await close();
  });

  test('hostile parts are shown as text and run nowhere', async () => {
    const html = '<script>document.title="stolen"</script><img src="https://evil.test/a.png">';
    const id = await portal.send({ html, text: undefined, subject: '<b>bold</b>' });
    const { page, visit, watch, close } = await portal.asOperator();
    await visit(`/messages/${id}`);
    await page.getByRole('button', { name: 'Open content…' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('phishing report');
    await page.getByRole('dialog').getByRole('button', { name: 'Open content' }).click();
    await page.locator('pre').getByText('https://evil.test/a.png').waitFor();
    await page.getByText('<b>bold</b>').waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.title()).toContain('Acuse');
    expect(watch).toEqual(clean);
    await close();
  });

  test('an id that does not exist is an error with its request, and search leads to those that do', async () => {
    const id = await portal.send();
    const { page, visit, close } = await portal.asOperator();
    await visit('/messages/01936b0e-7c2a-7d10-9c1e-5a0f3f6b2aff');
    await page.getByRole('alert').getByText('not_found').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill(id);
    await page.getByRole('option', { name: new RegExp(id) }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'delivered@sandbox.test' }).waitFor();
    await close();
  });
});
