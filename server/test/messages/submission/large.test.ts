import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openSubmissionWorld, type SubmissionWorld } from './harness.ts';

let world: SubmissionWorld;
beforeAll(async () => {
  world = await openSubmissionWorld();
});
afterAll(() => world.stop());

test('lines of dots arrive as they were meant, and the library makes no chunk for each', async () => {
  const feed = vi.spyOn(SMTPStream.prototype, '_feedDataStream');
  const smtp = await world.session();
  const body = (line: string) => line.repeat(50_000);
  const mail = (line: string) =>
    `From: billing@sandbox.test\r\nTo: dots@sandbox.test\r\nSubject: s\r\nMessage-ID: <dots@client.test>\r\n\r\n${body(line)}`;
  await smtp.command('MAIL FROM:<billing@sandbox.test>');
  await smtp.command('RCPT TO:<dots@sandbox.test>');
  await smtp.command('DATA');
  expect(await smtp.command(`${mail('..\r\n')}.`)).toMatch(/^250 /);
  expect(feed).not.toHaveBeenCalled();
  feed.mockRestore();
  const [kept] = await world.service.db.query<{ submission: Buffer }>(
    'select submission from message_contents',
  );
  expect(kept!.submission.toString() === mail('.\r\n')).toBe(true);
  await world.service.db.execute('delete from message_contents');
  smtp.end();
});

test('a large message is read once and composed for each recipient by threads', async () => {
  const smtp = await world.session();
  const text = 'A line of text, and on.\r\n'.repeat(40_000);
  const mail = `From: billing@sandbox.test\r\nTo: ana@sandbox.test, bea@sandbox.test\r\nSubject: s\r\nMessage-ID: <large@client.test>\r\n\r\n${text}`;
  await smtp.command('MAIL FROM:<billing@sandbox.test>');
  await smtp.command('RCPT TO:<ana@sandbox.test>');
  await smtp.command('RCPT TO:<bea@sandbox.test>');
  await smtp.command('DATA');
  expect(await smtp.command(`${mail}.`)).toMatch(/^250 /);
  const metrics = await world.service.services.metrics.text();
  expect(metrics).toContain('acuse_thread_jobs_total{job="read-rfc822",outcome="done"} 1');
  expect(metrics).toContain('acuse_thread_jobs_total{job="compose",outcome="done"} 2');
  const kept = await world.service.db.query<{ submission: Buffer }>(
    'select submission from message_contents',
  );
  expect(kept.map(({ submission }) => submission.toString() === mail)).toEqual([true, true]);
  expect(world.heldBytes()).toBe(0);
  smtp.end();
});
