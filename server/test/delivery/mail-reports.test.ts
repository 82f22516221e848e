import { createHash } from 'node:crypto';
import type { MailReportFacts } from '@acuse/evidence/delivery-facts';
import { tokenOf } from '@acuse/mail/verp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MailToReturnPath } from '../../src/delivery/return-path/mail-facts.ts';
import { applyReturnedMail } from '../../src/delivery/return-path/return-path.ts';
import { newId } from '../../src/platform/ids.ts';
import { bounceReport, complaintReport } from '../../src/sandbox/foreign-reports.ts';
import { composed, type Harness, openHarness } from './harness.ts';

/** Acts of a forger who has got hold of a return path, possible and not, and the record of any report. */

let h: Harness;
let tenantId: string;
beforeAll(async () => {
  h = await openHarness();
  tenantId = await h.tenant();
});
afterAll(() => h.close());

interface Sent {
  readonly id: string;
  readonly to: string;
  readonly reversePath: string;
}

async function sent(to = `ana-${newId()}@receiver.test`): Promise<Sent> {
  const id = await h.queue(tenantId, { to });
  await h.db.execute(
    `update messages set status = 'sent', sent_at = now(), next_attempt_at = null,
            last_reply = '{"code": 250, "enhanced": "2.0.0", "text": "Ok", "mx": "mx.receiver.test"}'
      where message_id = $1`,
    [id],
  );
  const session = { mx: 'mx.receiver.test', address: '192.0.2.25', stage: 'dot', reply: { code: 250 } };
  await h.db.execute(
    `insert into attempts (tenant_id, message_id, attempt, started_at, finished_at, outcome, sessions)
     values ($1, $2, 1, now(), now(), 'sent', $3)`,
    [tenantId, id, JSON.stringify([session])],
  );
  return { id, to, reversePath: h.reversePathOf(id, null, h.clock.now()) };
}

const HOST = { clientName: 'out.receiver.test', clientAddress: '192.0.2.26', tls: null };
const STRANGER = { clientName: 'mx.receiver.test', clientAddress: '203.0.113.9', tls: null };

function bounceOf(message: Sent): Buffer {
  const raw = composed(message.id, 'sender@sandbox.test', message.to);
  return bounceReport({
    reversePath: message.reversePath,
    forwardPath: message.to,
    raw,
    at: new Date(),
    id: newId(),
  });
}

function complaintOf(message: Sent): Buffer {
  const raw = composed(message.id, 'sender@sandbox.test', message.to);
  return complaintReport({
    reversePath: message.reversePath,
    forwardPath: message.to,
    raw,
    at: new Date(),
    id: newId(),
  });
}

function apply(message: Sent, raw: Buffer, peer: Partial<MailToReturnPath> = HOST) {
  const mail = { ...HOST, reversePath: '', raw, forwardPath: message.reversePath, ...peer };
  const deps = { db: h.db, clock: h.clock, hostname: 'mail.acuse.test', resolver: null };
  return applyReturnedMail(deps, message.id, mail);
}

async function stored(message: Sent) {
  const [row] = await h.db.query<{ reported_by_mail: MailReportFacts | null }>(
    'select reported_by_mail from messages where message_id = $1',
    [message.id],
  );
  const reports = await h.db.query<{ action: string; report: Buffer; reported_by_mail: MailReportFacts }>(
    'select action, report, reported_by_mail from delivery_reports where message_id = $1 order by created_at',
    [message.id],
  );
  return { ...(await h.message(message.id)), reportedByMail: row!.reported_by_mail, mailReports: reports };
}

async function suppressed(message: Sent): Promise<boolean> {
  return (await h.db.query('select 1 from suppressions where address = $1', [message.to])).length > 0;
}

const edit = (raw: Buffer, ...changes: [string | RegExp, string][]) =>
  Buffer.from(
    changes.reduce((text, [from, to]) => text.replaceAll(from as never, to), raw.toString('latin1')),
    'latin1',
  );

