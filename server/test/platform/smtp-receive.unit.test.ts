import { PassThrough } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { SMTPServerDataStream } from 'smtp-server';
import { expect, test } from 'vitest';
import { createHeldBytes } from '../../src/platform/held-bytes.ts';
import { createReceiver } from '../../src/platform/smtp/smtp-receive.ts';

const MiB = 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

test('a message in TLS records of a byte takes little more memory than is counted', async () => {
  const held = createHeldBytes({ maxBytes: 8 * MiB, maxBytesOfOne: 8 * MiB });
  const receiver = createReceiver({
    ...{ maxMessageBytes: MiB, held, maxMs: 60_000, progressMs: 60_000, bareLineFeeds: 'refused' },
  });
  const stream = new PassThrough();
  const received = receiver.receive(stream as SMTPServerDataStream, { owners: ['a'], around: [] }, () => {});
  const pieces = 20_000;
  collectGarbage();
  const before = process.memoryUsage();
  for (let at = 0; at < pieces; at++) {
    stream.write(Buffer.alloc(1, 'x'));
    await new Promise(setImmediate);
  }
  await expect.poll(() => held.total).toBe(pieces);
  collectGarbage();
  const after = process.memoryUsage();
  expect(after.heapUsed - before.heapUsed).toBeLessThan(MiB);
  stream.end();
  expect(await received).toMatchObject({ kind: 'content', raw: Buffer.alloc(pieces, 'x') });
});
