import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueCertificate } from '@acuse/testkit/certificate';
import { PATIENCE } from '@acuse/testkit/eventually';
import { freePort } from '@acuse/testkit/free-port';
import {
  eximMissing,
  type MailPeer,
  type MailPeerOptions,
  openSmtpdMissing,
  startExim,
  startOpenSmtpd,
} from '@acuse/testkit/mail-peers';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { newKey } from '../support/service.ts';
import { type Installation, startInstallation, startWorld, type World } from './installation.ts';

/** Answers of Exim and OpenSMTPD to our mail, beside Postfix. */

const FROM = 'facturas@tienda.test';
const LARGE_BYTES = 3_000_000;

interface Server {
  readonly name: string;
  readonly missing: string | null;
  readonly domain: string;
  readonly address: string;
  readonly start: (options: MailPeerOptions) => Promise<MailPeer>;
  /** Of the session that brought a message, or the stage at which the one before it ended. */
  readonly tls: RegExp;
  /** How a message is handed over: counted, or up to a dot. */
  readonly command: 'BDAT' | 'DATA';
  /** Whom it refuses at once: what its words mean. */
  readonly refused: Readonly<Record<string, Verdict>>;
  /** Whom it takes and reports: what the report means. */
  readonly reported: Readonly<Record<string, Verdict>>;
  /** Whose server calls back before it takes anything. */
  readonly asks: readonly string[];
  /** The outcome of an address in UTF-8. */
  readonly utf8: 'sent' | 'bounced';
}

interface Verdict {
  readonly type: string;
  readonly reason: string;
}

const UNKNOWN: Verdict = { type: 'hard', reason: 'mailbox_unknown' };

const SERVERS: readonly Server[] = [
  {
    ...{ name: 'Exim', missing: eximMissing, start: startExim, command: 'BDAT' },
    refused: {
      'no-such-user': UNKNOWN,
      nowhere: UNKNOWN,
      denied: { type: 'policy', reason: 'sender_refused' },
    },
    reported: {
      later: UNKNOWN,
      forwarded: UNKNOWN,
      full: { type: 'soft', reason: 'mailbox_full' },
    },
    asks: ['picky'],
    ...{ domain: 'exim.test', address: '127.0.0.31', tls: /^TLSv1\.3$/, utf8: 'sent' },
  },
  {
    ...{ name: 'OpenSMTPD', missing: openSmtpdMissing, start: startOpenSmtpd, command: 'DATA' },
    refused: { 'no-such-user': UNKNOWN },
    reported: {
      // It says no more than that its program failed.
      later: { type: 'soft', reason: 'mailer_error' },
      forwarded: UNKNOWN,
    },
    asks: [],
    // Debian 12's offers STARTTLS and fails at it, being of an older OpenSSL. The mail goes all the same.
    ...{ domain: 'opensmtpd.test', address: '127.0.0.32', tls: /^(?:TLSv1\.3|tls)$/, utf8: 'bounced' },
  },
];

const INVITATION = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//Tienda//ES',
  'METHOD:REQUEST',
  'BEGIN:VEVENT',
  'UID:entrega-18@tienda.test',
  'DTSTAMP:20261101T120000Z',
  'DTSTART:20261203T160000Z',
  'SUMMARY:Entrega en Peñón de los Baños',
  'ORGANIZER:mailto:facturas@tienda.test',
  'ATTENDEE;RSVP=TRUE:mailto:ana@example.test',
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n');

/** What Python's library for mail makes of a message: each leaf with its type, method, file name and text. */
const PYTHON = `
import json, sys
from email import message_from_bytes, policy
mail = message_from_bytes(sys.stdin.buffer.read(), policy=policy.default)
print(json.dumps([
  [part.get_content_type(), part['content-type'].params.get('method'), part.get_filename(),
   part.get_content() if part.get_content_maintype() == 'text' else part.get_content().decode()]
  for part in mail.walk() if not part.is_multipart()]))`;

