import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { readBundle } from '@acuse/evidence/bundle';
import { parseDeliveryManifest } from '@acuse/evidence/delivery';
import { parseDeliveryOpenings } from '@acuse/evidence/delivery-openings';
import { verifyBundle } from '@acuse/evidence/verify';
import { replyPrefix } from '@acuse/evidence/verify-reply';
import { createDnsClient } from '@acuse/mail/routing/dns-client';
import { createResolver } from '@acuse/mail/routing/resolver';
import { type DnsPeer, startDnsPeer } from '@acuse/testkit/dns-peer';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createReturnPathListener,
  type ListenerOutcome,
} from '../../src/delivery/return-path/return-path-listener.ts';
import { fsck } from '../../src/evidence/fsck/fsck.ts';
import { eraseMessage } from '../../src/operate/retention/erase.ts';
import { sha256 } from '../../src/platform/sha256.ts';
import type { SmtpListener } from '../../src/platform/smtp/smtp-listener.ts';
import { sealAll, worldOf } from '../evidence/seal-all.ts';
import { sealerOf } from '../evidence/support.ts';
import { keyRecord as record, sendMail, signMail } from '../support/reply-mail.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** A recipient who acknowledges by mail, signed by an outside signer, and all who write in their place. */

const DOMAIN = 'cliente.example.com.mx';
const keys: Record<string, KeyObject> = {
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  weak: generateKeyPairSync('rsa', { modulusLength: 768 }).privateKey,
  other: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  ed: generateKeyPairSync('ed25519').privateKey,
};

let service: TestService;
let listener: SmtpListener;
let dns: DnsPeer;
let port: number;
/** How far the clock is ahead (ms). */
let ahead = 0;
let outcomes: ListenerOutcome[] = [];
const reasons: string[] = [];

beforeAll(async () => {
  const clock = { now: () => new Date(Date.now() + ahead), monotonicMs: () => Date.now() + ahead };
  service = await startTestService({ clock, acceptsAsReal: true });
  const records: Record<string, string> = {
    [`rsa._domainkey.${DOMAIN}`]: record(keys['rsa']!),
    [`ed._domainkey.${DOMAIN}`]: record(keys['ed']!),
    [`weak._domainkey.${DOMAIN}`]: record(keys['weak']!),
    [`test._domainkey.${DOMAIN}`]: record(keys['rsa']!, '; t=y'),
    [`gone._domainkey.${DOMAIN}`]: 'v=DKIM1; k=rsa; p=',
    'rsa._domainkey.otro.com.mx': record(keys['rsa']!),
    'rsa._domainkey.com.mx': record(keys['rsa']!),
    [`rsa._domainkey.mail.${DOMAIN}`]: record(keys['rsa']!),
  };
  dns = await startDnsPeer((name, type) => {
    if (name.startsWith('down._domainkey')) return { rcode: 2 };
    const value = type === 'TXT' ? records[name.toLowerCase()] : undefined;
    return value === undefined ? { rcode: 3 } : { records: [{ type: 'TXT', value }] };
  });
  const query = createDnsClient({ servers: [dns.server], timeoutMs: 2_000, rounds: 1 });
  const resolver = createResolver({ query, now: () => performance.now() });
  const log = pino(
    { level: 'info' },
    { write: (line: string) => void reasons.push((JSON.parse(line) as { why?: string }).why ?? '') },
  );
  const { services } = service;
  listener = createReturnPathListener({
    ...{ db: service.db, threads: services.threads, clock, log, resolver },
    returnPathSecrets: [services.returnPathSecret],
    ...{ hostname: 'mail.acuse.test', hosts: ['mail.acuse.test'], host: '127.0.0.1', port: 0 },
    onOutcome: (outcome) => outcomes.push(outcome),
  });
  port = await listener.start();
});
afterAll(async () => {
  await listener?.stop();
  await dns?.close();
  await service?.stop();
});
beforeEach(() => {
  outcomes = [];
  reasons.length = 0;
});

interface Asked {
  readonly id: string;
  readonly to: string;
  readonly address: string;
}

