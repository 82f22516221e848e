import { connect as netConnect } from 'node:net';
import { connect, type SmtpSession } from '@acuse/mail/smtp/client';
import { issueCertificate } from '@acuse/testkit/certificate';
import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { PATIENCE } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createTenant } from '../../src/accounts/tenants/operations.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createChanges } from '../../src/platform/database/changes.ts';
import { type Db, openDb } from '../../src/platform/database/db.ts';
import { behind, SANDBOX_DOOR } from '../../src/platform/http/door.ts';
import { SCOPES } from '../../src/platform/http/http.ts';
import { createHttpServer } from '../../src/platform/http/http-server.ts';
import { newId } from '../../src/platform/ids.ts';
import { createLog } from '../../src/platform/logger.ts';
import type { IncomingMail } from '../../src/platform/smtp/smtp-types.ts';
import { GREYLIST_MS, SLOW_MS } from '../../src/sandbox/behaviour.ts';
import { createSandboxMailbox, type SandboxMailbox } from '../../src/sandbox/mailbox.ts';
import { sandboxMailboxRoutes } from '../../src/sandbox/mailbox-routes.ts';

const log = createLog('silent');
const certificate = issueCertificate({ subject: 'mailbox.test', names: ['mailbox.test'] });

let database: TestDatabase;
let db: Db;
let mailbox: SandboxMailbox;
let port: number;
let nowMs = 1_000;
const slept: number[] = [];
const reported: { kind: string; mail: IncomingMail }[] = [];

beforeAll(async () => {
  database = await testDatabase();
  db = openDb({ connectionString: database.url, poolSize: 4, applicationName: 'test' });
  mailbox = createSandboxMailbox({
    db,
    log,
    clock: { now: () => new Date(), monotonicMs: () => nowMs },
    host: '127.0.0.1',
    port: 0,
    hostname: 'mailbox.test',
    certificate,
    async react(kind, mail) {
      reported.push({ kind, mail });
    },
    async sleep(ms) {
      slept.push(ms);
    },
  });
  port = await mailbox.start();
});

afterAll(async () => {
  await mailbox.stop();
  await db.close();
  await database.drop();
});

async function session(tls: 'off' | 'opportunistic' = 'opportunistic'): Promise<SmtpSession> {
  const result = await connect({
    host: 'mailbox.test',
    address: '127.0.0.1',
    port,
    ehloName: 'client.test',
    tls: { mode: tls },
    clock: { now: () => performance.now() },
  });
  if (result.kind !== 'ready') throw new Error(`no session: ${JSON.stringify(result)}`);
  return result.session;
}

async function send(forwardPath: string, reversePath = 'b+token@bounce.test', text = 'Hello') {
  const open = await session();
  const data = [
    Buffer.from(
      `Service-Evidence: v=1; id=01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11; log=x\r\nFrom: a@sandbox.test\r\nTo: ${forwardPath}\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\n\r\n${text}\r\n`,
    ),
  ];
  const result = await open.send({ reversePath, forwardPath, data });
  await open.quit();
  return result;
}

function replyOf(result: Awaited<ReturnType<typeof send>>) {
  if (result.kind !== 'accepted' && result.kind !== 'refused') throw new Error(JSON.stringify(result));
  return [result.reply.code, result.reply.enhanced];
}

