import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { PATIENCE } from '@acuse/testkit/eventually';
import { type ServerProcess, startServer } from '@acuse/testkit/server-process';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { untilLetIn } from '@acuse/testkit/until-let-in';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

let database: TestDatabase;
const folder = tempFolder();
let server: ServerProcess;

beforeAll(async () => {
  database = await testDatabase();
  server = await startServer({ databaseUrl: database.url, dataDir: folder });
});
afterAll(async () => {
  await server?.end('SIGKILL');
  await database.drop();
});

async function call(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${server.baseUrl}${path}`, {
    ...init,
    headers: {
      authorization: `Bearer ${server.sandbox!['api_key']}`,
      'content-type': 'application/json',
      ...init.headers,
    },
  });
}

async function send(to: string, key = `${to} ${Math.random()}`, fields: object = {}): Promise<string> {
  const body = JSON.stringify({
    from: 'Acuse <a@sandbox.test>',
    to,
    subject: 'Hello',
    text: 'Hello.',
    ...fields,
  });
  const headers = { 'idempotency-key': key };
  const response = await untilLetIn(() => call('/v1/messages', { method: 'POST', headers, body }));
  expect(response.status, await response.clone().text()).toBe(201);
  return ((await response.json()) as { id: string }).id;
}

async function until(id: string, status: string) {
  return vi.waitFor(async () => {
    const message = (await (await call(`/v1/messages/${id}`)).json()) as Record<string, unknown>;
    expect(message['status']).toBe(status);
    return message;
  }, PATIENCE);
}

test('a message is delivered to the mailbox, and its attempt and report can be read', async () => {
  const id = await send('delivered+whole@sandbox.test');
  expect(await until(id, 'sent')).toMatchObject({
    attempts: 1,
    next_attempt_at: null,
    last_reply: { code: 250, mx: 'sandbox.test' },
  });
  const attempts = (await (await call(`/v1/messages/${id}/attempts`)).json()) as {
    data: Record<string, unknown>[];
    next_cursor: null;
  };
  expect(attempts).toMatchObject({
    next_cursor: null,
    data: [
      {
        attempt: 1,
        outcome: 'sent',
        bounce_type: null,
        reply: { code: 250 },
        sessions: [{ mx: 'sandbox.test', tls: { version: 'TLSv1.3' } }],
      },
    ],
  });
  const dsn = await call(`/v1/messages/${id}/dsn`);
  expect(dsn.headers.get('content-type')).toBe('message/rfc822');
  expect(await dsn.text()).toMatch(/Action: relayed/);
  const mailbox = (await (await call('/sandbox/mailbox?to=delivered%2Bwhole@sandbox.test')).json()) as {
    data: { message_id: string }[];
  };
  expect(mailbox.data.map((mail) => mail.message_id)).toEqual([id]);
});

test('a scheduled message is delivered once it is due, and to nobody who is suppressed by then', async () => {
  // Far enough that it is accepted before, however busy the machine is.
  const later = { send_at: new Date(Date.now() + 5_000).toISOString() };
  const far = { send_at: new Date(Date.now() + 86_400_000).toISOString() };
  const [due, moved, refused] = await Promise.all([
    send('delivered+later@sandbox.test', 'later', later),
    send('delivered+moved@sandbox.test', 'moved', far),
    send('later@example.net', 'refused', far),
  ]);
  const now = { method: 'PATCH', body: JSON.stringify({ send_at: null }) };
  const address = JSON.stringify({ address: 'later@example.net' });
  expect((await call('/v1/suppressions', { method: 'POST', body: address })).status).toBe(201);
  for (const id of [moved, refused]) expect((await call(`/v1/messages/${id}`, now)).status).toBe(200);
  for (const id of [due, moved]) {
    const { send_at, queued_at, sent_at } = await until(id, 'sent');
    expect([send_at, queued_at, sent_at].toSorted()).toEqual([send_at, queued_at, sent_at]);
  }
  await until(refused, 'bounced');
  const { data } = (await (await call(`/v1/messages/${refused}/attempts`)).json()) as { data: object[] };
  expect(data).toMatchObject([{ outcome: 'bounced', bounce_type: 'suppressed', sessions: [] }]);
});

test('a complaint and a late bounce come back over the return path', async () => {
  const complained = await send('complained@sandbox.test');
  const bounced = await send('async-bounced@sandbox.test');
  await until(complained, 'complained');
  await until(bounced, 'bounced');
  const events = (await (await call(`/v1/messages/${bounced}/events`)).json()) as {
    data: { type: string; data: object }[];
  };
  expect(events.data.map(({ type }) => type).filter((type) => type !== 'email.sealed')).toEqual([
    'email.queued',
    'email.sent',
    'email.bounced',
  ]);
  expect(events.data.find(({ type }) => type === 'email.bounced')!.data).toMatchObject({
    asynchronous: true,
    bounce_type: 'hard',
  });
  expect(await (await call(`/v1/messages/${bounced}/dsn`)).text()).toMatch(/Action: failed/);
  const suppressions = (await (await call('/v1/suppressions')).json()) as {
    data: { address: string; source: string }[];
  };
  const known = suppressions.data.filter(({ source }) => source !== 'manual');
  expect(known.map(({ address, source }) => [address, source]).sort()).toEqual([
    ['async-bounced@sandbox.test', 'bounce'],
    ['complained@sandbox.test', 'complaint'],
  ]);
});

test.each(['attempts', 'dsn'])(
  '%s: another id, of any form, is not found, and a key is asked for',
  async (path) => {
    for (const id of ['01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11', 'x', '1']) {
      const response = await call(`/v1/messages/${id}/${path}`);
      expect([response.status, ((await response.json()) as { error: { code: string } }).error.code]).toEqual([
        404,
        'not_found',
      ]);
    }
    expect((await call(`/v1/messages/x/${path}`, { headers: { authorization: '' } })).status).toBe(401);
  },
);

test('kill -9 in the midst of it loses nothing: accepted = sent, each once, or twice in the one window there is', async () => {
  const ids = await Promise.all(Array.from({ length: 150 }, (_, i) => send(`crash${i}@sandbox.test`)));
  await server.end('SIGKILL');
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  // Statements that the killed process had sent are still carried out: nothing is looked at before they are.
  await vi.waitFor(async () => {
    const others = await client.query(
      "select 1 from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()",
    );
    expect(others.rowCount).toBe(0);
  }, PATIENCE);
  const recorded = await client.query<{ to: string }>(
    "select recipient_address as to from messages where status = 'sent' and recipient_address like 'crash%'",
  );
  // Messages of the killed process come due when its leases end: two minutes, which nobody wants to wait
  // here.
  await client.query('set role acuse_worker');
  await client.query('update delivery_queue set due_at = now()');
  server = await startServer({ databaseUrl: database.url, dataDir: folder });
  const more = await Promise.all(Array.from({ length: 20 }, (_, i) => send(`later${i}@sandbox.test`)));
  for (const id of [...ids, ...more]) await until(id, 'sent');
  const mails = await client.query<{ to: string; copies: number }>(
    "select forward_path as to, count(*)::int as copies from sandbox_mail where forward_path like 'crash%' group by 1",
  );
  expect(mails.rowCount).toBe(ids.length);
  // Sent twice is only what the server had taken and nobody had written down when the process died.
  const written = new Set(recorded.rows.map(({ to }) => to));
  expect(mails.rows.filter(({ to, copies }) => copies > (written.has(to) ? 1 : 2))).toEqual([]);
  const left = await client.query('select 1 from delivery_queue');
  expect(left.rowCount).toBe(0);
  await client.end();
});
