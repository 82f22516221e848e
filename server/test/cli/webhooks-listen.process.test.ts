import { randomBytes } from 'node:crypto';
import { PATIENCE } from '@acuse/testkit/eventually';
import { type HttpsReceiver, startHttpsReceiver } from '@acuse/testkit/https-receiver';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { firstIdAt } from '../../src/platform/ids.ts';
import { appendEvents } from '../../src/webhooks/append.ts';
import { type CommandProcess, startCommand } from '../support/command-process.ts';
import { createProcesses, type Service } from '../support/process.ts';
import { acceptsBySpecification } from '../webhooks/harness.ts';
import { acuse } from './run.ts';

/** `acuse webhooks listen` as a process, on a real service, with a real receiver. */
const processes = createProcesses();
const listeners: CommandProcess[] = [];
let databaseUrl: string;
let service: Service;
let receiver: HttpsReceiver;
beforeAll(async () => {
  databaseUrl = await processes.database();
  service = await processes.start({ databaseUrl });
  receiver = await startHttpsReceiver({ plain: true });
});
afterAll(async () => {
  await receiver.close();
  await processes.end();
});
afterEach(async () => {
  receiver.answer(() => ({ kind: 'status', status: 200 }));
  for (const { child, ended } of listeners.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
});

const hook = () => `http://127.0.0.1:${receiver.port}/hook`;

async function listen(...args: string[]): Promise<CommandProcess> {
  const started = startCommand(['webhooks', 'listen', ...args], { ACUSE_DATA_DIR: service.dataDir });
  listeners.push(started);
  await started.said(args.includes('--json') ? /"listening"/ : /Listening for events/);
  return started;
}

const linesOf = (listener: CommandProcess) =>
  listener
    .stdout()
    .split('\n')
    .filter((line) => line !== '')
    .slice(1)
    .map((line) => JSON.parse(line));

/** Forwarded requests about this message. */
const about = (id: string) =>
  receiver.requests.filter(({ body }) => JSON.parse(body.toString()).data.message_id === id);

async function send(to = 'delivered@sandbox.test', fields: object = {}): Promise<string> {
  const { status, body } = await service.send({ to, certified: false, ...fields });
  expect(status).toBe(201);
  return body.id;
}

test('an event is forwarded with the body, headers and signatures of a delivery, and shown', async () => {
  const before = await send();
  await service.until(before, 'sent');
  const listener = await listen('--forward', hook());
  const [, secret] = await listener.said(/^Signing with (whsec_\S+)$/m);
  const id = await send('bounced+listen@sandbox.test');
  await listener.said(new RegExp(`email\\.bounced +${id}.* → 200 in \\d+ ms`));
  const requests = about(id);
  expect(requests.map(({ headers }) => headers['service-event'])).toEqual(['email.queued', 'email.bounced']);
  const bounced = requests[1]!;
  expect(acceptsBySpecification(bounced, secret!)).toBe(true);
  new Webhook(secret!).verify(bounced.body, bounced.headers);
  expect(bounced.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'service-webhooks/1.0',
    'service-webhook-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  const { body } = await service.call('GET', `/v1/events?message_id=${id}&type=email.bounced`);
  expect(JSON.parse(bounced.body.toString())).toEqual(body.data[0]);
  // The event before it began is not news.
  expect(about(before)).toEqual([]);
  expect(listener.stderr()).toBe('');
});

test('without --forward it only shows; --types chooses, and a cancellation is no webhook', async () => {
  const all = await listen('--json');
  const bounces = await listen('--types', 'email.bounced', '--json');
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const cancelled = await send('delivered@sandbox.test', { send_at: soon });
  await service.call('POST', `/v1/messages/${cancelled}/cancel`);
  const id = await send('bounced+types@sandbox.test');
  for (const listener of [all, bounces]) await listener.said(new RegExp(`email\\.bounced.*${id}`));
  expect(linesOf(bounces)).toMatchObject([{ event: { type: 'email.bounced', data: { message_id: id } } }]);
  expect(linesOf(all).map(({ event }) => [event.type, event.data.message_id])).toEqual([
    ['email.queued', id],
    ['email.bounced', id],
  ]);
  expect(linesOf(all)[0]).toEqual({ event: expect.objectContaining({ created_at: expect.any(String) }) });
});

describe('what the receiver refuses', () => {
  test('is tried again after five seconds with the same body and id', async () => {
    let refusals = 1;
    receiver.answer(() => ({ kind: 'status', status: refusals-- > 0 ? 500 : 204 }));
    const listener = await listen('--forward', hook(), '--types', 'email.queued', '--json');
    const id = await send();
    await vi.waitFor(() => expect(about(id)).toHaveLength(2), PATIENCE);
    const [first, second] = about(id);
    expect(second!.body.equals(first!.body)).toBe(true);
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    await listener.said(/"attempt":2/);
    expect(linesOf(listener)).toMatchObject([
      { attempt: 1, status_code: 500, error: 'answered 500', next_attempt_at: expect.any(String) },
      { attempt: 2, status_code: 204, error: null, next_attempt_at: null },
    ]);
  });

  test('with 410 is not tried again, and it says what a real endpoint would be', async () => {
    receiver.answer(() => ({ kind: 'status', status: 410 }));
    const listener = await listen('--forward', hook(), '--types', 'email.queued');
    const id = await send();
    await listener.said(new RegExp(`${id}.*answered 410; not tried again: this disables a real endpoint`));
  });

  test('nobody there is said plainly, and redirects are not followed', async () => {
    const closed = await startHttpsReceiver({ plain: true });
    await closed.close();
    const lost = await listen('--forward', `http://127.0.0.1:${closed.port}/`, '--types', 'email.queued');
    receiver.answer(() => ({ kind: 'status', status: 302, headers: { location: '/elsewhere' } }));
    const redirected = await listen('--forward', hook(), '--types', 'email.queued');
    const id = await send();
    await lost.said(/nothing listens there; attempt 2 at /);
    await redirected.said(/answered 302 \(redirects are not followed\); attempt 2 at /);
    expect(about(id).map(({ path }) => path)).toEqual(['/hook']);
  });
});

test('--since begins earlier, over several pages, and each event comes once', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 60; n++) ids.push(await send(`delivered+since${n}@sandbox.test`));
  for (const id of ids) await service.until(id, 'sent');
  const listener = await listen('--forward', hook(), '--since', '10m', '--types', 'email.queued,email.sent');
  await vi.waitFor(() => expect(about(ids.at(-1)!)).toHaveLength(2), PATIENCE);
  const late = await send();
  await vi.waitFor(() => expect(about(late).length).toBeGreaterThan(0), PATIENCE);
  for (const id of ids)
    expect(about(id).map(({ headers }) => headers['service-event'])).toEqual(['email.queued', 'email.sent']);
  expect(listener.stderr()).toBe('');
});