describe('behaving addresses', () => {
  test.each([
    ['delivered@sandbox.test', [250, '2.0.0']],
    ['anybody@sandbox.test', [250, '2.0.0']],
    ['bounced@elsewhere.test', [250, '2.0.0']],
    ['bounced@sandbox.test', [550, '5.1.1']],
    ['Bounced+tag@Sandbox.Test', [550, '5.1.1']],
    ['blocked@sandbox.test', [554, '5.7.1']],
    ['complained@sandbox.test', [250, '2.0.0']],
    ['async-bounced+1@sandbox.test', [250, '2.0.0']],
  ])('%s', async (address, expected) => {
    expect(replyOf(await send(address))).toEqual(expected);
  });

  test('some react to what they took', async () => {
    for (const name of ['reads', 'Acknowledges+2', 'refuses']) await send(`${name}@sandbox.test`);
    expect(reported.map(({ kind, mail }) => [kind, mail.reversePath, mail.forwardPaths[0]])).toEqual([
      ['complaint', 'b+token@bounce.test', 'complained@sandbox.test'],
      ['bounce', 'b+token@bounce.test', 'async-bounced+1@sandbox.test'],
      ['receipt', 'b+token@bounce.test', 'reads@sandbox.test'],
      ['acknowledged', 'b+token@bounce.test', 'Acknowledges+2@sandbox.test'],
      ['refused', 'b+token@bounce.test', 'refuses@sandbox.test'],
    ]);
  });

  test('deferred refuses each message twice and then takes it', async () => {
    const codes = async (token: string) =>
      replyOf(await send('deferred@sandbox.test', `b+${token}@bounce.test`))[0];
    expect([await codes('one'), await codes('one'), await codes('two'), await codes('one')]).toEqual([
      451, 451, 451, 250,
    ]);
    expect([await codes('two'), await codes('two')]).toEqual([451, 250]);
  });

  test('greylisted wants to be waited for', async () => {
    expect(replyOf(await send('greylisted@sandbox.test'))).toEqual([451, '4.7.1']);
    expect(replyOf(await send('greylisted@sandbox.test'))).toEqual([451, '4.7.1']);
    nowMs += GREYLIST_MS;
    expect(replyOf(await send('greylisted@sandbox.test'))).toEqual([250, '2.0.0']);
  });

  test('slow takes its time over the last answer', async () => {
    expect(replyOf(await send('slow@sandbox.test'))[0]).toBe(250);
    expect(slept).toEqual([SLOW_MS]);
  });
});

test('offers STARTTLS and keeps what was used', async () => {
  const result = await send('tls@sandbox.test');
  expect(result.facts.tls?.version).toBe('TLSv1.3');
  const open = await session('off');
  await open.send({
    reversePath: '',
    forwardPath: 'plain@sandbox.test',
    data: [Buffer.from('Subject: x\r\n\r\nx\r\n')],
  });
  await open.quit();
  const rows = await db.query<{ forward_path: string; tls: { version: string } | null }>(
    "select forward_path, tls from sandbox_mail where forward_path in ('tls@sandbox.test', 'plain@sandbox.test') order by mail_id",
  );
  expect(rows.map((row) => row.tls?.version ?? null)).toEqual(['TLSv1.3', null]);
});

describe('end of data', () => {
  /** Sends raw bytes as the data of one message and says what came back for it and what was kept. */
  async function smuggle(data: string): Promise<string> {
    const socket = netConnect(port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString()));
    const wait = (text: RegExp) => vi.waitFor(() => expect(received).toMatch(text), PATIENCE);
    await wait(/^220 /);
    socket.write('EHLO x\r\n');
    await wait(/250 /);
    socket.write('MAIL FROM:<a@x.test>\r\nRCPT TO:<end@sandbox.test>\r\nDATA\r\n');
    await wait(/354 /);
    const before = received.length;
    socket.write(data, 'latin1');
    await vi.waitFor(() => expect(received.slice(before)).toMatch(/^\d{3} .*\r\n/), PATIENCE);
    socket.destroy();
    return received.slice(before).slice(0, 9);
  }

  const smuggled =
    'MAIL FROM:<evil@x.test>\r\nRCPT TO:<end@sandbox.test>\r\nDATA\r\nSubject: smuggled\r\n\r\nx';

  test.each([
    ['LF.LF', '\n.\n'],
    ['LF.CRLF', '\n.\r\n'],
    ['CRLF.LF', '\r\n.\n'],
    ['CR.CR', '\r.\r'],
    ['CR.CRLF', '\r.\r\n'],
    ['CRLF.CR', '\r\n.\r'],
    ['CR.LF', '\r.\n'],
    ['LF.CR', '\n.\r'],
    ['CRLFCR.CRLF', '\r\n\r.\r\n'],
    ['CRLF.NULCRLF', '\r\n.\0\r\n'],
  ])('%s ends nothing', async (_name, sequence) => {
    const before = await db.query('select 1 from sandbox_mail');
    const answer = await smuggle(`Subject: first\r\n\r\nx${sequence}${smuggled}\r\n.\r\n`);
    const after = await db.query<{ raw: Buffer }>('select raw from sandbox_mail order by mail_id desc');
    if (sequence.includes('\0')) {
      // No line end is bare here: one message, with the rest of it as text.
      expect(answer).toBe('250 2.0.0');
      expect(after.length - before.length).toBe(1);
      expect(after[0]!.raw.toString()).toContain('Subject: first');
    } else {
      expect(answer).toBe('550 5.5.2');
      expect(after.length).toBe(before.length);
    }
  });

  test('CRLF.CRLF does, and dots are unstuffed', async () => {
    expect(await smuggle('Subject: dots\r\n\r\n..a\r\n...\r\n.\r\n')).toBe('250 2.0.0');
    const [row] = await db.query<{ raw: Buffer }>(
      'select raw from sandbox_mail order by mail_id desc limit 1',
    );
    expect(row!.raw.toString()).toBe('Subject: dots\r\n\r\n.a\r\n..\r\n');
  });
});

