import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { connect as netConnect, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect } from '@acuse/mail/smtp/client';
import { xtext } from '@acuse/mail/smtp/commands';
import { makeReturnPath } from '@acuse/mail/verp';
import { issueCertificate } from '@acuse/testkit/certificate';
import { PATIENCE } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { COUNTED_DAYS } from '../../src/accounts/rates/store.ts';
import { applyReturnedMail } from '../../src/delivery/return-path/return-path.ts';
import {
  createReturnPathListener,
  type ListenerOutcome,
  RETURN_PATH_CLIENTS_MAX,
  type ReturnPathListenerDeps,
} from '../../src/delivery/return-path/return-path-listener.ts';
import { newId } from '../../src/platform/ids.ts';
import { createMetrics, type Metrics } from '../../src/platform/metrics.ts';
import type { SmtpListener } from '../../src/platform/smtp/smtp-listener.ts';
import { createThreads, type Threads } from '../../src/platform/threads/threads.ts';
import { bounceReport, complaintReport } from '../../src/sandbox/foreign-reports.ts';
import { openRawSmtp } from '../support/raw-smtp.ts';
import { composed, type Harness, log, openHarness } from './harness.ts';

const DAY_MS = 86_400_000;
let h: Harness;
let listener: SmtpListener;
let port: number;
let threads: Threads;
let metrics: Metrics;
let tenantId: string;
let outcomes: ListenerOutcome[] = [];

beforeAll(async () => {
  h = await openHarness();
  tenantId = await h.tenant();
  metrics = createMetrics({ log, process: false });
  threads = createThreads({ metrics });
  listener = createReturnPathListener(deps());
  port = await listener.start();
});
const deps = (): ReturnPathListenerDeps => ({
  db: h.db,
  clock: h.clock,
  log,
  threads,
  returnPathSecrets: [h.returnPathSecret],
  hostname: 'mail.acuse.test',
  hosts: ['mail.acuse.test'],
  host: '127.0.0.1',
  port: 0,
  resolver: null,
  certificate: issueCertificate({ subject: 'mail.acuse.test', names: ['mail.acuse.test'] }),
  onOutcome: (outcome) => outcomes.push(outcome),
});
afterAll(async () => {
  await listener.stop();
  await threads.stop();
  await h.close();
});
beforeEach(() => {
  outcomes = [];
});

/** A message that was sent, to a host here, with the return path that a server would report to. */
async function sentMessage(to = `someone-${newId()}@sandbox.test`, address = '127.0.0.1') {
  const id = await h.queue(tenantId, { to });
  const session = { mx: 'mx.sandbox.test', address, stage: 'dot', reply: { code: 250 } };
  await h.db.execute(
    `insert into attempts (tenant_id, message_id, attempt, started_at, finished_at, outcome, sessions)
     values ($1, $2, 1, now(), now(), 'sent', $3)`,
    [tenantId, id, JSON.stringify([session])],
  );
  await h.db.execute(
    "update messages set status = 'sent', sent_at = now(), next_attempt_at = null where message_id = $1",
    [id],
  );
  await h.db.execute('delete from delivery_queue where message_id = $1', [id]);
  const [row] = await h.db.query<{ reverse_path: string }>(
    'select reverse_path from messages where message_id = $1',
    [id],
  );
  return { id, to, reversePath: row!.reverse_path };
}

async function send(forwardPath: string, data: Uint8Array, reversePath = '') {
  const opened = await connect({
    host: 'mail.acuse.test',
    address: '127.0.0.1',
    port,
    ehloName: 'mx.stranger.test',
    tls: { mode: 'opportunistic' },
    clock: { now: () => performance.now() },
  });
  if (opened.kind !== 'ready') throw new Error(JSON.stringify(opened));
  const result = await opened.session.send({ reversePath, forwardPath, data: [data] });
  await opened.session.quit();
  if (result.kind !== 'accepted' && result.kind !== 'refused') throw new Error(JSON.stringify(result));
  return [result.kind === 'refused' ? result.stage : 'dot', result.reply.code, result.reply.enhanced];
}

