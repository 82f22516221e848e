import { readReturnedMail } from '@acuse/mail/report/read-report';
import { issueCertificate } from '@acuse/testkit/certificate';
import { PATIENCE } from '@acuse/testkit/eventually';
import { authenticate } from 'mailauth';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { COUNTED_DAYS } from '../../src/accounts/rates/store.ts';
import { sandboxRouter } from '../../src/delivery/next-hop/router.ts';
import { findReport } from '../../src/delivery/read-store.ts';
import type { Delivery } from '../../src/delivery/worker.ts';
import { createSandboxMailbox, type SandboxMailbox } from '../../src/sandbox/mailbox.ts';
import { type Harness, log, openHarness } from './harness.ts';

const MINUTE_MS = 60_000;
let h: Harness;
let mailbox: SandboxMailbox;
let worker: Delivery;
let tenantId: string;
let dkimRecords: Map<string, string>;

beforeAll(async () => {
  h = await openHarness();
  mailbox = createSandboxMailbox({
    db: h.db,
    log,
    clock: h.clock,
    host: '127.0.0.1',
    port: 0,
    hostname: 'mailbox.test',
    certificate: issueCertificate({ subject: 'mailbox.test', names: ['mailbox.test'] }),
    sleep: async () => {},
  });
  const port = await mailbox.start();
  tenantId = await h.tenant();
  dkimRecords = await h.domain(tenantId, 'sandbox.test');
  worker = h.worker(sandboxRouter({ host: 'mailbox.test', address: '127.0.0.1', port }));
  worker.start();
});

afterAll(async () => {
  await h.close();
  await mailbox.stop();
});

async function settles(messageId: string, status: string, attempts = 1) {
  worker.wake();
  await vi.waitFor(async () => {
    const { status: now, attempts: made } = await h.message(messageId);
    expect([now, made]).toEqual([status, attempts]);
  }, PATIENCE);
  return h.message(messageId);
}

test('a delivered message is sent, signed with both keys, and on record with its transcript', async () => {
  const id = await h.queue(tenantId, { to: 'delivered@sandbox.test' });
  const message = await settles(id, 'sent');
  expect(message).toMatchObject({
    queued: false,
    next_attempt_at: null,
    last_reply: { code: 250, enhanced: '2.0.0', mx: 'mailbox.test' },
  });
  expect(message.last_reply?.text).toMatch(/^OK: kept as /);
  expect(message.sent_at).not.toBeNull();
  expect(message.events).toEqual([
    {
      type: 'email.sent',
      data: {
        to: 'delivered@sandbox.test',
        mx: 'mailbox.test',
        reply_code: 250,
        enhanced: '2.0.0',
        reply: message.last_reply!.text,
        tls: expect.objectContaining({ version: 'TLSv1.3', authorized: false }),
      },
    },
  ]);
  const [attempt] = message.attemptRows;
  expect(attempt).toMatchObject({ attempt: 1, outcome: 'sent', bounce_type: null });
  const [session] = attempt!['sessions'] as [
    { transcript: { who: string; line: string }[]; address: string },
  ];
  expect(session.address).toBe('127.0.0.1');
  const lines = session.transcript.map(({ who, line }) => `${who}: ${line}`);
  expect(lines[0]).toMatch(/^S: 220 /);
  expect(lines).toContainEqual(expect.stringMatching(/^C: MAIL FROM:<b\+redacted@mail\.acuse\.test>/));
  expect(lines).toContainEqual('C: RCPT TO:<delivered@sandbox.test>');

  const [mail] = await h.db.query<{ raw: Buffer }>(
    "select raw from sandbox_mail where forward_path = 'delivered@sandbox.test'",
  );
  const verdict = await authenticate(mail!.raw, {
    ip: '127.0.0.1',
    helo: 'x',
    sender: 'x@mail.acuse.test',
    resolver: async (name: string, type: string) => {
      const record = type === 'TXT' ? dkimRecords.get(name) : undefined;
      if (record === undefined) throw Object.assign(new Error('none'), { code: 'ENOTFOUND' });
      return [[record]];
    },
  });
  expect(
    verdict.dkim.results.map((result) => [
      result.signingDomain,
      result.status.result,
      (result as { algo?: string }).algo,
    ]),
  ).toEqual([
    ['sandbox.test', 'pass', 'rsa-sha256'],
    ['sandbox.test', 'pass', 'ed25519-sha256'],
  ]);
});

