import { generateKeyPairSync } from 'node:crypto';
import { connect as netConnect } from 'node:net';
import { createDkimSigner, dkimSignatures } from '@acuse/mail/dkim';
import { dkimPublicKey, dkimRecord } from '@acuse/mail/dkim-keys';
import type { MailResolver } from '@acuse/mail/routing/resolver';
import { connect } from '@acuse/mail/smtp/client';
import { makeReturnPath } from '@acuse/mail/verp';
import { PATIENCE } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createReturnPathListener,
  type ListenerOutcome,
} from '../../src/delivery/return-path/return-path-listener.ts';
import {
  CLIENT_MAX_AN_HOUR,
  KEPT_MAX,
  NETWORK_MAX_AN_HOUR,
} from '../../src/delivery/return-path/role-mail-store.ts';
import { readRoleMailBytes, readRoleMailbox } from '../../src/delivery/return-path/role-mailbox.ts';
import { newId } from '../../src/platform/ids.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import type { SmtpListener } from '../../src/platform/smtp/smtp-listener.ts';
import { createThreads, type Threads } from '../../src/platform/threads/threads.ts';
import { type Harness, log, openHarness } from './harness.ts';

/** Mail to the roles of the mail hosts: complaints of feedback loops, and what is for the operator. */
const HOST = 'mail.acuse.test';
let h: Harness;
let listener: SmtpListener;
let threads: Threads;
let port: number;
let tenantId: string;
let outcomes: ListenerOutcome[] = [];

/** yahoo.example sends from here, and so does a feedback loop; nobody else does. */
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const loopKey = { domain: 'hotmail.com', selector: 'loop', algorithm: 'rsa-sha256', privateKey } as const;
const resolver: MailResolver = {
  async lookup(name, type) {
    const record: Record<string, string> = {
      'yahoo.example': 'v=spf1 ip4:127.0.0.1 -all',
      'loop._domainkey.hotmail.com': dkimRecord('rsa-sha256', dkimPublicKey(privateKey)),
    };
    if (type === 'TXT' && name in record)
      return { kind: 'found', records: [record[name]] as never, authenticated: false };
    return { kind: 'nxdomain', authenticated: false };
  },
};

beforeAll(async () => {
  h = await openHarness();
  tenantId = await h.tenant();
  await h.db.execute(
    "insert into verified_domains (name, tenant_id, domain_id) values ('tienda.example', $1, $2)",
    [tenantId, newId()],
  );
  threads = createThreads({ metrics: createMetrics({ log, process: false }) });
  listener = createReturnPathListener({
    db: h.db,
    threads,
    clock: h.clock,
    log,
    returnPathSecrets: [h.returnPathSecret],
    hostname: HOST,
    hosts: [HOST],
    host: '127.0.0.1',
    port: 0,
    resolver,
    onOutcome: (outcome) => outcomes.push(outcome),
  });
  port = await listener.start();
});
afterAll(async () => {
  await listener?.stop();
  await threads?.stop();
  await h?.close();
});
beforeEach(async () => {
  outcomes = [];
  await h.db.execute('delete from role_mails', []);
});

interface Sent {
  readonly id: string;
  readonly to: string;
  readonly reversePath: string;
}

async function sentMessage(from = 'ventas@tienda.example', raw?: (id: string, to: string) => Buffer) {
  const to = `someone-${newId()}@yahoo.example`;
  const id = await h.queue(tenantId, { to });
  await h.db.execute(
    `update messages set status = 'sent', sent_at = now(), next_attempt_at = null, sender_address = $2
      where message_id = $1`,
    [id, from],
  );
  await h.db.execute('delete from delivery_queue where message_id = $1', [id]);
  if (raw !== undefined)
    await h.db.execute('update message_contents set raw = $2 where message_id = $1', [id, raw(id, to)]);
  const [row] = await h.db.query<{ reverse_path: string }>(
    'select reverse_path from messages where message_id = $1',
    [id],
  );
  return { id, to, reversePath: row!.reverse_path };
}