function report(
  kind: 'bounce' | 'complaint',
  message: { id: string; to: string; reversePath: string },
): Buffer {
  const make = kind === 'bounce' ? bounceReport : complaintReport;
  const raw = composed(message.id, 'sender@sandbox.test', message.to);
  return make({
    reversePath: message.reversePath,
    forwardPath: message.to,
    raw,
    at: new Date(),
    id: newId(),
  });
}

test('a large report is read once, by a thread, for all who are named in it', async () => {
  const [one, other] = [await sentMessage(), await sentMessage()];
  const small = report('bounce', one).toString();
  const large = `${small.trimEnd().replace(/--$/, '')}\r\nContent-Type: text/plain\r\n\r\n${'A line.\r\n'.repeat(50_000)}`;
  const smtp = await openRawSmtp(port);
  await smtp.command('EHLO mx.stranger.test');
  await smtp.command('MAIL FROM:<>');
  for (const { reversePath } of [one, other]) await smtp.command(`RCPT TO:<${reversePath}>`);
  await smtp.command('DATA');
  expect(await smtp.command(`${large}\r\n.`)).toMatch(/^250 /);
  smtp.end();
  expect(outcomes[0]).toBe('bounced');
  expect(outcomes).toHaveLength(2);
  expect((await h.message(one.id)).status).toBe('bounced');
  const text = await metrics.text();
  expect(text).toContain('acuse_thread_jobs_total{job="read-returned",outcome="done"} 1');
});

describe('recipients', () => {
  const foreign = Buffer.alloc(32, 7);
  test.each<[string, () => string | Promise<string>, number]>([
    ['ours', async () => (await sentMessage()).reversePath, 250],
    ['ours, in capitals', async () => (await sentMessage()).reversePath.toUpperCase(), 250],
    ['a role', () => 'postmaster@mail.acuse.test', 250],
    ['a stranger', () => 'webmaster@mail.acuse.test', 550],
    ['a user of ours', () => 'sender@sandbox.test', 550],
    ['no token', () => 'b+@mail.acuse.test', 550],
    ['a token of garbage', () => `b+${'a'.repeat(45)}@mail.acuse.test`, 550],
    [
      'another installation',
      () =>
        makeReturnPath({
          messageId: newId(),
          expiresAt: new Date(Date.now() + DAY_MS),
          secret: foreign,
          domain: 'mail.acuse.test',
        }),
      550,
    ],
    ['expired', () => h.reversePathOf(newId(), null, new Date(Date.now() - 32 * DAY_MS)), 550],
    [
      'a changed letter',
      async () =>
        (await sentMessage()).reversePath.replace(/^b\+./, (c) => (c.endsWith('a') ? 'b+b' : 'b+a')),
      550,
    ],
    ['relaying', () => 'someone@elsewhere.example', 550],
  ])('%s', async (_name, address, code) => {
    const answer = await send(await address(), Buffer.from('Subject: x\r\n\r\nhello\r\n'));
    expect(answer).toEqual([code === 250 ? 'dot' : 'rcpt', code, code === 250 ? '2.0.0' : '5.1.1']);
  });

  test('a session that keeps guessing is ended', async () => {
    const socket = netConnect(port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString()));
    await vi.waitFor(() => expect(received).toMatch(/^220 /), PATIENCE);
    socket.write('EHLO x\r\nMAIL FROM:<>\r\n');
    for (let i = 0; i < 30; i++) socket.write(`RCPT TO:<guess${i}@mail.acuse.test>\r\n`);
    await vi.waitFor(() => expect(socket.closed || received.includes('421 4.7.0')).toBe(true), PATIENCE);
    expect(received.match(/550 5\.1\.1/g)).toHaveLength(20);
    socket.destroy();
  });

  test.each([
    ['ten addresses', (n: number) => `127.1.${n % 10}.1`],
    ['as many networks', (n: number) => `127.${2 + (n >> 8)}.${n & 255}.1`],
  ])(
    'sessions of %s that name none of ours keep nobody’s report out, nor end one that comes',
    async (_, addressOf) => {
      const { reversePath } = await sentMessage();
      const known = await openRawSmtp(port, { localAddress: '127.200.1.1' });
      for (const line of ['EHLO mx.test', 'MAIL FROM:<>', `RCPT TO:<${reversePath}>`])
        await known.command(line);
      const silent: Socket[] = [];
      for (let n = 0; n < RETURN_PATH_CLIENTS_MAX + 20; n++) {
        const socket = netConnect({ port, host: '127.0.0.1', localAddress: addressOf(n) });
        socket.on('error', () => {}).resume();
        silent.push(socket);
        await once(socket, 'connect');
      }
      await vi.waitFor(
        () => expect(silent.filter(({ destroyed }) => destroyed).length).toBeGreaterThanOrEqual(20),
        PATIENCE,
      );
      expect((await send('x@mail.acuse.test', Buffer.from('x')))[1]).toBe(550);
      expect(await known.command('RSET')).toMatch(/^250 /);
      known.end();
      for (const socket of silent) socket.destroy();
    },
  );

  test('a session that names none of ours is ended in time, whatever else it says', async () => {
    const hasty = createReturnPathListener({ ...deps(), timeouts: { firstAct: 700 } });
    const smtp = await openRawSmtp(await hasty.start());
    let reply = await smtp.command('EHLO mx.test');
    for (const line of [
      'MAIL FROM:<>',
      'RCPT TO:<postmaster@mail.acuse.test>',
      'RCPT TO:<x@mail.acuse.test>',
    ])
      reply = await smtp.command(line);
    expect(reply).toMatch(/^550 /);
    expect(await smtp.reply()).toBe('421 4.4.2 Timed out: no recipient of ours received');
    await smtp.closed;
    await hasty.stop();
  });
});