describe('a report is on record as said by mail', () => {
  test('with its peer, its claims and its hash; no server stands beside it', async () => {
    const message = await sent();
    const raw = edit(bounceOf(message), [
      'Status: 5.1.1',
      'Status: 5.1.1\r\nRemote-MTA: dns; mx.of.my.choosing',
    ]);
    expect(await apply(message, raw)).toBe('bounced');
    const { last_reply, reportedByMail } = await stored(message);
    expect(last_reply).toMatchObject({ code: 550, enhanced: '5.1.1', mx: null });
    expect(reportedByMail).toEqual({
      claims: {
        feedback_type: null,
        final_recipient: message.to,
        original_recipient: message.to,
        remote_mta: 'mx.of.my.choosing',
        reply: { code: 550, enhanced: '5.1.1', text: expect.stringContaining('does not exist') },
      },
      dkim: { domains: [], result: 'not_checked' },
      mail_from: '',
      peer: { helo: 'out.receiver.test', ip: '192.0.2.26', tls: null },
      sha256: createHash('sha256').update(raw).digest('hex'),
      spf: { domain: 'out.receiver.test', result: 'not_checked' },
      vouched_by: 'network',
    });
    expect(await suppressed(message)).toBe(true);
  });

  test('and nothing that is kept of it tells the token', async () => {
    const message = await sent();
    const token = tokenOf(message.reversePath)!;
    const raw = edit(
      bounceOf(message),
      ['smtp; 550 5.1.1 ', `smtp; 550 5.1.1 from=<${message.reversePath.toUpperCase()}> `],
      ['\r\n\r\n--', `\r\nX-Sender: ${Buffer.from(message.reversePath).toString('base64')}\r\n\r\n--`],
    );
    expect(await apply(message, raw, { clientName: `${token}.test` })).toBe('bounced');
    const everything = JSON.stringify(await stored(message)).toLowerCase();
    const reports = (await stored(message)).mailReports.map(({ report }) => report.toString('latin1')).join();
    for (const text of [everything, reports.toLowerCase()]) expect(text).not.toContain(token.slice(0, 15));
    expect(reports).not.toContain(Buffer.from(message.reversePath).toString('base64').slice(0, 40));
    expect(reports).toContain('To: <b+redacted@mail.acuse.test>');
    const events = await h.db.query('select data from events where message_id = $1', [message.id]);
    expect(JSON.stringify(events).toLowerCase()).not.toContain(token.slice(0, 15));
    expect(await suppressed(message)).toBe(true);
  });
});

