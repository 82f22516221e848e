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
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
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
  /** Its report of a mailbox that does not exist. */
  readonly reported: { readonly type: string; readonly reason: string };
  /** The outcome of an address in UTF-8. */
  readonly utf8: 'sent' | 'bounced';
}

const SERVERS: readonly Server[] = [
  {
    ...{ name: 'Exim', missing: eximMissing, start: startExim },
    reported: { type: 'hard', reason: 'mailbox_unknown' },
    ...{ domain: 'exim.test', address: '127.0.0.31', tls: /^TLSv1\.3$/, utf8: 'sent' },
  },
  {
    ...{ name: 'OpenSMTPD', missing: openSmtpdMissing, start: startOpenSmtpd },
    // It says no more than that its program failed.
    reported: { type: 'soft', reason: 'mailer_error' },
    // Debian 12's offers STARTTLS and fails at it, being of an older OpenSSL. The mail goes all the same.
    ...{ domain: 'opensmtpd.test', address: '127.0.0.32', tls: /^(?:TLSv1\.3|tls)$/, utf8: 'bounced' },
  },
];

describe.each(SERVERS)('$name', ({ missing, domain, address, start, reported, tls, utf8 }) => {
  describe.skipIf(missing !== null)(missing === null ? domain : `${domain} (${missing})`, () => {
    let world: World;
    let acuse: Installation;
    let peer: MailPeer;

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
    async function expectStored(id: string): Promise<void> {
      const raw = Buffer.from((await acuse.call('GET', `/v1/messages/${id}/raw`)).bytes).toString('latin1');
      await vi.waitFor(() => {
        const stored = peer.mails().map((mail) => mail.toString('latin1').replaceAll('\n', '\r\n'));
        if (!stored.some((mail) => mail.endsWith(raw)))
          throw new Error(`not stored:\n${peer.log().slice(-4_000)}`);
      }, PATIENCE);
    }

    test('a message arrives octet for octet, over TLS where that works', async () => {
      const text = 'Año nuevo ñ\n.\n..\nFrom the top\nQUIT\n';
      const id = await send('ana', { text });
      expect(await acuse.until(id, 'sent')).toMatchObject({ attempts: 1 });
      const { sessions } = await attempt(id);
      expect(sessions.at(-1).tls?.version ?? sessions[0].stage).toMatch(tls);
      await expectStored(id);
    });

    test('a large message arrives whole', async () => {
      const line = 'Línea de una factura muy larga, con acentos y ñ.\n';
      const id = await send('ana', { text: line.repeat(LARGE_BYTES / line.length) });
      await acuse.until(id, 'sent');
      await expectStored(id);
    });

    test('an address in UTF-8 goes where it is taken', async () => {
      const id = await send('märy');
      const message = await acuse.until(id, utf8);
      if (utf8 === 'sent') await expectStored(id);
      else expect(message.bounce).toMatchObject({ type: 'soft', reason: 'content_unreadable' });
    });

    test('whom the server does not know is a hard bounce, and suppressed', async () => {
      const message = await acuse.until(await send('no-such-user'), 'bounced');
      expect(message.bounce).toMatchObject({ type: 'hard', reason: 'mailbox_unknown', source: 'reply' });
      await expect(send('no-such-user')).rejects.toThrow('recipient_suppressed');
    });

    test('what it took and could not store comes back as its report', async () => {
      const id = await send('later');
      const message = await acuse.until(id, 'bounced');
      expect(message.sent_at).not.toBeNull();
      expect(message.bounce).toEqual({ ...reported, source: 'report' });
    });

    test('greylisting puts a message off', async () => {
      const id = await send('grey');
      const message = await acuse.until(id, 'deferred');
      expect(message.last_reply).toMatchObject({ code: 451 });
      if (domain !== 'exim.test') return;
      writeFileSync(join(peer.folder, 'pass'), '');
      await makeDue(id);
      expect(await acuse.until(id, 'sent')).toMatchObject({ attempts: 2 });
      await expectStored(id);
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
