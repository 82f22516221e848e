import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { createSmtpListener, type SmtpListener } from '../../src/platform/smtp/smtp-listener.ts';
import { openRawSmtp, type RawSmtp } from '../support/raw-smtp.ts';

/** Octets of messages that nobody ends, on a port that takes mail of anybody. */

const MiB = 1024 * 1024;
let listener: SmtpListener;
let port: number;
const open: RawSmtp[] = [];
afterEach(async () => {
  for (const smtp of open.splice(0)) smtp.end();
  await listener.stop();
});

async function beginMail(from: string): Promise<RawSmtp> {
  const smtp = await openRawSmtp(port, { localAddress: from });
  open.push(smtp);
  for (const line of ['EHLO client.test', 'MAIL FROM:<>', 'RCPT TO:<a@b.test>', 'DATA'])
    await smtp.command(line);
  return smtp;
}

describe('memory for messages', () => {
  test.each([
    ['many networks', (n: number) => `127.0.${n}.1`],
    ['many addresses of one network', (n: number) => `127.0.9.${n}`],
  ])('that %s never end is no longer theirs when others have mail', async (_, addressOf) => {
    listener = createSmtpListener({
      ...{ name: 'test', hostname: 'mx.test', host: '127.0.0.1', port: 0 },
      ...{ maxMessageBytes: 2 * MiB, maxHeldBytes: 8 * MiB, maxHeldBytesOfOne: 2 * MiB },
      ...{ maxRecipients: 1, maxClients: 50 },
      log: pino({ level: 'silent' }),
      onRecipient: async () => null,
      onMail: async () => ({ code: 250, text: '2.0.0 Taken' }),
    });
    port = await listener.start();
    const lines = Buffer.from(`${'x'.repeat(1022)}\r\n`.repeat(2_000));
    const slow: RawSmtp[] = [];
    for (let n = 1; n <= 4; n++) {
      const smtp = await beginMail(addressOf(n));
      smtp.write(lines);
      await expect.poll(() => listener.heldBytes()).toBeGreaterThanOrEqual(n * lines.length - 1024);
      slow.push(smtp);
    }
    const other = await beginMail('127.7.0.1');
    other.write(Buffer.concat([lines.subarray(0, MiB), Buffer.from('.\r\n')]));
    expect(await other.reply()).toMatch(/^250 /);
    // Each of them is told at its end.
    const replies = [];
    for (const smtp of slow) {
      smtp.write('.\r\n');
      replies.push((await smtp.reply()).slice(0, 9));
    }
    expect(replies.toSorted()).toEqual(['250 2.0.0', '250 2.0.0', '250 2.0.0', '452 4.3.1']);
    expect(listener.heldBytes()).toBe(0);
  });
});