describe('what comes back', () => {
  test('a late bounce ends a sent message, tells its tenant and suppresses its recipient', async () => {
    const message = await sentMessage();
    expect(await send(message.reversePath, report('bounce', message))).toEqual(['dot', 250, '2.0.0']);
    expect(outcomes).toEqual(['bounced']);
    const facts = await h.message(message.id);
    expect(facts).toMatchObject({ status: 'bounced', last_reply: { code: 550, enhanced: '5.1.1' } });
    expect(facts.bounced_at).not.toBeNull();
    expect(facts.events).toEqual([
      {
        type: 'email.bounced',
        data: {
          to: message.to,
          bounce_type: 'hard',
          bounce: { type: 'hard', reason: 'mailbox_unknown', source: 'report' },
          reply_code: 550,
          enhanced: '5.1.1',
          reply: expect.stringContaining('does not exist'),
          asynchronous: true,
        },
      },
    ]);
    expect(facts.reports.map(({ action }) => action)).toEqual(['failed']);
    expect(
      await h.db.query('select source, message_id from suppressions where address = $1', [message.to]),
    ).toEqual([{ source: 'bounce', message_id: message.id }]);
  });

  test('a complaint ends it too', async () => {
    const message = await sentMessage();
    await send(message.reversePath, report('complaint', message));
    const facts = await h.message(message.id);
    expect(facts.status).toBe('complained');
    expect(facts.events).toEqual([
      { type: 'email.complained', data: { to: message.to, feedback_type: 'abuse' } },
    ]);
    expect(await h.db.query('select source from suppressions where address = $1', [message.to])).toEqual([
      { source: 'complaint' },
    ]);
  });

  test('said twice, it counts once', async () => {
    const message = await sentMessage();
    await send(message.reversePath, report('bounce', message));
    await send(message.reversePath, report('bounce', message));
    await send(message.reversePath, report('complaint', message));
    expect(outcomes).toEqual(['bounced', 'ignored', 'ignored']);
    const facts = await h.message(message.id);
    expect([facts.status, facts.events.length]).toEqual(['bounced', 1]);
  });

  test('counters move with the message', async () => {
    const other = await h.tenant();
    const id = await h.queue(other, { to: 'counted@sandbox.test' });
    await h.db.execute(
      "update messages set status = 'sent', sent_at = now(), next_attempt_at = null where message_id = $1",
      [id],
    );
    const reversePath = h.reversePathOf(id, null, h.clock.now());
    await send(reversePath, report('bounce', { id, to: 'counted@sandbox.test', reversePath }));
    expect(
      await h.db.query(`select sent, bounced, complained from ${COUNTED_DAYS} counted`, [other]),
    ).toEqual([{ sent: 0, bounced: 1, complained: 0 }]);
  });

  test('a report about a message not on record as sent is put off', async () => {
    const to = 'early@sandbox.test';
    const id = await h.queue(tenantId, { to });
    const reversePath = h.reversePathOf(id, null, h.clock.now());
    expect(await send(reversePath, report('bounce', { id, to, reversePath }))).toEqual(['dot', 451, '4.3.0']);
    expect(await send(reversePath, report('complaint', { id, to, reversePath }))).toEqual([
      'dot',
      451,
      '4.3.0',
    ]);
    const facts = await h.message(id);
    expect([facts.status, facts.events.length, facts.queued]).toEqual(['queued', 0, true]);
    expect(await h.db.query('select 1 from suppressions where address = $1', [to])).toEqual([]);
  });

  test('a bounce of somebody else, to whom the mail was forwarded, ends it and suppresses nobody', async () => {
    const message = await sentMessage();
    const text = report('bounce', message)
      .toString()
      .replace(
        `Final-Recipient: rfc822; ${message.to}`,
        'Final-Recipient: rfc822; forwarded@elsewhere.example',
      );
    await send(message.reversePath, Buffer.from(text));
    expect((await h.message(message.id)).status).toBe('bounced');
    expect(
      await h.db.query("select 1 from suppressions where address in ($1, 'forwarded@elsewhere.example')", [
        message.to,
      ]),
    ).toEqual([]);
  });

  test.each<[string, (address: string) => string]>([
    ['as it is', (address) => address],
    ['in xtext', xtext],
  ])('a bounce of an address with a tag, reported %s, ends it and suppresses it', async (_name, written) => {
    for (const tag of ['2024', '54c', 'A1B2', '2B', '3D4', 'C3', '99', '20']) {
      const message = await sentMessage(`ana.${newId()}+${tag}@sandbox.test`);
      const text = report('bounce', message)
        .toString()
        .replace(/^((?:Original|Final)-Recipient: rfc822; ?).*$/gm, `$1${written(message.to)}`);
      expect(text).toContain(`Final-Recipient: rfc822; ${written(message.to)}`);
      // By the host that had taken it.
      const peer = { clientName: 'mx.sandbox.test', clientAddress: '127.0.0.1', tls: null };
      await applyReturnedMail(
        { db: h.db, clock: h.clock, hostname: 'mail.acuse.test', resolver: null },
        message.id,
        { raw: Buffer.from(text), forwardPath: message.reversePath, reversePath: '', ...peer },
      );
      expect([tag, (await h.message(message.id)).status]).toEqual([tag, 'bounced']);
      const found = await h.db.query('select 1 from suppressions where address = $1', [
        message.to.toLowerCase(),
      ]);
      expect([tag, found.length]).toEqual([tag, 1]);
    }
  });

  test('a report on several recipients is read for ours alone', async () => {
    const message = await sentMessage();
    const text = report('bounce', message)
      .toString()
      .replace(/(Original-Recipient: [\s\S]*?does not exist\r\n)/, (block) => {
        const other = block.replaceAll(message.to, 'other@elsewhere.example');
        const ours = block
          .replace('Action: failed', 'Action: delayed')
          .replace('5.1.1', '4.2.2')
          .replace('550 5.1.1', '452 4.2.2');
        return `${other}\r\n${ours}`;
      });
    await send(message.reversePath, Buffer.from(text));
    expect(outcomes).toEqual(['ignored']);
    expect((await h.message(message.id)).status).toBe('sent');
    expect(await h.db.query("select 1 from suppressions where address = 'other@elsewhere.example'")).toEqual(
      [],
    );
  });

  test.each([
    [
      'an automatic reply',
      'From: someone@sandbox.test\r\nAuto-Submitted: auto-replied\r\nSubject: Out of office\r\n\r\nI am away.\r\n',
    ],
    ['a letter', 'From: someone@sandbox.test\r\nSubject: Hello\r\n\r\nThank you for your message.\r\n'],
    ['nothing', ''],
  ])('%s changes nothing', async (_name, text) => {
    const message = await sentMessage();
    expect((await send(message.reversePath, Buffer.from(text), 'someone@sandbox.test'))[1]).toBe(250);
    expect((await h.message(message.id)).status).toBe('sent');
  });

  test('a late bounce that is no bad address suppresses nobody', async () => {
    const message = await sentMessage();
    const text = report('bounce', message)
      .toString()
      .replace('Status: 5.1.1', 'Status: 5.7.1')
      .replace(/smtp; 550 5\.1\.1 .*/, 'smtp; 554 5.7.1 Message refused: listed at a block list');
    await send(message.reversePath, Buffer.from(text));
    const facts = await h.message(message.id);
    expect(facts.events[0]!.data).toMatchObject({ bounce_type: 'policy', asynchronous: true });
    expect(await h.db.query('select 1 from suppressions where address = $1', [message.to])).toEqual([]);
  });

  test('a late bounce of no standard kind ends it with a report of our own', async () => {
    const message = await sentMessage('old@sandbox.test');
    const text = `From: MAILER-DAEMON@old.example\r\nSubject: failure notice\r\n\r\nHi. This is the qmail-send program at old.example.\r\n\r\n<${message.to}>:\r\n192.0.2.1 does not like recipient.\r\nRemote host said: 550 5.1.1 no such user\r\nGiving up on 192.0.2.1.\r\n`;
    await send(message.reversePath, Buffer.from(text));
    const facts = await h.message(message.id);
    expect([facts.status, facts.last_reply?.code]).toEqual(['bounced', 550]);
    expect(facts.reports[0]!.report).toMatch(/^From: Mail Delivery System <MAILER-DAEMON@mail\.acuse\.test>/);
    expect(facts.reports[0]!.report).toContain(`Final-Recipient: rfc822; ${message.to}`);
    expect(facts.reports[0]!.report).toContain(`id=${message.id}`);
  });

  test('a report from nobody whose subject says what it is ends the message', async () => {
    const message = await sentMessage();
    const text = `From: servicio@old.example\r\nSubject: Delivery status notification: error\r\n\r\nA problem with these:\r\n\r\n${message.to}: Envelope expired\r\n`;
    await send(message.reversePath, Buffer.from(text));
    expect((await h.message(message.id)).status).toBe('bounced');
  });

  test('a report that names nobody is kept', async () => {
    const message = await sentMessage();
    const text =
      'From: postmaster@mms.example\r\nSubject: Undeliverable message\r\n\r\nError: The subscriber does not exist.\r\n';
    await send(message.reversePath, Buffer.from(text));
    const { status, reports } = await h.message(message.id);
    expect([status, reports.map(({ action }) => action)]).toEqual(['sent', ['other']]);
  });

  test('a letter from nobody changes nothing, whatever its words', async () => {
    const message = await sentMessage('ana@sandbox.test');
    const text = 'From: noreply@a.example\r\nSubject: Gracias\r\n\r\nEse usuario no existe: soy ana.\r\n';
    await send(message.reversePath, Buffer.from(text));
    expect((await h.message(message.id)).status).toBe('sent');
  });

  test('news of delivery is kept and changes no state', async () => {
    const message = await sentMessage();
    const text = report('bounce', message)
      .toString()
      .replace('Action: failed', 'Action: delivered')
      .replace('Status: 5.1.1', 'Status: 2.1.5')
      .replace(/Diagnostic-Code: .*\r\n/, '');
    await send(message.reversePath, Buffer.from(text));
    const facts = await h.message(message.id);
    expect([facts.status, facts.events.length, facts.reports.map(({ action }) => action)]).toEqual([
      'sent',
      0,
      ['delivered'],
    ]);
  });
});

