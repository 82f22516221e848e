import { describe, expect, test } from 'vitest';
import { createLines } from '../../src/platform/standard-error.ts';

/** A pipe that takes so many bytes, and more when its reader wakes. */
function pipe(room: number) {
  let taken = '';
  return {
    taken: () => taken,
    reads: (bytes: number) => (room += bytes),
    write(bytes: Buffer): number {
      const written = Math.min(room, bytes.length);
      if (written === 0) throw Object.assign(new Error('full'), { code: 'EAGAIN' });
      room -= written;
      taken += bytes.subarray(0, written).toString();
      return written;
    },
  };
}

function logTo(to: { write(bytes: Buffer): number }) {
  let dropped = 0;
  let now = 0;
  const lines = createLines(to.write, {
    dropped: (count) => (dropped += count),
    now: () => now,
    pause: (ms) => (now += ms),
  });
  return { lines, dropped: () => dropped, waitedMs: () => now };
}

describe('lines for a reader that sleeps', () => {
  test('wait, and are whole and in order once it wakes, however they were cut', () => {
    const reader = pipe(5);
    const { lines, dropped } = logTo(reader);
    for (const line of ['first\n', 'second\n', 'third\n']) lines.write(line);
    lines.flushSync();
    expect(reader.taken()).toBe('first');
    reader.reads(4);
    lines.flushSync();
    lines.write('fourth\n');
    reader.reads(1_000);
    lines.flushSync();
    expect([reader.taken(), dropped()]).toEqual(['first\nsecond\nthird\nfourth\n', 0]);
  });

  test('are dropped beyond a mebibyte and counted, and the log says so when it goes on', () => {
    const reader = pipe(0);
    const { lines, dropped } = logTo(reader);
    const line = `${'x'.repeat(1_023)}\n`;
    for (let each = 0; each < 1_030; each++) lines.write(line);
    expect(dropped()).toBe(6);
    reader.reads(10_000_000);
    lines.flushSync();
    lines.write('again\n');
    lines.flushSync();
    const taken = reader.taken().split('\n');
    expect(taken).toHaveLength(1_024 + 3);
    expect(JSON.parse(taken.at(-3)!)).toMatchObject({ level: 40, dropped: 6 });
    expect(taken.at(-2)).toBe('again');
  });

  test('hold a flush up for a second, once; the end drops and counts them', () => {
    const { lines, dropped, waitedMs } = logTo(pipe(3));
    lines.write('first\n');
    lines.write('second\n');
    lines.flushSync();
    expect(waitedMs()).toBe(1_000);
    lines.flushSync();
    lines.close();
    expect([waitedMs(), dropped()]).toEqual([1_000, 2]);
  });

  test('are dropped where it is gone', () => {
    const { lines, dropped } = logTo({
      write() {
        throw Object.assign(new Error('nobody reads'), { code: 'EPIPE' });
      },
    });
    lines.write('first\n');
    lines.flushSync();
    expect(dropped()).toBe(1);
  });
});