async function ask(fields: object = {}, to = `luis-${randomUUID().slice(0, 8)}@${DOMAIN}`): Promise<Asked> {
  const sent = await service.send({ to, certified: true, acknowledgement: 'request', ...fields });
  expect(sent.status, JSON.stringify(sent.body)).toBe(201);
  const { id } = sent.body;
  await service.db.execute(
    `update messages set status = 'sent', sent_at = $2, attempts = 1, next_attempt_at = null where message_id = $1`,
    [id, new Date(Date.now() + ahead)],
  );
  const raw = (await service.call('GET', `/v1/messages/${id}/raw`)).raw.toString().replaceAll('=\r\n', '');
  const address = /ack\+[0-9a-f]{32}-[a-z2-7]{16}@[a-z.-]+/.exec(raw)![0];
  expect(address.startsWith(replyPrefix(id))).toBe(true);
  return { id, to, address };
}

interface Written {
  readonly from?: string;
  readonly to?: string;
  readonly more?: readonly string[];
  readonly body?: string;
  readonly subject?: string;
}

function mailOf(
  asked: Asked,
  { from, to, more = [], subject = 'Acuse de recibo', body = 'Recibido, gracias.\r\n' }: Written = {},
): string {
  return [
    `From: ${from ?? `"Luis Pérez" <${asked.to}>`}`,
    `To: ${to ?? `<${asked.address}>`}`,
    `Subject: ${subject}`,
    `Date: ${new Date(Date.now() + ahead).toUTCString()}`,
    `Message-ID: <${randomUUID()}@${DOMAIN}>`,
    ...more,
    '',
    body,
  ].join('\r\n');
}

interface By {
  readonly domain?: string;
  readonly selector?: string;
  readonly key?: string;
  readonly canonicalization?: string;
  readonly algorithm?: string;
  readonly maxBodyLength?: number;
  readonly expires?: Date;
}

function signed(mail: string, by: By = {}): Promise<string> {
  const { domain = DOMAIN, selector = 'rsa', key = 'rsa' } = by;
  return signMail(mail, { ...by, domain, selector, key: keys[key]!, at: new Date(Date.now() + ahead) });
}

function deliver(asked: Asked, mail: string, reversePath = asked.to, forwardPath = asked.address) {
  return sendMail(port, mail, { reversePath, forwardPath, ehloName: `mx.${DOMAIN}` });
}

async function leavesOf(id: string) {
  const rows = await service.db.query<{ manifest: Buffer; openings: Buffer }>(
    `select manifest, openings from leaf_contents where message_id = $1 and kind = 'delivery' order by ordinal`,
    [id],
  );
  return rows.map(({ manifest, openings }) => ({
    ...parseDeliveryManifest(manifest),
    facts: parseDeliveryOpenings(openings).facts.value,
  }));
}

const messageOf = async (id: string) => (await service.call('GET', `/v1/messages/${id}`)).body;

let listening: string | null = null;
async function bundleOf(id: string): Promise<Buffer> {
  listening ??= await service.http.app.listen({ host: '127.0.0.1', port: 0 });
  await sealAll(
    worldOf(service),
    sealerOf({ url: `${listening}/tsa`, policy: service.services.authority.policy }),
  );
  return (await service.call('GET', `/v1/messages/${id}/proof-bundle`)).raw;
}

/** Findings of fsck about this message, besides those that a test leaves out. */
async function problemsOf(id: string): Promise<string[]> {
  const { problems } = await fsck({ db: service.db });
  return problems
    .filter(({ subject, check }) => subject.includes(id) && check === 'delivery')
    .map(({ detail }) => detail);
}

