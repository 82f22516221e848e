import { PATIENCE } from '@acuse/testkit/eventually';
import { postfixMissing } from '@acuse/testkit/postfix';
import { type Postgrey, postgreyMissing, startPostgrey } from '@acuse/testkit/postgrey';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Installation } from './installation.ts';
import { type PostfixWorld, type SpecialHost, startPostfixWorld } from './postfix-world.ts';

/** Answers of Postfix to our mail, as its operators set it up, and the outcome of each message. */

const FROM = 'billing@sender.test';
/** Postgrey lets a message pass after this many seconds. */
const GREY_SECONDS = 1;
const SIZE_LIMIT_BYTES = 20_000;

/** One loopback address each. */
const HOSTS: readonly SpecialHost[] = [
  { domain: 'encrypting.test', address: '127.0.0.11', options: { smtpd_tls_security_level: 'encrypt' } },
  { domain: 'plain.test', address: '127.0.0.12', options: { smtpd_tls_security_level: 'none' } },
  {
    domain: 'broken-tls.test',
    address: '127.0.0.13',
    options: { smtpd_tls_protocols: 'TLSv1', smtpd_tls_ciphers: 'low' },
  },
  {
    domain: 'bare.test',
    address: '127.0.0.14',
    options: {
      smtpd_discard_ehlo_keywords: 'pipelining,chunking,8bitmime,dsn,enhancedstatuscodes,smtputf8,size',
    },
  },
  { domain: 'small.test', address: '127.0.0.15', options: { message_size_limit: String(SIZE_LIMIT_BYTES) } },
  { domain: 'blocking.test', address: '127.0.0.16', options: { smtpd_client_restrictions: 'reject' } },
  {
    domain: 'gone.test',
    address: '127.0.0.17',
    options: {
      myhostname: 'mx.gone.test',
      smtpd_recipient_restrictions: 'check_recipient_access static:{550 5.1.1 nobody of that name}',
    },
  },
];