test('a hard bounce ends the message and lists its recipient, and the next to it bounces as well', async () => {
  const id = await h.queue(tenantId, { to: 'Bounced+1@sandbox.test' });
  const message = await settles(id, 'bounced');
  expect(message).toMatchObject({ queued: false, last_reply: { code: 550, enhanced: '5.1.1' } });
  expect(message.events[0]).toMatchObject({
    type: 'email.bounced',
    data: {
      to: 'Bounced+1@sandbox.test',
      bounce_type: 'hard',
      bounce: { type: 'hard', reason: 'mailbox_unknown', source: 'reply' },
      reply_code: 550,
      enhanced: '5.1.1',
      asynchronous: false,
    },
  });
  expect(await h.db.query('select address, source, message_id from suppressions')).toEqual([
    { address: 'bounced+1@sandbox.test', source: 'bounce', message_id: id },
  ]);
  const kept = 'select bounce_type, bounce_reason from attempts where message_id = $1';
  expect(await h.db.query(kept, [id])).toEqual([{ bounce_type: 'hard', bounce_reason: 'mailbox_unknown' }]);
  const second = await h.queue(tenantId, { to: 'bounced+1@sandbox.test' });
  const ended = await settles(second, 'bounced');
  expect(ended.events[0]!.data).toMatchObject({ bounce_type: 'hard', reply_code: 550 });
});

test('a policy refusal is not taken for a bad address', async () => {
  const id = await h.queue(tenantId, { to: 'blocked@sandbox.test' });
  const message = await settles(id, 'bounced');
  expect(message.events[0]!.data).toMatchObject({ bounce_type: 'policy', enhanced: '5.7.1' });
  expect(await h.db.query("select 1 from suppressions where address = 'blocked@sandbox.test'")).toEqual([]);
});

test('a deferred message is tried again on schedule until it is taken, and counts as deferred once', async () => {
  const before = await counters();
  const id = await h.queue(tenantId, { to: 'deferred@sandbox.test' });
  const first = await settles(id, 'deferred', 1);
  expect(first.next_attempt_at!.getTime() - first.deferred_at!.getTime()).toBe(2 * MINUTE_MS);
  expect(first.events[0]).toMatchObject({
    type: 'email.deferred',
    data: {
      to: 'deferred@sandbox.test',
      attempt: 1,
      next_attempt_at: first.next_attempt_at!.toISOString(),
      deferral: { reason: 'system_error', source: 'reply' },
      reply_code: 451,
      enhanced: '4.3.0',
    },
  });
  h.clock.forward(2 * MINUTE_MS);
  const second = await settles(id, 'deferred', 2);
  expect(second.next_attempt_at!.getTime() - second.deferred_at!.getTime()).toBe(5 * MINUTE_MS);
  h.clock.forward(5 * MINUTE_MS);
  const third = await settles(id, 'sent', 3);
  expect(third.attemptRows.map((row) => row['outcome'])).toEqual(['deferred', 'deferred', 'sent']);
  const after = await counters();
  expect([after.deferred - before.deferred, after.sent - before.sent]).toEqual([1, 1]);
});

test('greylisting is waited out', async () => {
  const id = await h.queue(tenantId, { to: 'greylisted@sandbox.test' });
  await settles(id, 'deferred', 1);
  h.clock.forward(2 * MINUTE_MS);
  await settles(id, 'sent', 2);
});

test('slow, complained and async-bounced addresses take the message', async () => {
  for (const to of ['slow@sandbox.test', 'complained@sandbox.test', 'async-bounced@sandbox.test']) {
    await settles(await h.queue(tenantId, { to }), 'sent');
  }
});

test('connections are used again', async () => {
  const ids = await Promise.all(
    Array.from({ length: 60 }, (_, i) => h.queue(tenantId, { to: `reuse${i}@sandbox.test` })),
  );
  worker.wake();
  await vi.waitFor(async () => {
    const [row] = await h.db.query<{ count: number }>(
      'select count(*)::int as count from messages where message_id = any ($1) and status = $2',
      [ids, 'sent'],
    );
    expect(row!.count).toBe(60);
  }, PATIENCE);
  const sessions = await h.db.query<{ earlier: number }>(
    "select (s ->> 'earlier_messages')::int as earlier from attempts, json_array_elements(sessions) s where message_id = any ($1)",
    [ids],
  );
  expect(sessions.filter(({ earlier }) => earlier === 0).length).toBeLessThanOrEqual(20);
});