test('what is committed after later events is not missed', async () => {
  const listener = await listen('--forward', hook(), '--types', 'email.queued,email.complained');
  const id = await send();
  await vi.waitFor(() => expect(about(id)).toHaveLength(1), PATIENCE);
  const db = processes.connect(databaseUrl);
  const [message] = await db.query<{ tenant_id: string }>(
    'select tenant_id from messages where message_id = $1',
    [id],
  );
  const occurredAt = new Date(Date.now() - 20_000);
  // An id of its own time, as if its commit had taken so long.
  const eventId = firstIdAt(occurredAt).replace(
    /0000-0000-0{12}$/,
    `7000-8000-${randomBytes(6).toString('hex')}`,
  );
  await db.transact((tx) =>
    appendEvents(tx, [
      {
        tenantId: message!.tenant_id,
        eventId,
        messageId: id,
        type: 'email.complained',
        occurredAt,
        data: { to: 'x@sandbox.test', feedback_type: 'abuse' },
      },
    ]),
  );
  await listener.said(new RegExp(`email\\.complained +${id}.* → 200`));
  expect(about(id).map(({ headers }) => headers['webhook-id'])).toContain(eventId);
});

test('Ctrl-C ends it well at any time, with a summary', async () => {
  receiver.answer(() => ({ kind: 'stall' }));
  const listener = await listen(
    '--forward',
    hook(),
    '--types',
    'email.queued',
    '--secret',
    'whsec_AAECAwQFBgc=',
  );
  await listener.said(/^Signing with whsec_AAECAwQFBgc=$/m);
  const id = await send();
  // While the receiver has the request and says nothing.
  await vi.waitFor(() => expect(about(id)).toHaveLength(1), PATIENCE);
  listener.child.kill('SIGINT');
  expect(await listener.ended).toBe(0);
  expect(listener.stdout()).toMatch(/1 event, 0 received by your program/);
  expect(listener.stderr()).toBe('');
});

