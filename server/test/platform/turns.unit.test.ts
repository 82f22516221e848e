import { setImmediate as turn } from 'node:timers/promises';
import { dkimKeyForTests } from '@acuse/testkit/dkim-keys';
import { describe, expect, test } from 'vitest';
import { createDkimKeyMaker } from '../../src/accounts/domains/dkim-keys.ts';
import { ArchiveUnreachable } from '../../src/evidence/archive/archive-place.ts';
import { createArchivedContents } from '../../src/evidence/archive/archived-contents.ts';
import { newId } from '../../src/platform/ids.ts';
import { createSecretBox } from '../../src/platform/secrets.ts';
import { createTurns } from '../../src/platform/turns.ts';

/** Work of which little runs at once. */

function setup(options: { atOnce: number; waitingMax: number }) {
  const turns = createTurns({ ...options, tooMany: () => new Error('too many') });
  const begun: string[] = [];
  const ended: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (name: string, gone?: AbortSignal) =>
    turns({ holders: [name[0]!], ...(gone !== undefined && { gone }) }, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    }).then(
      () => void ended.push(name),
      (error: Error) => void ended.push(`${name}: ${error.message}`),
    );
  const endOne = async () => {
    ends.shift()!();
    await turn();
  };
  return { ask, begun, ended, endOne };
}

describe('turns', () => {
  test('run so many at once, and are taken from each holder in turn', async () => {
    const { ask, begun, endOne } = setup({ atOnce: 2, waitingMax: 9 });
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2']) void ask(name);
    await turn();
    expect(begun).toEqual(['a1', 'a2']);
    for (let n = 0; n < 4; n++) await endOne();
    expect(begun.slice(2)).toEqual(['a3', 'b1', 'a4', 'b2']);
  });

  test('that are too many are lost by whoever waits for most', async () => {
    const { ask, ended, begun, endOne } = setup({ atOnce: 1, waitingMax: 3 });
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1']) void ask(name);
    await turn();
    expect(ended).toEqual(['a2: too many']);
    for (let n = 0; n < 4; n++) await endOne();
    expect(begun.toSorted()).toEqual(['a1', 'a3', 'a4', 'b1']);
  });

  test('are given up by who is gone, and go on after work that fails', async () => {
    const { ask, ended, begun, endOne } = setup({ atOnce: 1, waitingMax: 3 });
    const client = new AbortController();
    void ask('a1');
    void ask('b1', client.signal);
    void ask('c1');
    client.abort();
    await ask('d1', client.signal);
    await endOne();
    expect(begun).toEqual(['a1', 'c1']);
    expect(ended.filter((end) => end.includes(':'))).toHaveLength(2);
    const turns = createTurns({ atOnce: 1, waitingMax: 1, tooMany: () => new Error('too many') });
    await expect(turns({ holders: ['a'] }, () => Promise.reject(new Error('work')))).rejects.toThrow('work');
    expect(await turns({ holders: ['a'] }, async () => 'next')).toBe('next');
  });
});

/** Of many requests of one account, and one of another after them. */
async function codesOf(ask: (tenantId: string) => Promise<unknown>, release: () => void) {
  const [flood, other] = [newId(), newId()];
  const asked = [...Array.from({ length: 120 }, () => ask(flood)), ask(other)];
  const settled = Promise.allSettled(asked);
  await turn();
  release();
  const codes = (await settled).map((each) =>
    each.status === 'fulfilled' ? 'done' : `${each.reason.code} ${each.reason.retryAfterSeconds}`,
  );
  return { flood: new Set(codes.slice(0, -1)), other: codes.at(-1) };
}

describe('one account that asks without end keeps no other from', () => {
  test('an archived content', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { read } = createArchivedContents({
      db: { asTenant: async () => ({ place: 'x' }) } as never,
      threads: {} as never,
      open: () =>
        ({
          place: 'x',
          get: () => released.then(() => Promise.reject(new ArchiveUnreachable('x', new Error('away')))),
        }) as never,
    });
    const { flood, other } = await codesOf((tenantId) => read(tenantId, newId()), release);
    // Those that had a turn found the archive away.
    expect([flood, other]).toEqual([new Set(['unavailable 30', 'unavailable 2']), 'unavailable 30']);
  });

  test('the keys of a domain', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const box = createSecretBox([new Uint8Array(32).fill(7)]);
    const maker = createDkimKeyMaker(box, async (algorithm) => {
      await released;
      return dkimKeyForTests(algorithm);
    });
    const { flood, other } = await codesOf((tenantId) => maker.make(tenantId, new Date()), release);
    expect([flood, other]).toEqual([new Set(['done', 'unavailable 5']), 'done']);
  });
});