describe('the recipient writes from their mailbox', () => {
  test.each<[string, By]>([
    ['relaxed/relaxed', {}],
    ['simple/simple', { canonicalization: 'simple/simple' }],
    ['relaxed/simple', { canonicalization: 'relaxed/simple' }],
    ['Ed25519', { selector: 'ed', key: 'ed' }],
    ['a domain below that of From', { domain: `mail.${DOMAIN}` }],
  ])('signed with %s, and it is acknowledged', async (_, by) => {
    const asked = await ask({ locale: 'es' });
    const mail = await signed(mailOf(asked), by);
    expect(await deliver(asked, mail)).toEqual([250, expect.any(String)]);
    expect([outcomes, reasons.filter((why) => why !== '')]).toEqual([['acknowledged'], []]);
    const [leaf] = await leavesOf(asked.id);
    expect(leaf).toMatchObject({ kind: 'acknowledged', source: 'reported_by_mail' });
    const { acknowledgement, status } = await messageOf(asked.id);
    expect(acknowledgement).toMatchObject({
      ...{ status: 'acknowledged', source: 'reported_by_mail', at: leaf!.occurred_at },
    });
    expect(status).toBe('sent');
  });

  test('an outside verifier finds the signature in the bundle alone, as ours does', async () => {
    const asked = await ask();
    const mail = await signed(mailOf(asked));
    await deliver(asked, mail);
    const events = (await service.call('GET', `/v1/messages/${asked.id}/events`)).body.data;
    expect(events.at(-1) ?? events[0]).toBeDefined();
    expect(events.map(({ type }: { type: string }) => type)).toContain('acknowledgement.given');
    const bundle = await bundleOf(asked.id);
    const report = await verifyBundle(bundle, { sha256, now: new Date(), trust: 'bundle' });
    expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(report.checks.map(({ name }) => name)).toContain('delivery.01.reply');
    const entries = readBundle(bundle);
    const kept = Buffer.from(entries.get('delivery/01-acknowledged.dsn.eml')!);
    expect(kept.toString('latin1')).toBe(Buffer.from(mail).toString('latin1'));
    const opened = parseDeliveryOpenings(entries.get('delivery/01-acknowledged.openings.json')!);
    const act = opened.facts.value.acknowledgement!;
    if (!('dkim' in act)) throw new Error('no key');
    const { results } = await dkimVerify(kept, {
      resolver: async (name: string) => {
        expect(name).toBe(`${act.dkim.selector}._domainkey.${act.dkim.domain}`);
        return [[`v=DKIM1; k=rsa; p=${act.dkim.public_key}`]];
      },
    } as never);
    expect(results.map(({ status }) => status.result)).toEqual(['pass']);
    expect(await problemsOf(asked.id)).toEqual([]);
    await service.db.execute(
      `update delivery_reports set report = convert_to('another mail', 'UTF8') where message_id = $1`,
      [asked.id],
    );
    expect(await problemsOf(asked.id)).toHaveLength(1);
  });

  test('once: the same mail again, or a press on the page later, changes nothing', async () => {
    const asked = await ask();
    const mail = await signed(mailOf(asked));
    const codes = await Promise.all([deliver(asked, mail), deliver(asked, mail), deliver(asked, mail)]);
    expect(codes.map(([code]) => code)).toEqual([250, 250, 250]);
    expect([...outcomes].sort()).toEqual(['acknowledged', 'ignored', 'ignored']);
    expect(await leavesOf(asked.id)).toHaveLength(1);
  });

  test('and what they wrote is erased with the message', async () => {
    const asked = await ask();
    await deliver(asked, await signed(mailOf(asked)));
    const request = { messageId: asked.id, tenantId: null, reason: 'asked for', by: 'test', force: true };
    await eraseMessage({ ...service.services, certifiedYears: 10 }, request);
    const [{ count } = { count: '-' }] = await service.db.query<{ count: string }>(
      'select count(*)::text as count from delivery_reports where message_id = $1',
      [asked.id],
    );
    expect(count).toBe('0');
  });
});

