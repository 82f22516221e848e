import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { PATIENCE } from '@acuse/testkit/eventually';
import { freePort } from '@acuse/testkit/free-port';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createProcesses, type Service } from '../support/process.ts';

/**
 * A client that others wrote, at the listeners that take mail from strangers: the return path and the
 * sandbox's mailbox.
 */

const missing = spawnSync('swaks', ['--version']).status === 0 ? null : 'skipped: needs swaks';

/** Of swaks(1): what an SMTP server said no to. */
const REFUSED_RCPT = 24;

describe.skipIf(missing !== null)(`swaks${missing === null ? '' : ` (${missing})`}`, () => {
  const processes = createProcesses();
  let service: Service;
  let returnPathPort: number;

  beforeAll(async () => {
    returnPathPort = await freePort();
    service = await processes.start({
      databaseUrl: await processes.database(),
      env: { ACUSE_RETURN_PATH_PORT: String(returnPathPort) },
    });
  });
  afterAll(processes.end);

  async function swaks(port: number, to: string, ...args: string[]): Promise<{ code: number; said: string }> {
    const all = ['--server', '127.0.0.1', '--port', String(port), '--from', '<>', '--to', to, ...args];
    const child = execFile('swaks', [...all, '--helo', 'mx.receiver.test', '--timeout', '20']);
    let said = '';
    child.stdout!.setEncoding('utf8').on('data', (text: string) => (said += text));
    const [code] = await once(child, 'close');
    return { code, said };
  }

  /** A message in the sandbox's mailbox, with the address that reports on it go to. */
  async function delivered(): Promise<{ id: string; returnPath: string }> {
    const { body } = await service.send({ to: 'ana@sandbox.test' });
    return vi.waitFor(async () => {
      const mailbox = await service.call('GET', '/sandbox/mailbox?to=ana@sandbox.test');
      const mail = mailbox.body.data.find((one: { message_id: string }) => one.message_id === body.id);
      expect(mail).toBeDefined();
      return { id: body.id, returnPath: mail.mail_from };
    }, PATIENCE);
  }

  function report(recipient: string): string {
    return [
      'From: MAILER-DAEMON@mx.receiver.test',
      'Subject: Undelivered Mail Returned to Sender',
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
      '',
      '--b',
      'Content-Type: message/delivery-status',
      '',
      'Reporting-MTA: dns; mx.receiver.test',
      '',
      `Final-Recipient: rfc822; ${recipient}`,
      'Action: failed',
      'Status: 5.2.2',
      'Diagnostic-Code: smtp; 552 5.2.2 Mailbox full',
      '',
      '--b--',
    ].join('\n');
  }

  test('a report over STARTTLS is taken for a return path of ours, and bounces the message', async () => {
    const { id, returnPath } = await delivered();
    const { code, said } = await swaks(
      returnPathPort,
      returnPath,
      '--tls',
      '--data',
      report('ana@sandbox.test'),
    );
    expect(code, said).toBe(0);
    expect(said).toMatch(/=== TLS started with cipher TLSv1\.3/);
    expect((await service.call('GET', `/v1/messages/${id}`)).body).toMatchObject({
      status: 'bounced',
      last_reply: { enhanced: '5.2.2' },
    });
  });

  test('any other address is refused before a message is sent: strangers, and tokens that somebody changed', async () => {
    const { id, returnPath } = await delivered();
    const at = returnPath.indexOf('@') - 1;
    const changed = `${returnPath.slice(0, at)}${returnPath[at] === 'a' ? 'b' : 'a'}${returnPath.slice(at + 1)}`;
    for (const to of ['somebody@bounce.sandbox.test', 'b+aaaa@bounce.sandbox.test', changed]) {
      const { code, said } = await swaks(returnPathPort, to, '--data', report('ana@sandbox.test'));
      expect(code, said).toBe(REFUSED_RCPT);
      expect(said).toMatch(/<[~*]\* 550 5\.1\.1 /);
    }
    expect((await service.call('GET', `/v1/messages/${id}`)).body.status).toBe('sent');
  });

  test.each([
    ['delivered@sandbox.test', 0, /<[~-] {2}250 2\.0\.0/],
    ['bounced@sandbox.test', REFUSED_RCPT, /<[~*]\* 550 5\.1\.1/],
    ['blocked@sandbox.test', REFUSED_RCPT, /<[~*]\* 554 5\.7\.1/],
    ['greylisted@sandbox.test', REFUSED_RCPT, /<[~*]\* 45\d 4\./],
  ])('the mailbox behaves to strangers as its addresses say: %s', async (to, code, reply) => {
    for (const tls of [[], ['--tls']]) {
      const ended = await swaks(service.sandbox.smtp_port, to, ...tls);
      expect(ended.said).toMatch(reply);
      expect(ended.code).toBe(code);
    }
  });
});