async function send(forwardPath: string, data: string, reversePath = 'feedback@arf.example') {
  const opened = await connect({
    host: HOST,
    address: '127.0.0.1',
    port,
    ehloName: 'fbl.provider.example',
    tls: { mode: 'opportunistic' },
    clock: { now: () => performance.now() },
  });
  if (opened.kind !== 'ready') throw new Error(JSON.stringify(opened));
  const result = await opened.session.send({ reversePath, forwardPath, data: [Buffer.from(data)] });
  await opened.session.quit();
  if (result.kind !== 'accepted' && result.kind !== 'refused') throw new Error(JSON.stringify(result));
  return result.reply.code;
}

interface Arf {
  readonly fields: readonly string[];
  /** Header of the message that is returned; null: none. */
  readonly header: readonly string[] | null;
  readonly type?: string;
  readonly feedbackType?: string;
}

function arf({ fields, header, type = 'message/rfc822', feedbackType = 'abuse' }: Arf): string {
  return [
    'From: Feedback <feedback@arf.example>',
    'To: fbl@mail.acuse.test',
    'Subject: FW: Su pedido',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=feedback-report; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain; charset=utf-8',
    '',
    'This is an email abuse report.',
    '--b',
    'Content-Type: message/feedback-report',
    '',
    `Feedback-Type: ${feedbackType}`,
    'User-Agent: Feedback/2.0',
    'Version: 1',
    ...fields,
    '',
    ...(header === null ? [] : ['--b', `Content-Type: ${type}`, '', ...header, '', 'Gracias.']),
    '--b--',
    '',
  ].join('\r\n');
}

const evidence = (id: string) => `Service-Evidence: v=1; id=${id}; log=acuse.test/log`;
const mailbox = async () =>
  (await readRoleMailbox(h, {}, { limit: 50, fetch: 51, afterId: null, list: 'test' })).data;

test('the mailbox is read from one moment to another', async () => {
  expect(await send('postmaster@mail.acuse.test', 'Subject: of some time\r\n\r\nhi\r\n')).toBe(250);
  const [mail] = await mailbox();
  const at = mail!.received_at;
  const page = { limit: 50, fetch: 51, afterId: null, list: 'test' };
  const idsOf = async (range: { created_after?: string; created_before?: string }) =>
    (await readRoleMailbox(h, range, page)).data.map(({ id }) => id);
  expect(await idsOf({ created_after: at })).toContain(mail!.id);
  expect(await idsOf({ created_before: at })).not.toContain(mail!.id);
  const later = new Date(Date.parse(at) + 1).toISOString();
  expect(await idsOf({ created_after: later })).not.toContain(mail!.id);
  await expect(idsOf({ created_after: 'yesterday' })).rejects.toMatchObject({ code: 'invalid_parameter' });
});

describe('whom it is for', () => {
  test.each([
    ['postmaster@mail.acuse.test', 250],
    ['Abuse@MAIL.acuse.test', 250],
    ['fbl@mail.acuse.test.', 250],
    ['fbl@bounce.tienda.example', 250],
    ['postmaster@BOUNCE.tienda.example', 250],
    ['fbl@bounce.ajena.example', 550],
    ['fbl@tienda.example', 550],
    ['postmaster@elsewhere.example', 550],
    ['postmaster2@mail.acuse.test', 550],
    ['fbl+x@mail.acuse.test', 550],
  ])('%s: %i', async (address, code) => {
    expect(await send(address, `Subject: hello ${address}\r\n\r\nhi\r\n`)).toBe(code);
  });

  test.each(['<Postmaster>', '<postmaster>'])('%s without a domain is taken', async (path) => {
    const socket = netConnect(port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString()));
    const say = async (line: string, answer: RegExp) => {
      socket.write(line);
      await vi.waitFor(() => expect(received).toMatch(answer), PATIENCE);
    };
    await vi.waitFor(() => expect(received).toMatch(/^220 /), PATIENCE);
    await say('EHLO a.example\r\n', /^250 /m);
    await say(`MAIL FROM:<>\r\nRCPT TO:${path}\r\n`, /^250 [\s\S]*^(?:250|5\d\d) /m);
    await say('DATA\r\n', /^354 /m);
    await say(`Subject: to ${path}\r\n\r\nhi\r\n.\r\n`, /2\.0\.0 OK/);
    socket.destroy();
    expect((await mailbox())[0]).toMatchObject({ role: 'postmaster', subject: `to ${path}` });
  });
});