describe('a forger with the return path in hand', () => {
  test('suppresses nobody: nothing ties him to the server that took the message', async () => {
    const message = await sent();
    expect(await apply(message, bounceOf(message), STRANGER)).toBe('bounced');
    const { reportedByMail } = await stored(message);
    expect(reportedByMail).toMatchObject({ vouched_by: null, peer: { ip: '203.0.113.9' } });
    expect(await suppressed(message)).toBe(false);
  });

  test('nor does a user of the receiving provider, who cannot send from <>', async () => {
    const message = await sent();
    await apply(message, bounceOf(message), { ...HOST, reversePath: 'eve@receiver.test' });
    expect((await stored(message)).reportedByMail).toMatchObject({
      vouched_by: null,
      mail_from: 'eve@receiver.test',
    });
    expect(await suppressed(message)).toBe(false);
  });

  test.each<[string, (message: Sent) => [string | RegExp, string][]]>([
    ['another recipient', ({ to }) => [[to, 'somebody-else@receiver.test']]],
    ['the same name elsewhere', ({ to }) => [[to, to.replace('receiver.test', 'receiver.test.evil.test')]]],
    ['nobody', ({ to }) => [[to, 'undisclosed']]],
    [
      'another message, by its envelope',
      () => [['Reporting-MTA:', `Original-Envelope-Id: ${newId()}\r\nReporting-MTA:`]],
    ],
    ['another message, by what it returns', ({ id }) => [[`id=${id}`, `id=${newId()}`]]],
  ])('who reports on %s ends nothing; the first is kept, and shown', async (_, changes) => {
    const message = await sent();
    const raw = edit(bounceOf(message), ...changes(message));
    const first = await apply(message, raw);
    expect(['kept', 'ignored']).toContain(first);
    expect(await apply(message, raw)).toBe('ignored');
    const after = await stored(message);
    expect([after.status, after.events, await suppressed(message)]).toEqual(['sent', [], false]);
    expect(after.last_reply).toMatchObject({ code: 250, mx: 'mx.receiver.test' });
    if (first === 'kept')
      expect(after.mailReports).toMatchObject([
        { action: 'other', reported_by_mail: { peer: { ip: HOST.clientAddress } } },
      ]);
  });

  test.each([
    ['another recipient', true],
    ['another message', true],
  ])('(of these, a report on %s is kept)', async (what, kept) => {
    const message = await sent();
    const raw =
      what === 'another message'
        ? edit(bounceOf(message), [`id=${message.id}`, `id=${newId()}`])
        : edit(bounceOf(message), [message.to, 'else@receiver.test']);
    expect((await apply(message, raw)) === 'kept').toBe(kept);
  });

  test.each(['delivered', 'relayed', 'expanded'])('who says %s proves nothing', async (action) => {
    const message = await sent();
    const raw = edit(
      bounceOf(message),
      ['Action: failed', `Action: ${action}`],
      ['Status: 5.1.1', 'Status: 2.1.5'],
      [/Diagnostic-Code: .*\r\n/g, ''],
    );
    expect(await apply(message, raw)).toBe(action === 'delivered' ? 'kept' : 'ignored');
    const after = await stored(message);
    expect([after.status, after.events, after.reportedByMail]).toEqual(['sent', [], null]);
  });

  test.each(['sent', 'complained', 'bounced'])(
    'who says that it was read proves nothing, and is kept as who says so, of a message that is %s',
    async (status) => {
      const message = await sent();
      if (status === 'complained') await apply(message, complaintOf(message));
      if (status === 'bounced') await apply(message, bounceOf(message));
      const before = await stored(message);
      const mdn = `From: ${message.to}\r\nTo: <${message.reversePath}>\r\nSubject: Read\r\nMIME-Version: 1.0\r\nContent-Type: multipart/report; report-type=disposition-notification; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nYour message was read.\r\n--b\r\nContent-Type: message/disposition-notification\r\n\r\nFinal-Recipient: rfc822; ${message.to}\r\nDisposition: manual-action/MDN-sent-manually; displayed\r\n--b--\r\n`;
      expect(await apply(message, Buffer.from(mdn))).toBe('kept');
      const after = await stored(message);
      expect([after.status, after.events]).toEqual([status, before.events]);
      expect(after.mailReports).toContainEqual(
        expect.objectContaining({
          action: 'receipt',
          reported_by_mail: expect.objectContaining({
            claims: expect.objectContaining({ reply: expect.anything() }),
          }),
        }),
      );
    },
  );
});