describe('end of data', () => {
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
  ])('%s ends nothing: what follows is refused with it', async (_name, sequence) => {
    const outer = await sentMessage();
    const inner = await sentMessage();
    const socket = netConnect(port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString()));
    await vi.waitFor(() => expect(received).toMatch(/^220 /), PATIENCE);
    socket.write(`EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<${outer.reversePath}>\r\nDATA\r\n`);
    await vi.waitFor(() => expect(received).toMatch(/354 /), PATIENCE);
    const before = received.length;
    socket.write(`Subject: x\r\n\r\nx${sequence}MAIL FROM:<>\r\nRCPT TO:<${inner.reversePath}>\r\nDATA\r\n`);
    socket.write(report('bounce', inner));
    socket.write('\r\n.\r\n');
    await vi.waitFor(() => expect(received.slice(before)).toMatch(/\r\n/), PATIENCE);
    expect(received.slice(before)).toMatch(/^550 5\.5\.2 [^\r\n]*\r\n$/);
    socket.destroy();
    expect(outcomes).toEqual([]);
    expect((await h.message(inner.id)).status).toBe('sent');
  });

  test('over 10 MiB is refused', async () => {
    const message = await sentMessage();
    const line = `${'x'.repeat(998)}\r\n`;
    const data = Buffer.from(`Subject: x\r\n\r\n${line.repeat(10_600)}`);
    const socket = netConnect(port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString()));
    await vi.waitFor(() => expect(received).toMatch(/^220 /), PATIENCE);
    socket.write(`EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<${message.reversePath}>\r\nDATA\r\n`);
    await vi.waitFor(() => expect(received).toMatch(/354 /), PATIENCE);
    const before = received.length;
    socket.write(data);
    socket.write('.\r\n');
    await vi.waitFor(() => expect(received.slice(before)).toMatch(/\r\n/), PATIENCE);
    expect(received.slice(before)).toMatch(/^552 5\.3\.4 /);
    socket.destroy();
  });
});