describe.each(SERVERS)('$name', (server) => {
  const { missing, domain, address, start, tls, command, refused, reported, asks, utf8 } = server;
  describe.skipIf(missing !== null)(missing === null ? domain : `${domain} (${missing})`, () => {
    let world: World;
    let acuse: Installation;
    let peer: MailPeer;
    const folder = tempFolder();

    beforeAll(async () => {
      const [port, returnPathPort] = [await freePort(), await freePort()];
      const hostname = `mx.${domain}`;
      world = await startWorld((name, type) => {
        if (name === hostname) return type === 'A' ? [{ type: 'A', value: address }] : [];
        return type === 'MX' ? [{ type: 'MX', preference: 10, exchange: hostname }] : [];
      });
      peer = await start({
        ...{ address, port, hostname, returnPathPort, bounceDomain: 'bounce.tienda.test' },
        certificate: issueCertificate({ subject: hostname, names: [hostname] }),
      });
      acuse = await startInstallation(world, { smtpPort: port, returnPathPort });
      await acuse.verifiedDomain('tienda.test');
    });
    afterAll(async () => {
      await acuse?.stop();
      await peer?.stop();
      await world?.close();
    });

    const send = (local: string, fields: object = {}) =>
      acuse.send({ from: FROM, to: `${local}@${domain}`, ...fields });
    async function attempt(id: string) {
      const { body } = await acuse.call('GET', `/v1/messages/${id}/attempts`);
      return body.data[0];
    }
    /** Its file at the peer, in lines of the wire: what we sent, below what the peer wrote above it. */
    async function stored(id: string): Promise<Buffer> {
      const raw = Buffer.from((await acuse.call('GET', `/v1/messages/${id}/raw`)).bytes).toString('latin1');
      const mail = await vi.waitFor(() => {
        const mails = peer.mails().map((each) => each.toString('latin1').replaceAll('\n', '\r\n'));
        const found = mails.find((each) => each.endsWith(raw));
        if (found === undefined) throw new Error(`not stored:\n${peer.log().slice(-4_000)}`);
        return found;
      }, PATIENCE);
      return Buffer.from(mail, 'latin1');
    }

    test('a message arrives octet for octet, over TLS where that works', async () => {
      const text = 'Año nuevo ñ\n.\n..\nFrom the top\nQUIT\n';
      const id = await send('ana', { text });
      expect(await acuse.until(id, 'sent')).toMatchObject({ attempts: 1 });
      const { sessions } = await attempt(id);
      expect(sessions.at(-1).tls?.version ?? sessions[0].stage).toMatch(tls);
      const { results } = await dkimVerify(await stored(id), {
        resolver: async (name: string) => world.txt(name),
      });
      expect(results.map(({ status }) => status.result)).toEqual(['pass', 'pass']);
    });

    test(`a large message arrives whole, by ${command}`, async () => {
      const line = 'Línea de una factura muy larga, con acentos y ñ.\n';
      const id = await send('ana', { text: line.repeat(LARGE_BYTES / line.length) });
      await acuse.until(id, 'sent');
      await stored(id);
      const { transcript } = (await attempt(id)).sessions.at(-1);
      const said = transcript.map((each: { line: string }) => each.line.split(' ', 1)[0]);
      expect(['BDAT', 'DATA'].filter((each) => said.includes(each))).toEqual([command]);
    });

    test('an invitation shows its buttons: a calendar beside the text, and the same as a file', async () => {
      const content = Buffer.from(INVITATION).toString('base64');
      const calendar = { filename: 'entrega.ics', content_type: 'text/calendar; method=REQUEST', content };
      const id = await send('ana', { html: '<p>Hello</p>', attachments: [calendar] });
      await acuse.until(id, 'sent');
      const parts = JSON.parse(
        execFileSync('python3', ['-c', PYTHON], { input: await stored(id), encoding: 'utf8' }),
      ) as [string, string | null, string | null, string][];
      expect(parts.map((part) => part.slice(0, 3))).toEqual([
        ['text/plain', null, null],
        ['text/html', null, null],
        ['text/calendar', 'REQUEST', null],
        ['application/ics', null, 'entrega.ics'],
      ]);
      const lines = (text: string) => text.replaceAll('\r\n', '\n');
      expect(parts.slice(2).map((part) => lines(part[3]))).toEqual(Array(2).fill(lines(INVITATION)));
    });

    test('what its sender signed (S/MIME) is valid where it arrives', async () => {
      const [key, cert, eml] = ['key.pem', 'cert.pem', 'signed.eml'].map((name) => join(folder, name));
      const own = issueCertificate({ subject: FROM, names: ['tienda.test'] });
      writeFileSync(key!, own.keyPem);
      writeFileSync(cert!, own.certPem);
      const part = 'Content-Type: text/plain; charset=us-ascii\r\n\r\nFrom us\r\n.\r\n';
      const signed = execFileSync(
        'openssl',
        ['cms', '-sign', '-crlfeol', '-signer', cert!, '-inkey', key!, '-from', FROM].concat(
          ...[
            ['-to', `ana@${domain}`],
            ['-subject', 'Signed'],
          ],
        ),
        { input: part, stdio: 'pipe' },
      );
      const mail = signed.toString('latin1').replace(/\r?\n/g, '\r\n');
      const headers = { 'idempotency-key': newKey() };
      const { status, body } = await acuse.call('POST', '/v1/messages', Buffer.from(mail, 'latin1'), headers);
      expect([status, body.error]).toEqual([201, undefined]);
      await acuse.until(body.id, 'sent');
      writeFileSync(eml!, await stored(body.id));
      const said = execFileSync('openssl', ['cms', '-verify', '-noverify', '-in', eml!], { stdio: 'pipe' });
      expect(said.toString()).toContain('From us');
    });

    test('an address in UTF-8 goes where it is taken', async () => {
      const id = await send('märy');
      const message = await acuse.until(id, utf8);
      if (utf8 === 'sent') await stored(id);
      else expect(message.bounce).toMatchObject({ type: 'soft', reason: 'content_unreadable' });
    });

    test.each(Object.entries(refused))(
      '%s@ is refused, in words that are understood',
      async (to, verdict) => {
        const message = await acuse.until(await send(to), 'bounced');
        expect(message.bounce, message.last_reply.text).toEqual({ ...verdict, source: 'reply' });
        if (verdict.type === 'hard') await expect(send(to)).rejects.toThrow('recipient_suppressed');
        else await send(to);
      },
    );

    test.each(Object.entries(reported))(
      '%s@ is taken, and comes back as a report that is understood',
      async (to, verdict) => {
        const id = await send(to);
        const message = await acuse.until(id, 'bounced');
        expect(message.sent_at).not.toBeNull();
        const report = (await acuse.call('GET', `/v1/messages/${id}/dsn`)).body;
        expect(message.bounce, report).toEqual({ ...verdict, source: 'report' });
      },
    );

    test.each(asks)('%s@ first asks whether we take reports, and is sent to', async (to) => {
      const id = await send(to);
      await acuse.until(id, 'sent');
      await stored(id);
    });

    test('greylisting puts a message off', async () => {
      const id = await send('grey');
      const message = await acuse.until(id, 'deferred');
      expect(message.last_reply).toMatchObject({ code: 451 });
      if (domain !== 'exim.test') return;
      writeFileSync(join(peer.folder, 'pass'), '');
      await makeDue(id);
      expect(await acuse.until(id, 'sent')).toMatchObject({ attempts: 2 });
      await stored(id);
    });

    /** Nobody wants to wait for the schedule here. */
    async function makeDue(id: string): Promise<void> {
      const client = new pg.Client({ connectionString: acuse.databaseUrl });
      await client.connect();
      await client.query('set role acuse_worker');
      await client.query('update delivery_queue set due_at = now() where message_id = $1', [id]);
      await client.end();
    }
  });
});