describe('what a mail says', () => {
  const letter = (message: Sent, from: string, subject: string, text: string) =>
    Buffer.from(
      `From: ${from}\r\nTo: <${message.reversePath}>\r\nSubject: ${subject}\r\n\r\n${text.replaceAll('RCPT', message.to)}\r\n`,
    );

  test.each<[string, string, string, string]>([
    [
      'held for review',
      'postmaster@receiver.test',
      'Message held',
      'Your message to RCPT is held for review.',
    ],
    [
      'a challenge',
      'MAILER-DAEMON@receiver.test',
      'Please confirm',
      'RCPT only accepts mail from approved senders.',
    ],
    ['an absence', 'ana@receiver.test', 'Out of office', 'RCPT is away.'],
    ['a person', 'Ana <ana@receiver.test>', 'Re: undelivered', 'RCPT: 550 user unknown'],
  ])('%s ends nothing', async (_, from, subject, text) => {
    const message = await sent();
    for (const reversePath of ['', 'ana@receiver.test'])
      expect(['kept', 'ignored']).toContain(
        await apply(message, letter(message, from, subject, text), { reversePath }),
      );
    const after = await stored(message);
    expect([after.status, after.events, await suppressed(message)]).toEqual(['sent', [], false]);
  });

  test('a letter from an ordinary address ends nothing, whatever it quotes', async () => {
    const message = await sent();
    const raw = letter(
      message,
      'Ana <ana@receiver.test>',
      'Delivery failure',
      '<RCPT>: 550 5.1.1 user unknown',
    );
    expect(await apply(message, raw, { reversePath: 'ana@receiver.test' })).toBe('ignored');
    expect((await stored(message)).status).toBe('sent');
  });

  test('550 unknown user in a report is hard, and suppresses', async () => {
    const message = await sent();
    const raw = edit(
      bounceOf(message),
      ['Status: 5.1.1', 'Status: 5.0.0'],
      [/smtp; 550 .*/g, 'smtp; 550 unknown user'],
    );
    expect(await apply(message, raw)).toBe('bounced');
    expect((await stored(message)).events[0]!.data).toMatchObject({
      bounce_type: 'hard',
      asynchronous: true,
    });
    expect(await suppressed(message)).toBe(true);
  });

  test.each([
    ['of the host that took the message', HOST, 'hard', true],
    ['of a stranger', STRANGER, 'soft', false],
  ] as const)('unknown user, in prose and without a status, in the word %s', async (_, peer, type, ends) => {
    const message = await sent();
    const text = `<${message.to}>: 550 unknown user`;
    const raw = Buffer.from(
      `From: MAILER-DAEMON@relay.test\r\nTo: <${message.reversePath}>\r\nSubject: Mail delivery failed\r\n\r\n` +
        `This is a permanent error. The following address failed:\r\n\r\n  ${text}\r\n`,
    );
    expect(await apply(message, raw, peer)).toBe('bounced');
    expect((await stored(message)).events[0]!.data).toMatchObject({ bounce_type: type });
    expect(await suppressed(message)).toBe(ends);
  });

  test('a complaint as JSON counts, once', async () => {
    const message = await sent();
    const json = JSON.stringify({
      notificationType: 'Complaint',
      complaint: { complainedRecipients: [{ emailAddress: message.to }], complaintFeedbackType: 'abuse' },
    });
    const raw = letter(message, 'no-reply@sns.test', 'Notification', json);
    expect(await apply(message, raw, STRANGER)).toBe('complained');
    expect((await stored(message)).reportedByMail).toMatchObject({ claims: { feedback_type: 'abuse' } });
    expect(await apply(message, raw, STRANGER)).toBe('ignored');
  });
});

describe('a report counts once', () => {
  test.each<['bounce' | 'complaint', (message: Sent) => Buffer]>([
    ['bounce', bounceOf],
    ['complaint', complaintOf],
  ])('a %s that comes again, or changed, brings no suppression back', async (_, make) => {
    const message = await sent();
    const raw = make(message);
    await apply(message, raw);
    expect(await suppressed(message)).toBe(true);
    await h.db.execute('delete from suppressions where address = $1', [message.to]);
    expect(await apply(message, raw)).toBe('ignored');
    expect(await apply(message, make(message))).toBe('ignored');
    expect(await apply(message, complaintOf(message))).toBe('ignored');
    // A complaint about what bounced is news; the same one again is not.
    await h.db.execute('delete from suppressions where address = $1', [message.to]);
    expect(await apply(message, complaintOf(message))).toBe('ignored');
    expect(await suppressed(message)).toBe(false);
    expect((await stored(message)).events).toHaveLength(1);
  });

  test('twenty at once suppress once', async () => {
    const message = await sent();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => apply(message, complaintOf(message))),
    );
    expect(outcomes.filter((outcome) => outcome === 'complained')).toHaveLength(1);
  });

  test('a message that its sender cancelled takes none', async () => {
    const message = await sent();
    await h.db.execute(
      "update messages set status = 'cancelled', cancelled_at = now(), sent_at = null where message_id = $1",
      [message.id],
    );
    expect(await apply(message, bounceOf(message))).toBe('ignored');
    expect(await apply(message, complaintOf(message))).toBe('ignored');
    expect(await suppressed(message)).toBe(false);
  });
});