describe.skipIf(postfixMissing !== null)(
  `Postfix${postfixMissing === null ? '' : ` (${postfixMissing})`}`,
  () => {
    let fixture: PostfixWorld;
    let acuse: Installation;
    let postgrey: Postgrey | null = null;

    beforeAll(async () => {
      postgrey = postgreyMissing === null ? await startPostgrey(GREY_SECONDS) : null;
      const grey: SpecialHost[] =
        postgrey === null
          ? []
          : [
              {
                domain: 'grey.test',
                address: '127.0.0.18',
                options: { smtpd_recipient_restrictions: `check_policy_service ${postgrey.service}` },
              },
            ];
      fixture = await startPostfixWorld({
        hosts: [...HOSTS, ...grey],
        // Mail forwarded to gone.test is refused there, and Postfix has to report it.
        main: { virtual_alias_maps: 'regexp:$config_directory/forwards' },
        files: { forwards: '/^forwarded@/ former@gone.test\n' },
        transports: (port) => [`/@gone\\.test$/ smtp:[127.0.0.17]:${port}`],
      });
      acuse = fixture.acuse;
      await acuse.verifiedDomain('sender.test');
    });
    afterAll(async () => {
      await fixture?.stop();
      await postgrey?.stop();
    });

    async function attemptsOf(id: string) {
      const { body } = await acuse.call('GET', `/v1/messages/${id}/attempts`);
      return body.data as {
        outcome: string;
        bounce_type: string | null;
        sessions: {
          tls: { version: string } | null;
          error: unknown;
          stage: string;
          transcript: { line: string }[];
        }[];
      }[];
    }

    async function suppressed(): Promise<string[]> {
      const { body } = await acuse.call('GET', '/v1/suppressions');
      return body.data.map(({ address }: { address: string }) => address);
    }

    test.each([
      ['encrypting.test', ['TLSv1.3']],
      ['plain.test', [null]],
      // Mail that cannot be encrypted goes in the clear, as nothing here demands otherwise.
      ['broken-tls.test', [null, null]],
    ])('%s: sent, with the TLS that there is', async (domain, versions) => {
      const id = await acuse.send({ from: FROM, to: `ana@${domain}` });
      await acuse.until(id, 'sent');
      const [attempt] = await attemptsOf(id);
      expect(attempt!.sessions.map(({ tls }) => tls?.version ?? null)).toEqual(versions);
      if (versions.length > 1) expect(attempt!.sessions[0]).toMatchObject({ stage: 'tls' });
    });

    test('a server that offers nothing gets the same message, by DATA', async () => {
      const text = 'Zeile ä\n.\n..\nFrom the top\nMAIL FROM:<x@y.test>\n.\nQUIT\n';
      const id = await acuse.send({ from: FROM, to: 'ana@bare.test', text });
      await acuse.until(id, 'sent');
      const [attempt] = await attemptsOf(id);
      const lines = attempt!.sessions[0]!.transcript.map(({ line }) => line);
      expect(lines).toContain('DATA');
      expect(lines.find((line) => line.startsWith('MAIL'))).not.toMatch(/SIZE|BODY/);
      await expectStored(id, 'ana@bare.test');
    });

    test('a mailbox in mbox format holds what was sent, octet for octet', async () => {
      const text = 'From here\n.\nFrom there\n\nFrom: nobody\n';
      const id = await acuse.send({ from: FROM, to: 'mbox@anywhere.test', text });
      await acuse.until(id, 'sent');
      const raw = (await acuse.call('GET', `/v1/messages/${id}/raw`)).bytes;
      const wanted = Buffer.from(raw).toString('latin1').replaceAll('\r\n', '\n');
      await vi.waitFor(() => expect(fixture.store.mbox().toString('latin1')).toContain(wanted), PATIENCE);
    });

    test('a user that is not there: a hard bounce with its report, and no more mail to that address', async () => {
      const to = 'no-such-user@anywhere.test';
      const id = await acuse.send({ from: FROM, to });
      const message = await acuse.until(id, 'bounced');
      expect(message.last_reply).toMatchObject({ code: 550, enhanced: '5.1.1', mx: 'mx.postfix.test' });
      expect((await attemptsOf(id))[0]).toMatchObject({ outcome: 'bounced', bounce_type: 'hard' });
      expect((await acuse.call('GET', `/v1/messages/${id}/dsn`)).body).toMatch(/^Action: failed\r$/m);
      expect(await suppressed()).toEqual([to]);
      await expect(acuse.send({ from: FROM, to })).rejects.toThrow('recipient_suppressed');
    });

    test('a server that does not want us: a policy bounce, which says nothing about the address', async () => {
      const id = await acuse.send({ from: FROM, to: 'ana@blocking.test' });
      const message = await acuse.until(id, 'bounced');
      expect(message.last_reply).toMatchObject({ code: 554, enhanced: '5.7.1' });
      expect((await attemptsOf(id))[0]).toMatchObject({ bounce_type: 'policy' });
      expect(await suppressed()).not.toContain('ana@blocking.test');
    });

    test('a message over the size limit is not even offered; one below it is taken', async () => {
      const large = await acuse.send({
        from: FROM,
        to: 'ana@small.test',
        text: 'x'.repeat(SIZE_LIMIT_BYTES),
      });
      const small = await acuse.send({ from: FROM, to: 'ana@small.test', text: 'x'.repeat(1_000) });
      await acuse.until(large, 'bounced');
      const [attempt] = await attemptsOf(large);
      expect(attempt).toMatchObject({ bounce_type: 'soft' });
      const lines = attempt!.sessions[0]!.transcript.map(({ line }) => line);
      expect(lines.some((line) => line.startsWith('MAIL'))).toBe(false);
      await acuse.until(small, 'sent');
    });

    test('an address in UTF-8 needs a server that takes it', async () => {
      const taken = await acuse.send({ from: FROM, to: 'märy@anywhere.test' });
      const refused = await acuse.send({ from: FROM, to: 'märy@bare.test' });
      await acuse.until(taken, 'sent');
      await acuse.until(refused, 'bounced');
      await expectStored(taken, 'märy@anywhere.test');
      expect((await attemptsOf(refused))[0]).toMatchObject({ bounce_type: 'soft' });
    });

    test.skipIf(postgreyMissing !== null)(
      `greylisting puts a message off once, and takes it the second time${postgreyMissing === null ? '' : ` (${postgreyMissing})`}`,
      async () => {
        const id = await acuse.send({ from: FROM, to: 'ana@grey.test' });
        const waiting = await acuse.until(id, 'deferred');
        expect(waiting.last_reply).toMatchObject({ code: 450, enhanced: '4.2.0' });
        const waitMs = new Date(waiting.next_attempt_at).getTime() - new Date(waiting.deferred_at).getTime();
        expect(waitMs).toBeGreaterThan(100_000);
        expect(waitMs).toBeLessThan(140_000);
        await new Promise((resolve) => setTimeout(resolve, GREY_SECONDS * 1_000 + 200));
        await makeDue(id);
        expect(await acuse.until(id, 'sent')).toMatchObject({ attempts: 2 });
        await expectStored(id, 'ana@grey.test');
      },
    );

    test('what Postfix took and could not forward comes back as its report: bounced late, our address left alone', async () => {
      const to = 'forwarded@anywhere.test';
      const id = await acuse.send({ from: FROM, to, certified: true });
      const message = await acuse.until(id, 'bounced');
      expect(message.sent_at).not.toBeNull();
      const { body } = await acuse.call('GET', `/v1/messages/${id}/events`);
      const bounce = body.data.find(({ type }: { type: string }) => type === 'email.bounced');
      expect(bounce.data).toMatchObject({ asynchronous: true, bounce_type: 'hard' });
      const report = (await acuse.call('GET', `/v1/messages/${id}/dsn`)).body;
      expect(report).toMatch(/^Final-Recipient: rfc822; former@gone\.test$/m);
      expect(await suppressed()).not.toContain(to);
    });

    async function expectStored(id: string, recipient: string): Promise<void> {
      const raw = (await acuse.call('GET', `/v1/messages/${id}/raw`)).bytes;
      await vi.waitFor(() => {
        const mail = fixture.store.mails().find(({ messageId }) => messageId === id);
        expect(mail?.recipient).toBe(recipient);
        const stored = mail!.bytes.toString('latin1').replaceAll('\n', '\r\n');
        expect(stored.endsWith(Buffer.from(raw).toString('latin1'))).toBe(true);
      }, PATIENCE);
    }

    /** Nobody wants to wait for the schedule here. */
    async function makeDue(id: string): Promise<void> {
      const client = new pg.Client({ connectionString: acuse.databaseUrl });
      await client.connect();
      await client.query('set role acuse_worker');
      await client.query('update delivery_queue set due_at = now() where message_id = $1', [id]);
      await client.end();
    }
  },
);