describe('nobody else does', () => {
  const other = { domain: 'otro.com.mx' };
  test.each<[string, Written, By | null, number, RegExp]>([
    ['without a signature', {}, null, 550, /not signed/],
    ['in the name of a stranger', {}, other, 550, /signed by otro\.com\.mx alone/],
    ['in the name of a public suffix', {}, { domain: 'com.mx' }, 550, /signed by com\.mx alone/],
    ['with a colleague in From', { from: `ana@${DOMAIN}` }, {}, 550, /From is ana@/],
    ['with two addresses in From', { from: `ana@${DOMAIN}, luis@${DOMAIN}` }, {}, 550, /not one address/],
    ['without the address in To', { to: `luis@${DOMAIN}` }, {}, 550, /address of the message alone/],
    [
      'answering an invitation',
      { more: ['Content-Type: text/calendar; method=REPLY'] },
      {},
      550,
      /invitation/,
    ],
    ['leaving a list', { subject: 'Unsubscribe' }, {}, 550, /unsubscription/],
    ['with the beginning of the body signed', {}, { maxBodyLength: 4 }, 550, /does not hold/],
    ['after the signature ended', {}, { expires: new Date(1_700_000_000_000) }, 550, /has expired/],
    ['with SHA-1', {}, { algorithm: 'rsa-sha1' }, 550, /rsa-sha1 proves nothing/],
    ['with a key of 768 bits', {}, { selector: 'weak', key: 'weak' }, 550, /1024 bits/],
    ['with a key in test', {}, { selector: 'test' }, 550, /only tests/],
    ['with a revoked key', {}, { selector: 'gone' }, 550, /revoked/],
    ['with a key that is not published', {}, { selector: 'none' }, 550, /no key is published/],
    ['with another key', {}, { key: 'other' }, 550, /does not hold/],
    ['while the DNS is down', {}, { selector: 'down' }, 451, /no answer/],
    ['over a mailing list', { more: ['List-Id: <todos.example>'] }, {}, 250, /list-id/],
    ['as bulk mail', { more: ['Precedence: bulk'] }, {}, 250, /precedence/],
    ['on vacation', { more: ['Auto-Submitted: auto-replied'] }, {}, 250, /auto-submitted/],
    ['by a program', { more: ['Auto-Submitted: auto-generated'] }, {}, 250, /auto-submitted/],
  ])('%s', async (_, written, by, code, why) => {
    const asked = await ask();
    const mail = mailOf(asked, written);
    expect((await deliver(asked, by === null ? mail : await signed(mail, by)))[0]).toBe(code);
    expect(reasons.find((each) => each !== '')).toMatch(why);
    expect(await leavesOf(asked.id)).toEqual([]);
    expect((await messageOf(asked.id)).acknowledgement.status).toBe('requested');
  });

  test('whose answer to somebody else has the address in To: in a name, a comment, or as one of two', async () => {
    const asked = await ask();
    const [local] = asked.address.split('@');
    for (const to of [
      `"${local}" <ventas@tienda.example>`,
      `ventas@tienda.example (${asked.address})`,
      `${asked.address}, ventas@tienda.example`,
      `${local}@tienda.example`,
      `a${asked.address}`,
    ]) {
      const answer = await deliver(asked, await signed(mailOf(asked, { to })), 'attacker@evil.example');
      expect([to, answer[0]]).toEqual([to, 550]);
    }
    expect(await leavesOf(asked.id)).toEqual([]);
  });

  test('with what was signed changed on the way', async () => {
    const asked = await ask();
    const mail = await signed(mailOf(asked));
    for (const changed of [
      mail.replace('Recibido', 'Rechazado'),
      mail.replace('Subject: Acuse', 'Subject: Sin acuse'),
      mail.replace('From: ', `From: luis@${DOMAIN}\r\nFrom: `),
    ])
      expect((await deliver(asked, changed))[0]).toBe(550);
    expect(await leavesOf(asked.id)).toEqual([]);
  });

  test('with a second signature, of somebody else, the own one counts', async () => {
    const asked = await ask();
    const own = await signed(mailOf(asked));
    expect((await deliver(asked, await signed(own, other)))[0]).toBe(250);
    const [leaf] = await leavesOf(asked.id);
    expect(leaf!.facts.acknowledgement).toMatchObject({ dkim: { domain: DOMAIN } });
  });

  test('with a mail about another message', async () => {
    const to = `luis@${DOMAIN}`;
    const [first, second] = [await ask({}, to), await ask({}, to)];
    const mail = await signed(mailOf(first));
    expect((await deliver(second, mail))[0]).toBe(550);
    expect(await leavesOf(second.id)).toEqual([]);
  });

  test('to an address that nobody made, in a report, too large, too early or too late', async () => {
    const asked = await ask();
    const forged = asked.address.replace(/-[a-z2-7]{4}/, '-aaaa');
    const mail = await signed(mailOf(asked));
    expect((await deliver(asked, mail, asked.to, forged))[0]).toBe(550);
    expect((await deliver(asked, mail, ''))[0]).toBe(250);
    const large = await signed(mailOf(asked, { body: 'x'.repeat(998).concat('\r\n').repeat(300) }));
    expect((await deliver(asked, large))[0]).toBe(552);
    await service.db.execute(
      "update messages set status = 'queued', sent_at = null, next_attempt_at = created_at where message_id = $1",
      [asked.id],
    );
    expect((await deliver(asked, mail))[0]).toBe(451);
    const at = new Date(Date.now() + ahead);
    await service.db.execute(
      "update messages set status = 'sent', sent_at = $2, next_attempt_at = null where message_id = $1",
      [asked.id, at],
    );
    ahead += 16 * 86_400_000;
    expect(await deliver(asked, mail)).toEqual([550, expect.stringContaining('ended on')]);
    ahead = 0;
    expect(await leavesOf(asked.id)).toEqual([]);
  });
});

async function returnPathOf({ id }: Asked): Promise<string> {
  const [row] = await service.db.query<{ path: string }>(
    'select reverse_path as path from messages where message_id = $1',
    [id],
  );
  return row!.path;
}

