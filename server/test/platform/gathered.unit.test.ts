import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { Gathered, gatherUpTo } from '../../src/platform/gathered.ts';

const MiB = 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

describe('bytes that arrive in pieces', () => {
  test('are given as they came, whatever their sizes', () => {
    const pieces = [1, 3, 5_000, 1, ...Array.from({ length: 300 }, (_, at) => at % 97), 70_000, 0, 2];
    const all: Buffer[] = [];
    const gathered = new Gathered();
    for (const [at, size] of pieces.entries()) {
      const piece = Buffer.alloc(size, at);
      all.push(piece);
      gathered.add(piece);
    }
    expect(gathered.sizeBytes).toBe(Buffer.concat(all).length);
    expect(gathered.bytes().equals(Buffer.concat(all))).toBe(true);
    gathered.clear();
    expect(gathered.bytes()).toHaveLength(0);
  });

  test('take little more memory than they have bytes', () => {
    const gathered = new Gathered();
    collectGarbage();
    const before = process.memoryUsage();
    for (let at = 0; at < 200_000; at++) gathered.add(Uint8Array.of(at));
    collectGarbage();
    const after = process.memoryUsage();
    // As 200 000 arrays they took 33 MiB.
    expect(after.heapUsed - before.heapUsed + after.arrayBuffers - before.arrayBuffers).toBeLessThan(8 * MiB);
    expect(gathered.bytes()).toHaveLength(200_000);
  });

  test('are not read beyond the limit', async () => {
    let asked = 0;
    async function* endless() {
      for (;;) {
        asked++;
        yield Buffer.alloc(10);
      }
    }
    expect(await gatherUpTo(endless(), 25)).toBeNull();
    expect(asked).toBe(3);
    expect(
      await gatherUpTo(
        (async function* () {
          yield Buffer.from('whole');
        })(),
        5,
      ),
    ).toEqual(Buffer.from('whole'));
  });
});