describe('a complaint at fbl@ is one of the message that it names', () => {
  const redacted = 'Original-Rcpt-To: <redacted@yahoo.example>';
  const others: readonly [string, (sent: Sent) => Arf][] = [
    [
      'by its evidence field, as Yahoo returns it',
      ({ id }) => ({
        fields: ['Original-Mail-From: <x@y.example>', redacted, 'Source-IP: 192.0.2.1'],
        header: [evidence(id), 'From: ventas@tienda.example', 'To: redacted', 'Subject: Su pedido'],
      }),
    ],
    [
      'by the Message-ID that we gave',
      ({ id }) => ({
        fields: [redacted],
        header: [`Message-ID: <${id}@sandbox.test>`, 'Subject: Su pedido'],
        type: 'text/rfc822-headers',
      }),
    ],
    [
      'by the field of RFC 9477 alone',
      ({ id }) => ({ fields: [], header: [`CFBL-Feedback-ID: ${id}`], type: 'message/rfc822-headers' }),
    ],
    [
      'by the envelope identifier that we gave',
      ({ id }) => ({ fields: [`Original-Envelope-Id: ${id}`], header: null }),
    ],
  ];
  const cases: readonly [string, (sent: Sent) => Arf, from?: string][] = [
    [
      'by its return path in the report',
      ({ reversePath }) => ({ fields: [`Original-Mail-From: <${reversePath}>`], header: null }),
    ],
    [
      'by its return path in the returned message',
      ({ reversePath }) => ({ fields: [redacted], header: [`Return-Path: <${reversePath}>`, 'Subject: x'] }),
    ],
    ...others.map(([name, make]): [string, typeof make, string] => [
      `${name}, from the recipient's servers`,
      make,
      '',
    ]),
  ];
  test.each(cases)('%s', async (_name, make, from?: string) => {
    const message = await sentMessage();
    expect(await send(`fbl@${HOST}`, arf(make(message)), from)).toBe(250);
    expect(outcomes).toEqual(['complained']);
    const facts = await h.message(message.id);
    expect(facts.status).toBe('complained');
    expect(facts.events).toEqual([
      { type: 'email.complained', data: { to: message.to, feedback_type: 'abuse' } },
    ]);
    expect(await h.db.query('select source from suppressions where address = $1', [message.to])).toEqual([
      { source: 'complaint' },
    ]);
    // Anybody who knows the token can report on the message: it is kept nowhere.
    const kept = await h.db.query<{ report: Buffer }>(
      'select report from delivery_reports where message_id = $1',
      [message.id],
    );
    expect(kept).toHaveLength(1);
    expect(kept[0]!.report.toString()).not.toContain(message.reversePath.slice(2, 47));
    expect(await mailbox()).toEqual([]);
  });

  test.each(others)('%s, from anybody: it is for the operator alone', async (_name, make) => {
    const message = await sentMessage();
    await send(`fbl@${HOST}`, arf(make(message)));
    expect(outcomes).toEqual(['for_operator']);
    expect(await mailbox()).toMatchObject([{ problem: 'not_authentic', message_id: message.id }]);
    expect(await h.message(message.id)).toMatchObject({ status: 'sent', events: [] });
    expect(await h.db.query('select 1 from suppressions where address = $1', [message.to])).toEqual([]);
  });

  test("of a feedback loop, which its domain's DKIM proves", async () => {
    const message = await sentMessage();
    const report = arf({ fields: [redacted], header: [evidence(message.id)] });
    const from = (text: string) => text.replace('<feedback@arf.example>', '<staff@hotmail.com>');
    const signed = async (text: string) => {
      const signatures = await dkimSignatures([createDkimSigner(loopKey)], Buffer.from(text), Date.now());
      return Buffer.from(signatures).toString() + text;
    };
    await send(`fbl@${HOST}`, from(await signed(report)));
    expect((await h.message(message.id)).status).toBe('sent');
    await send(`fbl@${HOST}`, await signed(from(report)));
    expect(outcomes).toEqual(['for_operator', 'complained']);
  });

  test.each(others)('%s, for no longer than the return path', async (_name, make) => {
    const message = await sentMessage();
    await h.db.execute('update messages set reverse_path = $2 where message_id = $1', [
      message.id,
      makeReturnPath({
        ...{ messageId: message.id, secret: h.returnPathSecret, domain: HOST },
        expiresAt: new Date(h.clock.now().getTime() - 86_400_000),
      }),
    ]);
    await send(`fbl@${HOST}`, arf(make(message)), '');
    expect(await mailbox()).toMatchObject([{ problem: 'no_message', message_id: message.id }]);
  });

  test.each(['References', 'In-Reply-To', 'Subject'])('a Message-ID in %s is not its own', async (field) => {
    const raw = (_id: string, to: string) =>
      Buffer.from(`From: ventas@tienda.example\r\nTo: ${to}\r\n${field}: <pedido-6@erp.example>\r\n\r\nhola`);
    const message = await sentMessage('ventas@tienda.example', raw);
    const header = ['From: ventas@tienda.example', 'Message-ID: <pedido-6@erp.example>'];
    await send(`fbl@${HOST}`, arf({ fields: [`Original-Rcpt-To: <${message.to}>`], header }), '');
    expect(await mailbox()).toMatchObject([{ problem: 'no_message', message_id: null }]);
  });

  test('a Message-ID with the id of another message is not that message', async () => {
    const message = await sentMessage();
    const header = [`Message-ID: <${message.id}@elsewhere.example>`, 'Subject: x'];
    await send(`fbl@${HOST}`, arf({ fields: [], header }), '');
    expect(await mailbox()).toMatchObject([{ problem: 'no_message', message_id: null }]);
  });

  test('by a Message-ID of the sender with the recipient', async () => {
    const raw = (_id: string, to: string) =>
      Buffer.from(
        `From: ventas@tienda.example\r\nTo: ${to}\r\nMessage-ID: <pedido-7@erp.example>\r\n\r\nhola`,
      );
    const [message, other] = [await sentMessage('ventas@tienda.example', raw), await sentMessage()];
    const report = (to: string) =>
      arf({
        fields: [`Original-Rcpt-To: <${to}>`],
        header: ['From: Ventas <ventas@tienda.example>', 'Message-ID: <pedido-7@erp.example>'],
      });
    await send(`fbl@${HOST}`, report(message.to), '');
    await send(`fbl@${HOST}`, report(other.to), '');
    expect(outcomes).toEqual(['complained', 'for_operator']);
    expect((await h.message(other.id)).status).toBe('sent');
  });

  test('twice, it counts once, and nothing of it is for the operator', async () => {
    const { id } = await sentMessage();
    const report = arf({ fields: [], header: [evidence(id)] });
    await send(`fbl@${HOST}`, report, '');
    await send(`abuse@${HOST}`, report, '');
    expect(outcomes).toEqual(['complained', 'ignored']);
    expect(await mailbox()).toEqual([]);
  });

  test('put off while the message is not on record as sent', async () => {
    const id = await h.queue(tenantId, { to: 'early@yahoo.example' });
    expect(await send(`fbl@${HOST}`, arf({ fields: [], header: [evidence(id)] }), '')).toBe(451);
  });
});