describe('over HTTP', () => {
  let sandboxId: string;
  let tenantId: string;
  const app = createHttpServer({
    log,
    authenticate: async (request) => {
      request.principal = {
        tenantId,
        actor: { kind: 'key', id: newId(), name: 'test' },
        scopes: [...SCOPES],
      };
    },
    trustProxy: null,
  });

  beforeAll(async () => {
    const deps = { db, clock: systemClock, changes: createChanges(db) };
    sandboxId = (await createTenant(deps, { name: 'Sandbox', sandbox: true })).tenantId;
    tenantId = sandboxId;
    sandboxMailboxRoutes(behind(app, SANDBOX_DOOR)('Test mailbox'), { db });
  });
  afterAll(() => app.close());

  async function get(url: string, headers: Record<string, string> = {}) {
    return app.inject({ method: 'GET', url, headers: { host: 'localhost:8025', ...headers } });
  }

  test('lists newest first, filters by recipient, pages, and shows one whole', async () => {
    await send('reader@sandbox.test', 'b+1@bounce.test', 'one');
    await send('reader@sandbox.test', 'b+2@bounce.test', 'two');
    const all = (await get('/sandbox/mailbox')).json();
    expect(all.data[0]).toMatchObject({
      mail_from: 'b+2@bounce.test',
      rcpt_to: 'reader@sandbox.test',
      subject: 'Grüße',
      message_id: '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11',
      client_name: 'client.test',
    });
    const first = (await get('/sandbox/mailbox?to=Reader@sandbox.test&limit=1')).json();
    expect(first.data).toHaveLength(1);
    const second = (
      await get(`/sandbox/mailbox?to=Reader@sandbox.test&limit=1&after=${first.next_cursor}`)
    ).json();
    expect(second.data[0].mail_from).toBe('b+1@bounce.test');
    expect(second.next_cursor).toBeNull();

    const { id } = first.data[0];
    const one = (await get(`/sandbox/mailbox/${id}`)).json();
    expect(one).toMatchObject({ text: 'two\n', html: null, attachments: [] });
    expect(one.headers).toContainEqual({ name: 'To', value: 'reader@sandbox.test' });
    const raw = await get(`/sandbox/mailbox/${id}/raw`);
    expect(raw.headers['content-type']).toBe('message/rfc822');
    expect(raw.body).toMatch(/^Service-Evidence: .*\r\ntwo\r\n$/s);
  });

  test('to the key of another account it is not there, wherever it asks from', async () => {
    const stranger = await createTenant(
      { db, clock: systemClock, changes: createChanges(db) },
      { name: 'Real SA' },
    );
    tenantId = stranger.tenantId;
    try {
      const methods = [
        ['GET', '/sandbox/mailbox'],
        ['GET', `/sandbox/mailbox/${newId()}`],
        ['GET', `/sandbox/mailbox/${newId()}/raw`],
        ['DELETE', '/sandbox/mailbox'],
      ] as const;
      for (const [method, url] of methods) {
        const answer = await app.inject({ method, url, headers: { host: 'localhost:8025' } });
        expect([url, answer.statusCode, answer.json().error.code]).toEqual([url, 404, 'not_found']);
      }
    } finally {
      tenantId = sandboxId;
    }
  });

  test.each([
    '/sandbox/mailbox/1',
    '/sandbox/mailbox/01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11',
    '/sandbox/mailbox/x/raw',
  ])('%s is not found', async (url) => {
    expect((await get(url)).statusCode).toBe(404);
  });
});
