import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSubmissionWorld, type SubmissionWorld } from './harness.ts';

let world: SubmissionWorld;
beforeAll(async () => {
  world = await openSubmissionWorld();
});
afterAll(() => world.stop());

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