describe('what is for the operator', () => {
  test('a recipient alone suppresses nobody when nothing shows that a provider reports it', async () => {
    const message = await sentMessage();
    const header = ['From: ventas@tienda.example', 'Subject: Su pedido'];
    await send(`fbl@${HOST}`, arf({ fields: [`Original-Rcpt-To: <${message.to}>`], header }));
    expect(await mailbox()).toMatchObject([
      { kind: 'complaint', problem: 'not_authentic', message_id: message.id, subject: 'FW: Su pedido' },
    ]);
    expect((await h.message(message.id)).status).toBe('sent');
    expect(await h.db.query('select 1 from suppressions where address = $1', [message.to])).toEqual([]);
  });

  test.each<[string, Arf, object]>([
    [
      'a complaint about mail of others',
      { fields: ['Original-Rcpt-To: <a@b.example>'], header: [evidence(newId()), 'From: x@other.example'] },
      { kind: 'complaint', problem: 'no_message' },
    ],
    [
      'a report that something is not spam',
      { fields: [], header: ['From: x@tienda.example'], feedbackType: 'not-spam' },
      { kind: 'complaint', problem: 'not_an_objection' },
    ],
  ])('%s', async (_name, report, row) => {
    await send(`fbl@${HOST}`, arf(report));
    expect(await mailbox()).toMatchObject([{ role: 'fbl', message_id: null, ...row }]);
  });

  test('a letter, as it came, once', async () => {
    const letter =
      'From: =?utf-8?q?Jos=C3=A9?= <jose@cliente.example>\r\nSubject: =?utf-8?q?=C2=BFqui=C3=A9n?=\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nNo quiero más.\r\n';
    await send(`abuse@${HOST}`, letter, 'jose@cliente.example');
    await send(`abuse@${HOST}`, letter, 'jose@cliente.example');
    const [mail, ...more] = await mailbox();
    expect(more).toEqual([]);
    expect(mail).toMatchObject({
      ...{ role: 'abuse', kind: 'letter', problem: null, from: 'José <jose@cliente.example>' },
      ...{ subject: '¿quién', text: 'No quiero más.', mail_from: 'jose@cliente.example' },
    });
    expect(Buffer.from(await readRoleMailBytes(h, mail!.id)).toString()).toBe(letter);
  });

  test('of a long one the beginning, and not more of one client than the limit', async () => {
    await send(`postmaster@${HOST}`, `Subject: long\r\n\r\n${'palabra larga\r\n'.repeat(20_000)}`);
    const [mail] = await mailbox();
    expect((await readRoleMailBytes(h, mail!.id)).length).toBe(65_536);
    expect([mail!.size_bytes > 250_000, mail!.text.length <= 4_000]).toEqual([true, true]);
    await h.db.execute(
      `insert into role_mails select gen_random_uuid(), role, kind, problem, forward_path, reverse_path,
         client_address, from_text, subject, excerpt, message_id, sha256(n::text::bytea), size_bytes, 'x', received_at
         from role_mails, generate_series(2, ${CLIENT_MAX_AN_HOUR}) n`,
      [],
    );
    expect(await send(`postmaster@${HOST}`, 'Subject: one more\r\n\r\nx\r\n')).toBe(452);
    expect(outcomes).toEqual(['for_operator', 'too_much']);
  });

  /** As many copies of the mail that is there, each from the address that `address` makes of n. */
  const flood = (count: number, address: string, kind = 'kind') =>
    h.db.execute(
      `insert into role_mails select gen_random_uuid(), role, ${kind}, 'no_message', forward_path, reverse_path,
         ${address}, 'flood', subject, excerpt, message_id, sha256(convert_to(${address} || n || ${kind}, 'UTF8')),
         size_bytes, 'x', received_at
         from (select * from role_mails where from_text <> 'flood' limit 1) one, generate_series(1, ${count}) n`,
      [],
    );

  test('of a network that has too many addresses is put off', async () => {
    await send(`postmaster@${HOST}`, 'Subject: one\r\n\r\nx\r\n');
    await flood(NETWORK_MAX_AN_HOUR - 2, "'127.0.0.' || (2 + n % 200)");
    expect(await send(`postmaster@${HOST}`, 'Subject: two\r\n\r\nx\r\n')).toBe(250);
    expect(await send(`postmaster@${HOST}`, 'Subject: three\r\n\r\nx\r\n')).toBe(452);
  });

  test.each([
    ['a /24', "'198.51.100.' || n % 250"],
    ['a /48', "'2001:db8:1:' || to_hex(n) || '::1'"],
    ['a mapped /24', "'::ffff:198.51.100.' || n % 250"],
  ])('of anybody is not displaced by a flood from %s, nor complaints by letters', async (_, address) => {
    await send(`abuse@${HOST}`, 'From: jose@cliente.example\r\nSubject: first\r\n\r\nBasta.\r\n');
    await flood(3, "'203.0.113.' || n", "'complaint'");
    await flood(KEPT_MAX + 50, address);
    await send(`abuse@${HOST}`, 'From: jose@cliente.example\r\nSubject: last\r\n\r\nBasta.\r\n');
    const rows = await h.db.query(
      `select kind, from_text = 'flood' as flood, count(*)::integer as rows from role_mails
        group by 1, 2 order by 1, 2`,
      [],
    );
    expect(rows).toEqual([
      { kind: 'complaint', flood: true, rows: 3 },
      { kind: 'letter', flood: false, rows: 2 },
      { kind: 'letter', flood: true, rows: KEPT_MAX - 2 },
    ]);
  });
});

