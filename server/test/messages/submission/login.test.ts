import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatKey, parseKey, SECRET_BYTES } from '../../../src/accounts/api-keys/key.ts';
import { endApiKey } from '../../../src/accounts/api-keys/operations.ts';
import { changeTenant } from '../../../src/accounts/tenants/operations.ts';
import { newId } from '../../../src/platform/ids.ts';
import { openRawSmtp, type RawSmtp } from '../../support/raw-smtp.ts';
import { mail, openSubmissionWorld, type SubmissionWorld, sendRaw } from './harness.ts';

let world: SubmissionWorld;
beforeAll(async () => {
  world = await openSubmissionWorld({ submission: { failuresPerMinute: 1_000 } });
});
afterAll(() => world.stop());

const base64 = (text: string) => Buffer.from(text).toString('base64');

async function overTls(): Promise<RawSmtp> {
  const smtp = await openRawSmtp(world.tlsPort, { tls: true });
  await smtp.command('EHLO client.test');
  return smtp;
}

describe('before TLS', () => {
  test('no login is offered, none is taken, and nobody sends', async () => {
    const smtp = await openRawSmtp(world.port);
    const hello = await smtp.command('EHLO client.test');
    expect(hello).toContain('250-STARTTLS');
    expect(hello).not.toContain('AUTH');
    expect(await smtp.login(world.key)).toMatch(/^538 5\.7\.11 /);
    expect(await smtp.command('AUTH LOGIN')).toMatch(/^538 5\.7\.11 /);
    expect(await smtp.command('MAIL FROM:<a@client.test>')).toBe('530 5.7.0 Authentication required');
    const secured = await smtp.startTls();
    expect(secured).toContain('250-AUTH PLAIN LOGIN');
    expect(secured).not.toContain('STARTTLS');
    expect(await smtp.login(world.key)).toMatch(/^235 2\.7\.0 /);
    smtp.end();
  });

  test('what is written behind STARTTLS in the clear is never run', async () => {
    const smtp = await openRawSmtp(world.port);
    await smtp.command('EHLO client.test');
    smtp.write('STARTTLS\r\nEHLO injected.test\r\nMAIL FROM:<injected@client.test>\r\n');
    expect(await smtp.reply()).toMatch(/^220 /);
    // Nothing but the handshake may follow: a reply in the clear would break it.
    const hello = await smtp.startTlsAfterReply();
    expect(hello).toContain('250-AUTH PLAIN LOGIN');
    await smtp.login(world.key);
    // A MAIL that had been run would make this one nested: 503.
    expect(await smtp.command('MAIL FROM:<a@client.test>')).toMatch(/^250 /);
    smtp.end();
  });

  test('the old back doors are shut', async () => {
    const smtp = await openRawSmtp(world.port);
    for (const line of ['WIZ x', 'SHELL', 'KILL', 'XCLIENT ADDR=192.0.2.1', 'XFORWARD NAME=x', 'DEBUG'])
      expect(await smtp.command(line)).toMatch(/^5\d\d 5\./);
    smtp.end();
  });
});

describe('a login', () => {
  test.each(['PLAIN', 'LOGIN'])('by %s takes an API key with any user name', async (method) => {
    for (const user of ['me', 'billing@sandbox.test', 'ünï']) {
      const smtp = await overTls();
      if (method === 'LOGIN') {
        await smtp.command('AUTH LOGIN');
        await smtp.command(base64(user));
      }
      const reply =
        method === 'LOGIN'
          ? await smtp.command(base64(world.key))
          : await smtp.command(`AUTH PLAIN ${base64(`\0${user}\0${world.key}`)}`);
      expect(reply).toBe('235 2.7.0 Authentication successful');
      smtp.end();
    }
  });

  test('is refused alike whatever is wrong with it', async () => {
    const { apiKeyId } = parseKey(world.key)!;
    const secret = new Uint8Array(20).fill(9);
    const revoked = await world.tenant();
    await endApiKey(world.service.services, revoked.tenantId, parseKey(revoked.key)!.apiKeyId);
    const suspended = await world.tenant();
    await changeTenant(world.service.services, suspended.tenantId, { status: 'suspended' });
    const deactivated = await world.tenant();
    await changeTenant(world.service.services, deactivated.tenantId, { status: 'deactivated' });
    const reader = await world.tenant({ scopes: ['evidence:read', 'suppressions:write', 'api_keys:write'] });
    const keys = [
      '',
      'hunter2',
      `${world.key}x`,
      formatKey(newId(), secret),
      formatKey(apiKeyId, secret),
      revoked.key,
      suspended.key,
      deactivated.key,
      reader.key,
      'x'.repeat(2_000),
    ];
    const replies = new Set<string>();
    for (const key of keys) {
      const smtp = await overTls();
      replies.add(await smtp.login(key));
      expect(await smtp.command('MAIL FROM:<a@client.test>')).toBe('530 5.7.0 Authentication required');
      smtp.end();
    }
    expect([...replies]).toEqual(['535 5.7.8 Authentication credentials invalid']);
  });

  test('has three tries in one session', async () => {
    const smtp = await overTls();
    expect(await smtp.login('one')).toMatch(/^535 /);
    expect(await smtp.login('two')).toMatch(/^535 /);
    expect(await smtp.login('three')).toBe('421 4.7.0 Too many failed authentications');
    await smtp.closed;
  });

  test.each([
    ['AUTH PLAIN !!!', /^501 5\./],
    [`AUTH PLAIN ${Buffer.from('no separators').toString('base64')}`, /^501 5\./],
    [`AUTH PLAIN ${Buffer.from('a\0b\0c\0d').toString('base64')}`, /^501 5\./],
    ['AUTH CRAM-MD5', /^504 5\.5\.4 /],
    ['AUTH XOAUTH2', /^504 5\.5\.4 /],
    ['AUTH', /^504 5\.5\.4 /],
  ])('that is none is told so: %s', async (line, reply) => {
    const smtp = await overTls();
    expect(await smtp.command(line)).toMatch(reply);
    smtp.end();
  });

  test('can be broken off, and is not taken twice', async () => {
    const smtp = await overTls();
    expect(await smtp.command('AUTH LOGIN')).toMatch(/^334 /);
    expect(await smtp.command('*')).toMatch(/^501 /);
    expect(await smtp.login(world.key)).toMatch(/^235 /);
    expect(await smtp.login(world.key)).toMatch(/^503 5\.5\.1 /);
    smtp.end();
  });
});