test('it waits for a service that is away, and misses nothing', async () => {
  const databaseUrl = await processes.database();
  const first = await processes.start({ databaseUrl });
  const { base_url: url, api_key: key } = first.sandbox;
  const port = new URL(url).port;
  const listener = startCommand(
    ['webhooks', 'listen', '--forward', hook(), '--url', url, '--key', key, '--types', 'email.queued'],
    { ACUSE_DATA_DIR: processes.folder() },
  );
  listeners.push(listener);
  await listener.said(/Listening for events/);
  await first.kill9();
  await vi.waitFor(
    () => expect(listener.stderr()).toMatch(/no service answers at .*waiting for it/),
    PATIENCE,
  );
  const again = await processes.start({ databaseUrl, dataDir: first.dataDir, env: { ACUSE_PORT: port } });
  const { body } = await again.send({ certified: false });
  await vi.waitFor(() => expect(about(body.id)).toHaveLength(1), PATIENCE);
  await vi.waitFor(() => expect(listener.stderr()).toMatch(/the service answers again/), PATIENCE);
  await again.stop();
});

describe('refusals', () => {
  const env = () => ({ ACUSE_DATA_DIR: service.dataDir });

  test.each([
    [
      ['--forward', 'localhost:3000'],
      2,
      /--forward takes an http or https URL such as http:\/\/localhost:3000/,
    ],
    [['--types', 'email.opened'], 2, /--types takes email\.queued, .*not "email\.opened"/],
    [['--types', 'email.cancelled'], 2, /--types takes/],
    [['--since', 'yesterday'], 2, /--since takes a time such as/],
    [['--secret', 'hunter2'], 2, /--secret takes a secret such as/],
    [['--key', 'acuse_wrong'], 1, /API key missing or invalid: give --key/],
  ])('%s', async (args, code, message) => {
    const said = await acuse(['webhooks', 'listen', ...args], env());
    expect([said.code, said.err]).toEqual([code, expect.stringMatching(message)]);
  });

  test('a local webhook names the command and the setting', async () => {
    for (const url of [
      'http://localhost:3000/hook',
      'https://127.0.0.1/',
      'https://10.1.2.3/x',
      'http://web:3000/',
    ]) {
      const { status, body } = await service.call('POST', '/v1/webhooks', { url, events: ['*'] });
      expect([url, status]).toEqual([url, 400]);
      expect(body.error.message).toContain(`acuse webhooks listen --forward ${url}`);
      expect(body.error.message).toContain('ACUSE_WEBHOOK_ALLOW_PRIVATE=true');
    }
    const { body } = await service.call('POST', '/v1/webhooks', {
      url: 'http://example.com/',
      events: ['*'],
    });
    expect(body.error.message).toBe('url must use https.');
    const odd = await service.call('POST', '/v1/webhooks', { url: 'http://localhost/$(x)', events: ['*'] });
    expect(odd.body.error.message).not.toContain('$(x)');
  });
});
