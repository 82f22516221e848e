import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProcesses, type Service } from '../support/process.ts';
import { openRawSmtp } from '../support/raw-smtp.ts';

/** The sandbox as a program's own tests use it: every address does the same every time. */
const processes = createProcesses();
let service: Service;
beforeAll(async () => {
  service = await processes.start({ databaseUrl: await processes.database() });
});
afterAll(processes.end);

async function reached(id: string, status: string): Promise<{ last_reply: { text: string } }> {
  return eventually(async () => {
    const { body } = await service.call('GET', `/v1/messages/${id}`);
    return body.status === status ? body : null;
  });
}

const suppressions = async (address: string) =>
  (await service.call('GET', `/v1/suppressions?address=${encodeURIComponent(address)}`)).body.data;

test.each([
  ['bounced@sandbox.test', 'bounced', 'bounce'],
  ['bounced+order42@sandbox.test', 'bounced', 'bounce'],
  ['async-bounced+order42@sandbox.test', 'bounced', 'bounce'],
  ['complained@sandbox.test', 'complained', 'complaint'],
  ['Complained+Order42@Sandbox.TEST', 'complained', 'complaint'],
])('%s works every time: its suppression is listed and refuses nothing', async (to, status, source) => {
  for (const _ of [1, 2]) {
    const sent = await service.send({ to });
    expect(sent.status).toBe(201);
    // By the mailbox's own answer, not by a list of ours.
    expect((await reached(sent.body.id, status)).last_reply.text).not.toContain('list');
    expect(await suppressions(to)).toMatchObject([{ address: to.toLowerCase(), source }]);
  }
  const batch = await service.call('POST', '/v1/messages/batch', {
    messages: [
      { idempotency_key: `batch ${to}`, from: 'billing@sandbox.test', to, subject: 'Hello', text: 'Hello' },
    ],
  });
  expect(batch.body).toMatchObject({ created: 1, failed: 0 });
});

test.each([
  ['acknowledges+order42@sandbox.test', 'acknowledged', 'acknowledgement.given'],
  ['Refuses@Sandbox.TEST', 'refused', 'acknowledgement.refused'],
])('%s answers as on the page: %s', async (to, status, type) => {
  const asking = { certified: true, acknowledgement: 'request', locale: 'es' };
  const sent = await service.send({ to, ...asking });
  expect(sent.status, JSON.stringify(sent.body)).toBe(201);
  const { id } = sent.body;
  const message = await eventually(async () => {
    const { body } = await service.call('GET', `/v1/messages/${id}`);
    return body.acknowledgement.status === 'requested' ? null : body;
  });
  expect(message.acknowledgement).toMatchObject({ status, source: 'recipient_page' });
  const { body } = await service.call('GET', `/v1/messages/${id}/events`);
  expect(body.data.map((event: { type: string }) => event.type)).toEqual(
    expect.arrayContaining(['email.sent', type]),
  );
});

test('the link of a message that asks opens its page, whatever port the service took', async () => {
  const { body } = await service.send({ certified: true, acknowledgement: 'request' });
  const raw = await fetch(`${service.baseUrl}/v1/messages/${body.id}/raw`, {
    headers: { authorization: `Bearer ${service.sandbox.api_key}` },
  });
  const mail = (await raw.text()).replaceAll('=\r\n', '');
  const link = /http:\/\/[^/\s"]+\/a\/[a-z2-7]{26}/.exec(mail)![0];
  expect(new URL(link).origin).toBe(service.baseUrl);
  expect((await fetch(link)).status).toBe(200);
});

test.each(['suppressed@sandbox.test', 'suppressed+order42@sandbox.test', 'Suppressed@SANDBOX.test'])(
  '%s is refused every time, by the API and by SMTP',
  async (to) => {
    for (const _ of [1, 2]) {
      const { status, body } = await service.send({ to });
      expect([status, body.error.code]).toEqual([422, 'recipient_suppressed']);
      expect(body.error.message).toMatch(/is always suppressed, so nothing was queued/);
    }
    expect(await suppressions(to)).toEqual([]);
    const smtp = await openRawSmtp(service.sandbox.submission_port!);
    await smtp.command('EHLO client.example');
    await smtp.startTls();
    await smtp.login(service.sandbox.api_key);
    await smtp.command('MAIL FROM:<billing@sandbox.test>');
    expect(await smtp.command(`RCPT TO:<${to}>`)).toMatch(/^550 5\.7\.1 .*is always suppressed/);
    smtp.end();
  },
);

test('an entry made by hand refuses at sandbox.test as anywhere', async () => {
  const to = 'delivered+by-hand@sandbox.test';
  expect((await service.call('POST', '/v1/suppressions', { address: to })).status).toBe(201);
  expect((await service.send({ to })).body.error.code).toBe('recipient_suppressed');
});

test('the likes of these names elsewhere mean nothing', async () => {
  for (const to of [
    'suppressed@example.test',
    'suppressedx@sandbox.test',
    'un-suppressed@sandbox.test',
    'suppressed@x-sandbox.test',
  ])
    expect((await service.send({ to })).status, to).toBe(201);
});

test('the mailbox shows names and domains as people write them, and finds them so', async () => {
  const to = 'Zoë Núñez <zoe@bücher.example>';
  await service.send({ from: 'Facturación ñ <billing@sandbox.test>', to });
  await eventually(async () => {
    const { body } = await service.call(
      'GET',
      `/sandbox/mailbox?to=${encodeURIComponent('Zoe@BÜCHER.example')}`,
    );
    if (body.data.length === 0) return false;
    expect(body.data[0]).toMatchObject({
      from: 'Facturación ñ <billing@sandbox.test>',
      to,
      rcpt_to: 'zoe@bücher.example',
    });
    return true;
  });
  const { body } = await service.call('GET', '/sandbox/mailbox?to=zoe@xn--bcher-kva.example');
  expect(body.data).toHaveLength(1);
});
