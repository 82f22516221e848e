import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RawSmtp } from '../../support/raw-smtp.ts';
import { openSubmissionWorld, type SubmissionWorld, sendRaw } from './harness.ts';

/**
 * Messages of all kinds, most of them not ours to send: each gets an answer, and none harms the session that
 * it came by.
 */
const CORPORA = process.env['ACUSE_CORPORA'] ?? join(import.meta.dirname, '../../../../../shared/corpora');
const FOLDERS = ['messages', 'bounces'];
/** For one message, on a machine that does other things too (ms). */
const LIMIT_MS = 60_000;
/** A greeting takes its time, so that several are waited for at once. */
const SESSIONS = 20;

const files = FOLDERS.filter((folder) => existsSync(join(CORPORA, folder))).flatMap((folder) =>
  readdirSync(join(CORPORA, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name)),
);

// Needs the corpora (ACUSE_CORPORA).
describe.skipIf(files.length === 0)('every file of the corpora', () => {
  let world: SubmissionWorld;
  let smtp: RawSmtp;
  beforeAll(async () => {
    world = await openSubmissionWorld();
    smtp = await world.session();
  });
  afterAll(async () => {
    smtp.end();
    await world.stop();
  });

  /** With the line ends and dots that SMTP wants; `latin1` keeps every octet. */
  const stuffed = (raw: Buffer) =>
    Buffer.from(
      `${raw.toString('latin1').replace(/\r?\n|\r/g, '\r\n')}\r\n`.replace(/^\./gm, '..'),
      'latin1',
    );

  test(`is answered within ${LIMIT_MS} ms, as mail of a stranger and as our own`, async () => {
    const replies = new Map<string, number>();
    for (const path of files) {
      const raw = readFileSync(path);
      const ours = Buffer.from(
        raw.toString('latin1').replace(/^From:.*$/im, 'From: billing@sandbox.test'),
        'latin1',
      );
      for (const content of [raw, ours]) {
        const startedMs = performance.now();
        const reply = await sendRaw(smtp, stuffed(content));
        expect([path, performance.now() - startedMs < LIMIT_MS]).toEqual([path, true]);
        expect([path, reply]).toEqual([path, expect.stringMatching(/^(250 2|5\d\d 5)\.\d\.\d /)]);
        replies.set(reply.slice(0, 9), (replies.get(reply.slice(0, 9)) ?? 0) + 1);
        expect([path, await smtp.command('NOOP')]).toEqual([path, '250 2.0.0 OK']);
      }
    }
    // The answers differ, so the messages were read.
    expect(replies.size).toBeGreaterThan(2);
  });

  test('as it lies there, line ends and all: no second message comes of it', async () => {
    const left = [...files];
    const oneByOne = async () => {
      for (let path = left.pop(); path !== undefined; path = left.pop()) {
        const own = await world.session();
        for (const line of ['MAIL FROM:<>', 'RCPT TO:<delivered@sandbox.test>', 'DATA'])
          await own.command(line);
        own.write(readFileSync(path));
        own.write('\r\n.\r\n');
        expect([path, await own.reply()]).toEqual([path, expect.stringMatching(/^(250 2|5\d\d 5)\.\d\.\d /)]);
        own.end();
      }
    };
    await Promise.all(Array.from({ length: SESSIONS }, oneByOne));
  });
});
