import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { MESSAGE_MAX_BYTES } from '@acuse/mail/limits';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  SUBMISSION_CLIENTS_MAX,
  SUBMISSION_CLIENTS_PER_ACCOUNT_MAX,
} from '../../../src/messages/submission/listeners.ts';
import { MAX_COMMANDS, MAX_IDLE_COMMANDS } from '../../../src/platform/smtp/smtp-server.ts';
import type { SmtpTimeouts } from '../../../src/platform/smtp/smtp-timeouts.ts';
import { openRawSmtp, type RawSmtp } from '../../support/raw-smtp.ts';
import { idIn, mail, openSubmissionWorld, type SubmissionWorld, sendRaw, verifiedDomain } from './harness.ts';

/**
 * The most that one account, one network or one client can take away from the others: a share, for a while.
 */

let world: SubmissionWorld;
let other: string;
beforeAll(async () => {
  world = await openSubmissionWorld();
  const { tenantId, key } = await world.tenant();
  other = key;
  await verifiedDomain(world, tenantId, 'other.test');
  await world.service.call('POST', '/v1/senders', { body: { address: '*@other.test' }, key });
});
afterAll(() => world.stop());

async function beginData(smtp: RawSmtp): Promise<void> {
  for (const line of ['MAIL FROM:<>', 'RCPT TO:<delivered@sandbox.test>', 'DATA']) await smtp.command(line);
}

async function sendOther(localAddress: string): Promise<string> {
  const smtp = await world.session(other, localAddress);
  const reply = await sendRaw(smtp, mail({ from: 'a@other.test' }));
  smtp.end();
  return reply;
}

/** Closed by the server, whether it said something before or not. */
/** A reset closes it too: what was written meanwhile was never read. (`once` would throw that error.) */
async function closedByServer(socket: Socket): Promise<void> {
  socket.on('error', () => {});
  socket.resume();
  if (!socket.destroyed) await new Promise((resolve) => socket.once('close', resolve));
}

describe('memory', () => {
  const NEARLY = 'x'
    .repeat(76)
    .concat('\r\n')
    .repeat(Math.floor((MESSAGE_MAX_BYTES - 2_000) / 78));

  test.each([
    ['account', (n: number) => `127.0.1.${n}`],
    ['network', () => '127.0.2.1'],
  ])('one %s holds a quarter at most; what it began is taken, and others are', async (kind, addressOf) => {
    const keyOf = (n: number) => (kind === 'account' || n % 2 === 0 ? world.key : other);
    const mailOf = (n: number) => mail({ from: keyOf(n) === other ? 'a@other.test' : 'a@sandbox.test' });
    const held = await Promise.all([1, 2].map((n) => world.session(keyOf(n), addressOf(n))));
    for (const [at, smtp] of held.entries()) {
      await beginData(smtp);
      smtp.write(`${mailOf(at + 1)}${NEARLY}`);
    }
    const begun = 2 * (NEARLY.length + mailOf(1).length);
    await expect.poll(() => world.heldBytes()).toBeGreaterThanOrEqual(begun - 1_000);
    const third = await world.session(keyOf(3), addressOf(3));
    await beginData(third);
    third.write(`${mailOf(3)}${NEARLY}.\r\n`);
    expect(await third.reply()).toMatch(/^452 4\.3\.1 /);
    idIn(await sendOther('127.0.3.1'));
    // Neither may the owner's own next message find less than it had before.
    for (const smtp of held) {
      smtp.write('.\r\n');
      idIn(await smtp.reply());
    }
    third.write('RSET\r\n');
    expect(await third.reply()).toMatch(/^250 /);
    await beginData(third);
    third.write(`${mailOf(3)}${NEARLY}.\r\n`);
    idIn(await third.reply());
    for (const smtp of [...held, third]) smtp.end();
    await expect.poll(() => world.heldBytes()).toBe(0);
  });
});

async function repliesUntilTooMany(smtp: RawSmtp): Promise<number> {
  for (let replies = 1; ; replies++)
    if ((await smtp.reply()).startsWith('421 4.7.0 Too many commands')) return replies;
}

describe('commands', () => {
  test('without a message have a bounded number, which a message begins anew', async () => {
    const smtp = await world.session(other);
    for (let turn = 0; turn < 3; turn++) {
      for (let n = 0; n < MAX_IDLE_COMMANDS / 2; n++) expect(await smtp.command('NOOP')).toMatch(/^250 /);
      idIn(await sendRaw(smtp, mail({ from: 'a@other.test' })));
    }
    smtp.write('RSET\r\n'.repeat(10 * MAX_IDLE_COMMANDS));
    expect(await repliesUntilTooMany(smtp)).toBe(MAX_IDLE_COMMANDS + 1);
    await smtp.closed;
  });

  test('so do recipients, far beyond what a message may have', async () => {
    const smtp = await world.session(other);
    await smtp.command('MAIL FROM:<a@other.test>');
    smtp.write('RCPT TO:<delivered@sandbox.test>\r\n'.repeat(2 * MAX_COMMANDS));
    expect(await repliesUntilTooMany(smtp)).toBeLessThanOrEqual(MAX_COMMANDS);
    await smtp.closed;
  });
});

