import { afterEach, expect, test, vi } from 'vitest';
import type { Queryable } from '../../src/platform/database/db.ts';
import { createLog } from '../../src/platform/logger.ts';
import { createMailWriter } from '../../src/sandbox/mail-writer.ts';
import type { NewSandboxMail } from '../../src/sandbox/store.ts';

/** How many commits the test mailbox makes of what arrives; the database answers when the test says so. */

afterEach(() => void vi.useRealTimers());

interface Insert {
  readonly mails: number;
  answer(): void;
  fail(error: Error): void;
}

function writerOf() {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  const inserts: Insert[] = [];
  const db = {
    execute: (text: string, values: readonly unknown[]) => {
      expect(text).toContain('insert into sandbox_mail');
      return new Promise<number>((resolve, reject) => {
        const mails = String(values[0]).split(',').length;
        inserts.push({ mails, answer: () => resolve(mails), fail: reject });
      });
    },
  } as unknown as Queryable;
  const clock = { now: () => new Date(), monotonicMs: () => performance.now() };
  return { keep: createMailWriter({ db, clock, log: createLog('silent') }), inserts };
}

const mail = (n: number): NewSandboxMail => ({
  mailId: `01a00000-0000-7000-8000-${String(n).padStart(12, '0')}`,
  reversePath: 'a@b.test',
  forwardPath: 'delivered@sandbox.test',
  clientName: 'c.test',
  tls: null,
  raw: Buffer.from('x'),
  receivedAt: new Date(),
});

/** All that can happen without time passing. */
const settle = () => vi.advanceTimersByTimeAsync(0);

test('one mail after the other is written at once', async () => {
  const { keep, inserts } = writerOf();
  for (let n = 0; n < 3; n++) {
    const kept = keep([mail(n)]);
    await settle();
    expect(inserts).toHaveLength(n + 1);
    inserts[n]!.answer();
    await kept;
  }
  expect(inserts.map(({ mails }) => mails)).toEqual([1, 1, 1]);
});

test('what arrives while one is written shares the next, and so does what comes within 5 ms of that', async () => {
  const { keep, inserts } = writerOf();
  const first = [keep([mail(0)]), keep([mail(1)]), keep([mail(2)])];
  await settle();
  inserts[0]!.answer();
  await settle();
  expect(inserts.map(({ mails }) => mails)).toEqual([1, 2]);
  inserts[1]!.answer();
  await Promise.all(first);
  const next = [keep([mail(3)])];
  await vi.advanceTimersByTimeAsync(4);
  next.push(keep([mail(4)]));
  expect(inserts).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(inserts.map(({ mails }) => mails)).toEqual([1, 2, 2]);
  inserts[2]!.answer();
  await Promise.all(next);
});

test('50 ms after mail that came together one that comes alone is written at once again', async () => {
  const { keep, inserts } = writerOf();
  const first = [keep([mail(0)]), keep([mail(1)]), keep([mail(2)])];
  await settle();
  inserts[0]!.answer();
  await settle();
  inserts[1]!.answer();
  await Promise.all(first);
  await vi.advanceTimersByTimeAsync(50);
  const kept = keep([mail(3)]);
  await settle();
  expect(inserts).toHaveLength(3);
  inserts[2]!.answer();
  await kept;
});

test('what could not be written is refused, each of its group, and the next is written', async () => {
  const { keep, inserts } = writerOf();
  const first = keep([mail(0)]);
  const group = [keep([mail(1)]), keep([mail(2)])].map((kept) => kept.catch((error: Error) => error.message));
  await settle();
  inserts[0]!.answer();
  await first;
  await settle();
  inserts[1]!.fail(new Error('away'));
  expect(await Promise.all(group)).toEqual(['away', 'away']);
  const next = keep([mail(3)]);
  await vi.advanceTimersByTimeAsync(5);
  inserts[2]!.answer();
  await next;
});
