import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRoleForward, forwardsRoleMail } from '../../src/app/role-forward.ts';
import { loadConfig } from '../../src/config/config.ts';
import type { RoleMail } from '../../src/delivery/return-path/role-mail-store.ts';
import type { Accept } from '../../src/messages/accept.ts';
import { newId } from '../../src/platform/ids.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** Passes mail to roles on: to an address of the operator, from an account of Acuse itself. */
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ environment: { ACUSE_ROLE_MAIL_TO: 'ops@sandbox.test' } });
});
afterAll(() => service?.stop());

const RAW = Buffer.from('From: jose@cliente.example\r\nSubject: basta\r\n\r\nNo quiero más.\r\n');
const mail = (changes: Partial<RoleMail> = {}): RoleMail => ({
  ...{ roleMailId: newId(), role: 'abuse', kind: 'letter', problem: null, messageId: null },
  ...{ forwardPath: 'abuse@localhost', reversePath: '', clientAddress: '192.0.2.1' },
  ...{ from: 'jose@cliente.example', subject: 'basta', excerpt: '', sizeBytes: 1, receivedAt: new Date() },
  ...changes,
});
const passedOn = () =>
  service.db.query<{ subject: string; recipient_address: string; raw: Buffer; certified: boolean }>(
    'select m.subject, m.recipient_address, m.certified, c.raw from messages m join message_contents c using (tenant_id, message_id)',
    [],
  );

test('a letter goes on as it came, once; what programs say does not', async () => {
  const forward = createRoleForward(service.services, service.accept)!;
  const letter = mail();
  await forward(letter, RAW);
  await forward(letter, RAW);
  await forward(mail({ kind: 'automatic' }), RAW);
  await forward(mail({ kind: 'report' }), RAW);
  const [one, ...more] = await passedOn();
  expect(more).toEqual([]);
  expect(one).toMatchObject({
    subject: '[abuse] basta',
    recipient_address: 'ops@sandbox.test',
    certified: false,
  });
  expect(one!.raw.toString().replace(/\r\n/g, '')).toContain(RAW.toString('base64'));
});

test('of a long one its beginning goes on, and no more of one network in a day', async () => {
  const forward = createRoleForward(service.services, service.accept)!;
  const before = (await passedOn()).length;
  const long = mail({ clientAddress: '198.51.100.1', subject: 'long' });
  await forward(long, Buffer.alloc(10 * 1024 * 1024, 'x\n'));
  const { raw } = (await passedOn()).find(({ subject }) => subject === '[abuse] long')!;
  expect(raw.length).toBeLessThan(100_000);
  expect(raw.toString().replaceAll('=\r\n', '')).toContain('Its beginning is attached.');
  for (let n = 0; n < 60; n++)
    await forward(mail({ clientAddress: `198.51.100.${n}`, subject: `flood ${n}` }), RAW);
  expect(await passedOn()).toHaveLength(before + 50);
  await forward(mail({ clientAddress: '203.0.113.1', subject: 'of another' }), RAW);
  expect(await passedOn()).toHaveLength(before + 51);
});

test('a mail that cannot be passed on is not the fault of the host that brought it', async () => {
  const refusing = () => Promise.reject(new Error('no database'));
  const forward = createRoleForward(service.services, refusing as unknown as Accept)!;
  await expect(forward(mail(), RAW)).resolves.toBeUndefined();
});

test('nothing is passed on to this host itself, nor by a process that takes none', () => {
  const problems = (env: Record<string, string>) => {
    try {
      loadConfig(env);
      return [];
    } catch (error) {
      return (error as { problems: string[] }).problems;
    }
  };
  expect(problems({ ACUSE_HOSTNAME: 'mail.a.example', ACUSE_ROLE_MAIL_TO: 'ops@mail.a.example' })).toEqual([
    'ACUSE_ROLE_MAIL_TO: an address of this mail host would be passed on to itself',
  ]);
  const { config } = loadConfig({ ACUSE_ROLES: 'api', ACUSE_ROLE_MAIL_TO: 'ops@a.example' });
  expect(forwardsRoleMail(config)).toBe(false);
});