test('an address that fails too often is told to wait; good keys are not, known or new', async () => {
  const strict = await openSubmissionWorld({ submission: { failuresPerMinute: 2 } });
  try {
    const unseen = await strict.tenant();
    (await strict.session()).end();
    for (const guess of ['one', 'two']) {
      const smtp = await openRawSmtp(strict.tlsPort, { tls: true });
      await smtp.command('EHLO client.test');
      expect(await smtp.login(guess)).toMatch(/^535 /);
      smtp.end();
    }
    // The id of a key that was good here is not a key.
    const guess = formatKey(parseKey(strict.key)!.apiKeyId, randomBytes(SECRET_BYTES));
    await expect(strict.session(guess)).rejects.toThrow(
      '421 4.7.0 Too many failed authentications from your network',
    );
    for (const key of [unseen.key, strict.key]) (await strict.session(key)).end();
  } finally {
    await strict.stop();
  }
});

test('a session that was let in sends no more once its key or its account is not good', async () => {
  const { tenantId, key } = await world.tenant();
  const smtp = await world.session(key);
  expect(await smtp.command('MAIL FROM:<a@client.test>')).toMatch(/^250 /);
  expect(await smtp.command('RSET')).toMatch(/^250 /);
  await changeTenant(world.service.services, tenantId, { status: 'suspended' });
  expect(await smtp.command('MAIL FROM:<a@client.test>')).toBe('530 5.7.0 Authentication required');
  await changeTenant(world.service.services, tenantId, { status: 'active' });
  expect(await smtp.command('MAIL FROM:<a@client.test>')).toMatch(/^250 /);
  expect(await smtp.command('RCPT TO:<delivered@sandbox.test>')).toMatch(/^250 /);
  await endApiKey(world.service.services, tenantId, parseKey(key)!.apiKeyId);
  expect(await smtp.command('DATA')).toMatch(/^354 /);
  smtp.write(`${mail()}.\r\n`);
  expect(await smtp.reply()).toBe('530 5.7.0 Authentication required');
  smtp.end();
});

test('a key has so many messages a second, as it has requests', async () => {
  const limited = await openSubmissionWorld({ environment: { ACUSE_KEY_RATE: '1', ACUSE_KEY_BURST: '2' } });
  try {
    const smtp = await limited.session();
    const replies = [];
    for (let n = 0; n < 3; n++) replies.push(await sendRaw(smtp, mail()));
    expect(replies.map((reply) => reply.slice(0, 9))).toEqual(['250 2.0.0', '250 2.0.0', '451 4.7.1']);
    smtp.end();
  } finally {
    await limited.stop();
  }
});

test('a password never stands in the log', async () => {
  const lines: string[] = [];
  const write = (fields: object, message: string) => lines.push(JSON.stringify({ fields, message }));
  const { log: quiet } = world.service.services;
  const log = Object.assign(Object.create(quiet), { info: write, warn: write, error: write, debug: write });
  const loud = await openSubmissionWorld({ submission: { log } });
  try {
    const smtp = await openRawSmtp(loud.tlsPort, { tls: true });
    await smtp.command('EHLO client.test');
    await smtp.login('correct horse battery staple');
    await smtp.login(loud.key);
    smtp.end();
    expect(lines.join()).toContain('an SMTP login was refused');
    for (const secret of ['correct horse', base64('correct horse battery staple').slice(0, 12), loud.key])
      expect(lines.join()).not.toContain(secret);
  } finally {
    await loud.stop();
  }
});
