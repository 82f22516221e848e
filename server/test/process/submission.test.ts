import { afterEach, describe, expect, test } from 'vitest';
import { idIn, mail, sendRaw } from '../messages/submission/harness.ts';
import { audit, findNotDeliveredOnce } from '../support/audit.ts';
import { createProcesses, type Service } from '../support/process.ts';
import { openRawSmtp, type RawSmtp } from '../support/raw-smtp.ts';

/** SMTP submission in real processes: what a 250 means, and what its absence means. */
const processes = createProcesses();
afterEach(processes.end);

async function session({ sandbox }: Service): Promise<RawSmtp> {
  const smtp = await openRawSmtp(sandbox.submission_port!);
  await smtp.command('EHLO client.test');
  await smtp.startTls();
  await smtp.login(sandbox.api_key);
  return smtp;
}

describe('kill -9 between the end of data and its 250', () => {
  test.each([
    ['before', 0],
    ['after', 1],
  ] as const)(
    '%s the commit: %i message; the same mail again then makes or finds exactly one',
    async (when, stored) => {
      const { databaseUrl, proxy, db, service } = await processes.startBehindProxy();
      const content = mail();
      const broken = proxy.breakAtCommit('accept_insert_messages', when, service.kill9);
      const answer = sendRaw(await session(service), content).catch((error: Error) => error);
      await broken;
      expect(await answer).toBeInstanceOf(Error);
      expect(await db.query('select count(*) as n from messages')).toEqual([{ n: stored }]);

      const next = await processes.start({ databaseUrl });
      const smtp = await session(next);
      const retried = await sendRaw(smtp, content);
      expect(retried.includes('replay: already accepted')).toBe(stored === 1);
      expect(idIn(await sendRaw(smtp, content))).toBe(idIn(retried));
      expect(await db.query('select count(*) as n from messages')).toEqual([{ n: 1 }]);
      await next.until(idIn(retried), 'sent');
      smtp.end();
      await next.stop();
      expect(await audit(db)).toEqual([]);
      expect(await findNotDeliveredOnce(db)).toEqual(new Map());
    },
  );
});

test('a process of this role alone accepts, one without it does not listen, and a stop answers what is under way', async () => {
  const databaseUrl = await processes.database();
  const whole = await processes.start({ databaseUrl });
  const apart = await processes.start({
    databaseUrl,
    dataDir: whole.dataDir,
    env: { ACUSE_ROLES: 'submission,delivery' },
  });
  const smtp = await session(apart);
  for (const line of ['MAIL FROM:<>', 'RCPT TO:<delivered@sandbox.test>', 'DATA']) await smtp.command(line);
  const stopped = apart.stop();
  await new Promise((resolve) => setTimeout(resolve, 300));
  smtp.write(`${mail()}.\r\n`);
  const id = idIn(await smtp.reply());
  expect(await stopped).toBe(0);
  await whole.until(id, 'sent');
  const without = await processes.start({ databaseUrl, env: { ACUSE_ROLES: 'api,delivery' } });
  expect(without.sandbox).toMatchObject({ submission_port: null, submissions_port: null });
});