describe('a read receipt', () => {
  const mdn = (recipient: string, fields: readonly string[]) =>
    [
      'From: Ana <ana@yahoo.example>',
      'To: receipt@bounce.tienda.example',
      'Subject: Leido: Su pedido',
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=disposition-notification; boundary=b',
      '',
      '--b',
      '',
      'The message was displayed.',
      '--b',
      'Content-Type: message/disposition-notification',
      '',
      `Final-Recipient: rfc822; ${recipient}`,
      ...fields,
      'Disposition: manual-action/MDN-sent-manually; displayed',
      '--b--',
      '',
    ].join('\r\n');
  const kept = (id: string) =>
    h.db.query<{ action: string; text: string }>(
      "select action, reported_by_mail->'claims'->'reply'->>'text' as text from delivery_reports where message_id = $1",
      [id],
    );

  test('is kept with the message that it names, once, and changes nothing of it', async () => {
    const message = await sentMessage();
    const receipt = mdn(message.to, [`Original-Message-ID: <${message.id}@sandbox.test>`]);
    for (let time = 0; time < 2; time++)
      expect(await send('receipt@bounce.tienda.example', receipt, '')).toBe(250);
    expect(outcomes).toEqual(['kept', 'ignored']);
    expect(await kept(message.id)).toEqual([
      { action: 'receipt', text: 'displayed (manual-action/mdn-sent-manually)' },
    ]);
    expect(await h.message(message.id)).toMatchObject({ status: 'sent', events: [] });
  });

  test('to the return path itself counts as much', async () => {
    const message = await sentMessage();
    expect(await send(message.reversePath, mdn(message.to, []), message.to)).toBe(250);
    expect(await kept(message.id)).toMatchObject([{ action: 'receipt' }]);
  });

  test('of somebody else than its recipient is about another', async () => {
    const message = await sentMessage();
    const fields = [`Original-Message-ID: <${message.id}@sandbox.test>`];
    await send('receipt@bounce.tienda.example', mdn('eve@elsewhere.example', fields), '');
    expect(await kept(message.id)).toMatchObject([{ action: 'other' }]);
  });

  test('from anybody, whoever it names, is for the operator', async () => {
    const message = await sentMessage();
    const fields = [`Original-Message-ID: <${message.id}@sandbox.test>`];
    await send('receipt@bounce.tienda.example', mdn(message.to, fields), message.to);
    expect(await kept(message.id)).toEqual([]);
    expect(await mailbox()).toMatchObject([
      { kind: 'automatic', problem: 'not_authentic', message_id: message.id },
    ]);
  });

  test('for no message of ours is for the operator', async () => {
    await send('receipt@mail.acuse.test', mdn('ana@yahoo.example', ['Original-Message-ID: <x@y.example>']));
    expect(outcomes).toEqual(['for_operator']);
  });
});