test('after 48 hours without success a message bounces as expired', async () => {
  const id = await h.queue(tenantId, {
    to: 'deferred+old@sandbox.test',
    createdAt: new Date(h.clock.now().getTime() - 48 * 60 * MINUTE_MS - 1),
  });
  const message = await settles(id, 'bounced');
  expect(message.events[0]!.data).toMatchObject({ bounce_type: 'expired', reply_code: 451 });
  expect(await h.db.query("select 1 from suppressions where address like 'deferred%'")).toEqual([]);
});

describe('delivery status notifications', () => {
  test('relayed for a sent message, failed for a bounced one', async () => {
    const sent = await settles(await h.queue(tenantId, { to: 'report1@sandbox.test' }), 'sent');
    expect(sent.reports.map(({ action }) => action)).toEqual(['relayed']);
    const relayed = readReturnedMail(Buffer.from(sent.reports[0]!.report));
    expect(relayed).toMatchObject({
      kind: 'report',
      report: {
        reportingMta: 'mail.acuse.test',
        recipients: [
          {
            finalRecipient: 'report1@sandbox.test',
            action: 'relayed',
            status: '2.0.0',
            remoteMta: 'mailbox.test',
            replyCode: 250,
          },
        ],
      },
    });
    const bounced = await settles(await h.queue(tenantId, { to: 'bounced+report@sandbox.test' }), 'bounced');
    expect(readReturnedMail(Buffer.from(bounced.reports[0]!.report))).toMatchObject({
      report: {
        recipients: [
          {
            finalRecipient: 'bounced+report@sandbox.test',
            action: 'failed',
            status: '5.1.1',
            replyCode: 550,
          },
        ],
      },
    });
    expect(bounced.reports[0]!.report).toContain('Message-ID: <');
    expect(bounced.reports[0]!.report).not.toContain('Hello there.');
  });

  test('delayed once, when a message has been deferred for over four hours', async () => {
    const createdAt = new Date(h.clock.now().getTime() - 5 * 60 * MINUTE_MS);
    const id = await h.queue(tenantId, { to: 'deferred+delayed@sandbox.test', createdAt });
    const first = await settles(id, 'deferred', 1);
    expect(first.reports.map(({ action }) => action)).toEqual(['delayed']);
    expect(first.reports[0]!.report).toContain('Will-Retry-Until: ');
    const shown = await shownReport(id);
    expect(shown).toBe(first.reports[0]!.report);
    h.clock.forward(2 * MINUTE_MS);
    expect((await settles(id, 'deferred', 2)).reports).toHaveLength(1);
    expect(await shownReport(id)).toBe(shown);
    h.clock.forward(5 * MINUTE_MS);
    expect((await settles(id, 'sent', 3)).reports.map(({ action }) => action)).toEqual([
      'delayed',
      'relayed',
    ]);
    expect(await shownReport(id)).toContain('Action: relayed');
  });

  test('without the header of a message whose content is gone', async () => {
    const id = await h.queue(tenantId, { to: 'delivered+gone@sandbox.test' });
    await settles(id, 'sent');
    expect(await shownReport(id)).toContain('\r\nFrom: ');
    await h.db.execute('delete from message_contents where message_id = $1', [id]);
    const report = await shownReport(id);
    expect(report).toContain('Action: relayed');
    expect(report?.slice(report.indexOf('\r\n\r\n'))).not.toContain('\r\nFrom: ');
  });
});

async function shownReport(id: string): Promise<string | undefined> {
  const report = await findReport(h.db, tenantId, id);
  return report === null ? undefined : Buffer.from(report.write()).toString();
}

async function counters() {
  const [row] = await h.db.query<{ sent: number; deferred: number }>(
    `select coalesce(sum(sent), 0)::int as sent, coalesce(sum(deferred), 0)::int as deferred
       from ${COUNTED_DAYS} counted`,
    [tenantId],
  );
  return row!;
}