describe('connections', () => {
  test('one account has a bounded number, from however many addresses; others still come in', async () => {
    const open = (_: unknown, n: number) => world.session(world.key, `127.0.${4 + (n % 2)}.1`);
    const sessions = await Promise.all(Array.from({ length: SUBMISSION_CLIENTS_PER_ACCOUNT_MAX }, open));
    const over = await openRawSmtp(world.tlsPort, { tls: true, localAddress: '127.0.6.1' });
    await over.command('EHLO client.test');
    expect(await over.login(world.key)).toMatch(/^421 4\.7\.0 .*account/);
    await over.closed;
    idIn(await sendOther('127.0.6.1'));
    sessions.pop()!.end();
    await expect.poll(async () => admitted(world.key)).toBe(true);
    for (const smtp of sessions) smtp.end();
  });

  async function admitted(key: string): Promise<boolean> {
    const smtp = await openRawSmtp(world.tlsPort, { tls: true, localAddress: '127.0.6.2' });
    await smtp.command('EHLO client.test');
    const reply = await smtp.login(key);
    smtp.end();
    return reply.startsWith('235 ');
  }

  test.each([
    ['never begin TLS, of five addresses', 'tlsPort', (n: number) => `127.1.${n % 5}.1`],
    ['never log in, of five addresses', 'port', (n: number) => `127.2.${n % 5}.1`],
    ['never log in, of as many networks', 'port', (n: number) => `127.${3 + (n >> 8)}.${n & 255}.1`],
  ] as const)(
    'sockets that %s make room for others, and close nobody’s who logged in',
    async (_, port, addressOf) => {
      const own = await world.session(other, '127.0.8.1');
      const silent: Socket[] = [];
      for (let n = 0; n < SUBMISSION_CLIENTS_MAX + 50; n++) {
        const socket = connect({ port: world[port], host: '127.0.0.1', localAddress: addressOf(n) });
        socket.on('error', () => {});
        silent.push(socket);
        await once(socket, 'connect');
      }
      // Closed by the server: what the listener had said is read first.
      for (const socket of silent) socket.resume();
      await expect.poll(() => silent.filter(({ destroyed }) => destroyed).length).toBeGreaterThanOrEqual(50);
      idIn(await sendOther('127.0.8.2'));
      idIn(await sendRaw(own, mail({ from: 'a@other.test' })));
      own.end();
      for (const socket of silent) socket.destroy();
    },
  );
});

describe('time', () => {
  /** Only one time is short: the others must not run out on a busy machine. */
  async function hasty(
    timeouts: Partial<SmtpTimeouts>,
    check: (world: SubmissionWorld) => Promise<void>,
  ): Promise<void> {
    const own = await openSubmissionWorld({ submission: { timeouts } });
    await check(own).finally(() => own.stop());
  }

  test('a handshake that drips is ended', () =>
    hasty({ handshake: 500 }, async ({ tlsPort }) => {
      const socket = connect(tlsPort, '127.0.0.1');
      await once(socket, 'connect');
      // The head of a record, and then an octet of it at a time.
      socket.write(Buffer.from([0x16, 0x03, 0x01, 0x40, 0x00]));
      const drip = setInterval(() => socket.write(Buffer.from([0x01])), 50);
      await closedByServer(socket);
      clearInterval(drip);
    }));

  test.each(['port', 'tlsPort'] as const)('who never logs in is let go, whatever else is said (%s)', (port) =>
    // Long enough for an answer that comes, on a busy machine too.
    hasty({ firstAct: 4_000 }, async (own) => {
      const smtp = await openRawSmtp(own[port], { tls: port === 'tlsPort' });
      await smtp.command('EHLO client.test');
      const chatter = setInterval(() => smtp.write('RSET\r\n'), 200);
      const replies = [];
      for (;;) {
        const reply = await smtp.reply();
        replies.push(reply);
        if (!reply.startsWith('250 ')) break;
      }
      clearInterval(chatter);
      // The library ends a chat of its own accord too.
      expect(replies.at(-1)).toMatch(/^421 4\.4\.2 Timed out: no login received|^421 /);
      await smtp.closed;
    }),
  );

  test('who logs in and sends nothing is let go, whatever else is said', () =>
    hasty({ noMail: 8_000 }, async (own) => {
      const smtp = await own.session();
      const chatter = setInterval(() => smtp.write('NOOP\r\n'), 200);
      let reply = '250 ';
      while (reply.startsWith('250 ')) reply = await smtp.reply();
      clearInterval(chatter);
      expect(reply).toBe('421 4.4.2 Timed out: no message received');
      await smtp.closed;
    }));

  test('a message that drips is ended, and one that flows is not', () =>
    hasty({ progress: 400 }, async (own) => {
      const [dripping, flowing] = [await own.session(), await own.session()];
      await Promise.all([beginData(dripping), beginData(flowing)]);
      const drip = setInterval(() => dripping.write('x'), 20);
      flowing.write(mail());
      // 40 kB a second, for several stretches.
      const flow = setInterval(() => flowing.write(`${'x'.repeat(76)}\r\n`.repeat(26)), 50);
      expect(await dripping.reply()).toBe('421 4.4.2 The message took too long');
      await dripping.closed;
      clearInterval(drip);
      await new Promise((resolve) => setTimeout(resolve, 900));
      clearInterval(flow);
      flowing.write('.\r\n');
      idIn(await flowing.reply());
      flowing.end();
    }));
});