function receiptOf({ to }: Asked, done = 'displayed'): string {
  return [
    `From: ${to}`,
    'To: sender@sandbox.test',
    'Subject: Leído: Aviso',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=disposition-notification; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'Displayed.',
    '--b',
    'Content-Type: message/disposition-notification',
    '',
    `Final-Recipient: rfc822; ${to}`,
    `Disposition: manual-action/mdn-sent-manually; ${done}`,
    '',
    '--b--',
    '',
  ].join('\r\n');
}

/** What became of each. */
async function receive(asked: Asked, ...done: string[]): Promise<readonly ListenerOutcome[]> {
  outcomes = [];
  const path = await returnPathOf(asked);
  for (const each of done)
    expect((await deliver(asked, receiptOf(asked, each), asked.to, path))[0]).toBe(250);
  return outcomes;
}

/** What its receipt says, as the API shows it. */
async function receiptsOf({ id }: Asked): Promise<string[]> {
  const { body } = await service.call('GET', `/v1/messages/${id}/reports`);
  return body.data.map(
    ({ reported_by_mail: { claims } }: { reported_by_mail: { claims: { reply: { text: string } } } }) =>
      claims.reply.text.split(' ')[0]!,
  );
}

test('a program says that it was displayed: an outcome that ends nothing', async () => {
  const asked = await ask();
  expect(await receive(asked, 'displayed', 'displayed')).toEqual(['kept', 'ignored']);
  expect((await messageOf(asked.id)).acknowledgement.status).toBe('requested');
  await deliver(asked, await signed(mailOf(asked)));
  const leaves = await leavesOf(asked.id);
  expect(leaves.map(({ kind, source }) => `${kind} ${source}`)).toEqual([
    'displayed reported_by_mail',
    'acknowledged reported_by_mail',
  ]);
  const report = await verifyBundle(await bundleOf(asked.id), { sha256, now: new Date(), trust: 'bundle' });
  expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
  expect(await problemsOf(asked.id)).toEqual([]);
});

describe('two programs of the recipient say what they did', () => {
  const kinds = async (asked: Asked) => (await leavesOf(asked.id)).map(({ kind }) => kind);

  // RFC 8098 §3.2.6.2: what was deleted may have been read, or may be read later.
  test.each(['deleted', 'processed', 'dispatched', 'displayed/error'])(
    'it was displayed, whatever "%s" said before or says afterwards',
    async (other) => {
      const asked = await ask();
      expect(await receive(asked, other, other)).toEqual(['kept', 'ignored']);
      expect([await kinds(asked), await receiptsOf(asked)]).toEqual([[], [other]]);
      expect(await receive(asked, 'displayed', other, 'displayed')).toEqual(['kept', 'ignored', 'ignored']);
      expect([await kinds(asked), await receiptsOf(asked)]).toEqual([['displayed'], ['displayed']]);
      expect((await messageOf(asked.id)).acknowledgement.status).toBe('requested');
      expect(await problemsOf(asked.id)).toEqual([]);
    },
  );

  test('at once: one outcome, and its mail in the bundle is the one that it was made of', async () => {
    const asked = await ask();
    const path = await returnPathOf(asked);
    const all = ['deleted', 'displayed', 'displayed', 'deleted', 'displayed'];
    await Promise.all(all.map((each) => deliver(asked, receiptOf(asked, each), asked.to, path)));
    expect([await kinds(asked), await receiptsOf(asked)]).toEqual([['displayed'], ['displayed']]);
    const bundle = await bundleOf(asked.id);
    const report = await verifyBundle(bundle, { sha256, now: new Date(), trust: 'bundle' });
    expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
    const kept = Buffer.from(readBundle(bundle).get('delivery/01-displayed.dsn.eml')!).toString('latin1');
    expect(kept).toContain('; displayed');
  });

  test('of a message that did not ask: the same is shown, and proves nothing', async () => {
    const { body } = await service.send({ to: `luis@${DOMAIN}`, certified: true });
    await service.db.execute(
      `update messages set status = 'sent', sent_at = $2, attempts = 1, next_attempt_at = null
        where message_id = $1`,
      [body.id, new Date(Date.now() + ahead)],
    );
    const plain = { id: body.id, to: `luis@${DOMAIN}`, address: '' };
    expect(await receive(plain, 'deleted', 'displayed', 'deleted')).toEqual(['kept', 'kept', 'ignored']);
    expect([await kinds(plain), await receiptsOf(plain)]).toEqual([[], ['displayed']]);
  });
});