const folder = join(
  process.env['ACUSE_CORPORA'] ?? join(import.meta.dirname, '../../../../shared/corpora'),
  'bounces',
);
const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.eml')) : [];

const STRANGER = { clientName: 'mx.stranger.test', clientAddress: '127.0.0.1', tls: null };

test.skipIf(files.length === 0)(
  `${files.length} real bounces: each ends or is ignored, at once, and none suppresses an address it does not name (skipped without ACUSE_CORPORA)`,
  async () => {
    const bounced = "select count(*)::int as count from suppressions where source = 'bounce'";
    const [before] = await h.db.query(bounced);
    const message = await sentMessage();
    for (const name of files) {
      const bytes = Buffer.from(
        readFileSync(join(folder, name), 'latin1').replace(/\r?\n/g, '\r\n'),
        'latin1',
      );
      // In time of the processor: the clock also runs for whatever else this machine does.
      const started = process.cpuUsage();
      const outcome = await applyReturnedMail(
        { db: h.db, clock: h.clock, hostname: 'mail.acuse.test', resolver: null },
        message.id,
        { raw: bytes, forwardPath: message.reversePath, reversePath: '', ...STRANGER },
      );
      expect(['bounced', 'complained', 'kept', 'ignored'], name).toContain(outcome);
      const { user, system } = process.cpuUsage(started);
      expect((user + system) / 1_000, name).toBeLessThan(1_000);
      await h.db.execute("update messages set status = 'sent' where message_id = $1", [message.id]);
    }
    expect(await h.db.query(bounced)).toEqual([before]);
  },
);
