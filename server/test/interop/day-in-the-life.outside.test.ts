import { createConnection, createServer, type Socket } from 'node:net';
import { connect } from '@acuse/mail/smtp/client';
import { PATIENCE } from '@acuse/testkit/eventually';
import { freePort } from '@acuse/testkit/free-port';
import { postfixMissing } from '@acuse/testkit/postfix';
import { zipOf } from '@acuse/testkit/zip';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Installation } from './installation.ts';
import { type PostfixWorld, startPostfixWorld } from './postfix-world.ts';

/**
 * A day of a postmaster: a receiver with a cap, one whose firewall cuts off what comes together, a complaint
 * of Yahoo’s form and a letter, DMARC reports in a zip, a new address that is warmed up. All of it is seen in
 * the console, by the command line, the API and the metrics.
 */
const FROM = 'facturas@tienda.test';
const MESSAGES = 20;
const JSON_BODY = { 'content-type': 'application/json' };
const CAPPED = '127.0.0.21';
const BEHIND = '127.0.0.23';
/** What the firewall stands in front of. */
const GUARDED = '127.0.0.24';

describe.skipIf(postfixMissing !== null)(
  `a day${postfixMissing === null ? '' : ` (${postfixMissing})`}`,
  () => {
    let world: PostfixWorld;
    let acuse: Installation;
    let firewall: Firewall;
    let adminPort: number;
    let cookie: string;

    beforeAll(async () => {
      adminPort = await freePort();
      world = await startPostfixWorld({
        env: {
          ACUSE_ADMIN_PORT: String(adminPort),
          ACUSE_ADMIN_URL: `http://localhost:${adminPort}`,
          ACUSE_SOURCE_POOLS: 'bulk=new.acuse.test/127.0.0.2,bulk=warm.acuse.test/127.0.0.3',
        },
        hosts: [
          {
            domain: 'capped.test',
            address: CAPPED,
            options: { smtpd_client_connection_count_limit: '2', smtpd_client_event_limit_exceptions: '' },
          },
          // Nothing is encrypted that the firewall has to look into.
          {
            domain: 'guarded.test',
            address: GUARDED,
            options: { smtpd_discard_ehlo_keywords: 'starttls,chunking' },
          },
        ],
        before: async (cli) => {
          await cli(
            ...['queue', 'note', '--destination', 'capped.test', '--note', 'conversations', '--value', '2'],
            ...['--reason', 'their postmaster, ticket 4711', '--days', '90'],
          );
          await cli('queue', 'warm-up', 'new.acuse.test', '--reason', 'a new address');
        },
      });
      const { zone } = world.world;
      zone.set('behind.test', [{ type: 'MX', preference: 10, exchange: 'mx.behind.test' }]);
      zone.set('mx.behind.test', [{ type: 'A', value: BEHIND }]);
      zone.set('receptor.test', [{ type: 'TXT', value: 'v=spf1 ip4:127.0.0.1 -all' }]);
      firewall = await startFirewall(world.store.postfix.port);
      acuse = world.acuse;
      await acuse.verifiedDomain('tienda.test');
      const { link } = JSON.parse(await acuse.cli('operators', 'add', 'ana@example.com', '--json'));
      const session = await askConsole('POST', '/session', { link: new URL(link.url).hash.slice(1) });
      cookie = session.headers.getSetCookie()[0]!.split(';', 1)[0]!;
    });
    afterAll(async () => {
      await firewall?.close();
      await world?.stop();
    });

    const askConsole = (method: string, path: string, body?: unknown) =>
      fetch(`http://localhost:${adminPort}/v1/admin${path}`, {
        method,
        headers: { 'sec-fetch-site': 'same-origin', ...(body === undefined ? { cookie } : JSON_BODY) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
    const inConsole = async (path: string): Promise<any> => (await askConsole('GET', path)).json();
    const notes = async () => JSON.parse(await acuse.cli('queue', 'notes', '--json')).data;
    /** What the database says is read again after seconds, so an earlier test's answer may still stand. */
    const metric = (line: RegExp) =>
      vi.waitFor(
        async () => expect(await (await fetch(`${acuse.baseUrl}/metrics`)).text()).toMatch(line),
        PATIENCE,
      );
    const domainId = async () => (await acuse.call('GET', '/v1/domains')).body.data[0].id as string;

    /** As a provider brings it, from 127.0.0.1. */
    async function bring(to: string, from: string, data: string): Promise<void> {
      const opened = await connect({
        ...{ host: 'mail.acuse.test', address: '127.0.0.1', port: acuse.returnPathPort },
        ...{ ehloName: 'out.receptor.test', tls: { mode: 'opportunistic' } },
        clock: { now: () => performance.now() },
      });
      if (opened.kind !== 'ready') throw new Error(JSON.stringify(opened));
      const message = { reversePath: from, forwardPath: to, data: [Buffer.from(data)] };
      expect(await opened.session.send(message)).toMatchObject({ kind: 'accepted' });
      await opened.session.quit();
    }

    test('a receiver that takes two sessions at once gets no third, once that is noted', async () => {
      expect(await acuse.cli('queue', 'show', '--destination', 'capped.test')).toContain('ticket 4711');
      const sends = Array.from({ length: MESSAGES }, (_, at) =>
        acuse.send({ from: FROM, to: `ana${at}@capped.test` }),
      );
      for (const id of await Promise.all(sends))
        expect(await acuse.until(id, 'sent')).toMatchObject({ attempts: 1 });
      await metric(/acuse_delivery_destination_notes\{source="operator"\} 1/);
    });

    test('a firewall that cuts off what comes together is found out at the first attempt', async () => {
      const first = await acuse.send({ from: FROM, to: 'ana@behind.test' });
      expect(await acuse.until(first, 'sent')).toMatchObject({ attempts: 1 });
      expect(firewall.cut()).toBe(1);
      expect(await notes()).toContainEqual(
        expect.objectContaining({ destination: 'behind.test', note: 'no_pipelining', source: 'learned' }),
      );
      expect((await inConsole('/queue/notes')).data).toContainEqual(
        expect.objectContaining({ destination: 'behind.test', note: 'no_pipelining', source: 'learned' }),
      );
      const second = await acuse.send({ from: FROM, to: 'beto@behind.test' });
      await acuse.until(second, 'sent');
      expect(firewall.cut()).toBe(1);
      await vi.waitFor(() => {
        const stored = world.store.mails().map(({ messageId }) => messageId);
        expect(stored).toEqual(expect.arrayContaining([first, second]));
      }, PATIENCE);
    });

    test('a complaint of Yahoo’s form to fbl@, from the server that took it, counts for its message', async () => {
      const id = await acuse.send({ from: FROM, to: 'queja@anywhere.test' });
      await acuse.until(id, 'sent');
      await bring('fbl@mail.acuse.test', '', yahooArf(id));
      await acuse.until(id, 'complained');
      const { body } = await acuse.call('GET', '/v1/suppressions');
      expect(body.data.map(({ address }: { address: string }) => address)).toEqual(['queja@anywhere.test']);
      await metric(/acuse_return_path_mails_total\{outcome="complained"\} 1/);
    });

    test('a report that names nobody, and a letter, are for the operator', async () => {
      const unknown = yahooArf('00000000-0000-7000-8000-000000000000').replace('redacted@', '4fd3a1b9c0@');
      await bring('fbl@mail.acuse.test', 'feedback@arf.mail.receptor.test', unknown);
      await bring('postmaster@mail.acuse.test', 'ana@receptor.test', 'From: ana@receptor.test\r\n\r\nhi\r\n');
      const expected = [
        expect.objectContaining({ role: 'postmaster', kind: 'letter' }),
        expect.objectContaining({ role: 'fbl', kind: 'complaint', problem: 'no_message' }),
      ];
      expect((await inConsole('/role-mail')).data).toEqual(expected);
      expect(JSON.parse(await acuse.cli('role-mail', 'list', '--json')).data).toEqual(expected);
    });

    test('the DMARC reports of a zip are added up, and the rules for bulk senders say what was seen', async () => {
      await bring('dmarc@bounce.tienda.test', 'noreply@receptor.test', dmarcMail());
      const reports = JSON.parse(await acuse.cli('domains', 'reports', await domainId(), '--json'));
      expect(reports.dmarc).toMatchObject({ reporters: ['receptor.test'], messages: 120, aligned: 120 });
      const { body } = await acuse.call('GET', `/v1/domains/${await domainId()}/requirements`);
      const verdicts = Object.fromEntries(
        body.requirements.map((each: { rule: string; verdict: string }) => [each.rule, each.verdict]),
      );
      expect(verdicts).toMatchObject({
        dkim: 'met',
        spf: 'met',
        dmarc: 'met',
        // One reporter has no say.
        alignment: 'unknown',
        one_click_unsubscribe: 'not_needed',
        tls: 'at_risk',
      });
      const said = await acuse.cli('domains', 'requirements', await domainId(), '--json');
      expect(JSON.parse(said).requirements).toEqual(body.requirements);
    });

    test('of 200 messages over two addresses the new one sends its first day, and the warm one the rest', async () => {
      await acuse.cli('tenants', 'update', acuse.tenantId, '--source-pool', 'bulk');
      const ids = await Promise.all(
        Array.from({ length: 200 }, (_, at) => acuse.send({ from: FROM, to: `c${at}@warmed.test` })),
      );
      const by: Record<string, number> = {};
      for (const id of ids) {
        await acuse.until(id, 'sent');
        const { body } = await acuse.call('GET', `/v1/messages/${id}/attempts`);
        const from = body.data[0].sessions.at(-1).local_address as string;
        by[from] = (by[from] ?? 0) + 1;
      }
      expect(by).toEqual({ '127.0.0.2': 50, '127.0.0.3': 150 });
      expect((await inConsole('/queue/caps')).data).toMatchObject([
        { counts: [{ receiver: 'warmed.test', limit: 50, taken: 50, state: 'full' }] },
      ]);
      const [cap] = JSON.parse(await acuse.cli('queue', 'caps', '--json')).data;
      expect(cap.counts).toMatchObject([
        { receiver: 'warmed.test', step: 1, limit: 50, taken: 50, state: 'full' },
      ]);
      await metric(
        /acuse_delivery_cap_messages\{cap="[^"]+",of="[^"]*new\.acuse\.test[^"]*",receiver="warmed\.test",period="day"\} 50/,
      );
      await metric(/acuse_delivery_cap_limit\{[^}]*receiver="warmed\.test"[^}]*\} 50/);
    });
  },
);

interface Firewall {
  /** Sessions that it cut off. */
  cut(): number;
  close(): Promise<unknown>;
}

/** Lets through what comes command by command, and cuts off who sends two in one segment. */
async function startFirewall(port: number): Promise<Firewall> {
  let cut = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const behind = createConnection({ host: GUARDED, port });
    const close = () => {
      for (const socket of [client, behind]) socket.destroy();
    };
    for (const socket of [client, behind]) sockets.add(socket.on('error', close).on('close', close));
    behind.on('data', (chunk) => client.write(chunk));
    let inData = false;
    client.on('data', (chunk) => {
      const text = chunk.toString('latin1');
      if (!inData && text.indexOf('\r\n') !== text.length - 2) {
        cut++;
        close();
        return;
      }
      inData = inData ? !text.endsWith('\r\n.\r\n') : text === 'DATA\r\n';
      behind.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, BEHIND, resolve));
  return {
    cut: () => cut,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

const crlf = (lines: readonly string[]) => lines.join('\r\n');

/** The recipient blacked out, the message without its body. */
function yahooArf(id: string): string {
  return crlf([
    'From: Yahoo! Mail AntiSpam Feedback <feedback@arf.mail.receptor.test>',
    'To: fbl@mail.acuse.test',
    'Subject: FW:Hello',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; boundary="b"; report-type=feedback-report',
    '',
    '--b',
    'Content-Type: text/plain; charset=us-ascii',
    '',
    'This is an email abuse report.',
    '--b',
    'Content-Type: message/feedback-report',
    '',
    'Feedback-Type: abuse',
    'User-Agent: Yahoo!-Mail-Feedback/2.0',
    'Version: 0.1',
    'Original-Rcpt-To: redacted@anywhere.test',
    '--b',
    'Content-Type: message/rfc822',
    'Content-Disposition: inline',
    '',
    `Service-Evidence: v=1; id=${id}; log=mail.acuse.test/log`,
    `From: ${FROM}`,
    'Subject: Hello',
    '',
    '--b--',
    '',
  ]);
}

/** Of two days: 80 and 40 messages. */
function dmarcMail(): string {
  const [begin, end] = [8, 0].map((days) => Math.floor(Date.now() / 1_000) - days * 86_400);
  const report = (
    id: string,
    count: number,
  ) => `<?xml version="1.0"?><feedback><report_metadata><org_name>Receptor</org_name>
<email>noreply@receptor.test</email><report_id>${id}</report_id>
<date_range><begin>${begin}</begin><end>${end}</end></date_range></report_metadata>
<policy_published><domain>tienda.test</domain><p>none</p><pct>100</pct></policy_published>
<record><row><source_ip>127.0.0.1</source_ip><count>${count}</count>
<policy_evaluated><disposition>none</disposition><dkim>pass</dkim><spf>pass</spf></policy_evaluated></row>
<identifiers><header_from>tienda.test</header_from></identifiers>
<auth_results><dkim><domain>tienda.test</domain><result>pass</result></dkim></auth_results></record></feedback>`;
  const archive = zipOf([
    ['receptor.test!tienda.test!1.xml', report('day-1', 80)],
    ['receptor.test!tienda.test!2.xml', report('day-2', 40)],
  ]);
  return crlf([
    'From: noreply@receptor.test',
    'To: dmarc@bounce.tienda.test',
    'Subject: Report domain: tienda.test',
    'MIME-Version: 1.0',
    'Content-Type: application/zip; name="receptor.test!tienda.test.zip"',
    'Content-Transfer-Encoding: base64',
    '',
    archive.toString('base64').replace(/.{76}/g, '$&\r\n'),
    '',
  ]);
}
