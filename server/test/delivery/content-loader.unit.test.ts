import { PATIENCE } from '@acuse/testkit/eventually';
import { describe, expect, test, vi } from 'vitest';
import { createContentLoader } from '../../src/delivery/attempt/content-loader.ts';
import type { Db } from '../../src/platform/database/db.ts';

/** Rows in memory; each read is counted with the ids that it asked for. */
function world() {
  const reads: string[][] = [];
  let isAway = false;
  const query = async (_text: string, [, ids, , bytes]: [string, string, number?, number?]) => {
    if (bytes !== undefined) return [{ slice: Buffer.alloc(bytes) }];
    const asked = ids.slice(1, -1).split(',');
    reads.push(asked);
    if (isAway) throw new Error('the database is away');
    return asked.filter((id) => id !== 'gone').map((id) => ({ message_id: id, raw: Buffer.from(id) }));
  };
  const contents = createContentLoader({ query } as unknown as Db);
  function setAway(is: boolean): void {
    isAway = is;
  }
  return { contents, reads, setAway };
}

const item = (messageId: string, sizeBytes = 1_000) => ({ tenantId: 'tenant', messageId, sizeBytes });
const KIB = 1_024;

describe('reading ahead', () => {
  test('takes a whole claim in one read, once, and leaves what is not very small to its turn', async () => {
    const { contents, reads } = world();
    const items = [item('a'), item('b'), item('large', 17 * KIB)];
    contents.readAhead(items);
    contents.readAhead(items);
    const loaded = await Promise.all(items.slice(0, 2).map((each) => contents.load(each)));
    expect(loaded.map((content) => String(content?.raw))).toEqual(['a', 'b']);
    expect(reads).toEqual([['a', 'b']]);
    expect(String((await contents.load(items[2]!))?.raw)).toBe('large');
    expect(reads).toEqual([['a', 'b'], ['large']]);
  });

  test('keeps nothing behind: what was loaded or forgotten is read anew', async () => {
    const { contents, reads } = world();
    contents.readAhead([item('a'), item('b')]);
    await contents.load(item('a'));
    contents.forget([item('b')]);
    await contents.load(item('a'));
    await contents.load(item('b'));
    expect(reads).toEqual([['a', 'b'], ['a'], ['b']]);
  });

  test('that failed is made good when the turn comes, and what is gone is gone', async () => {
    const { contents, reads, setAway } = world();
    setAway(true);
    contents.readAhead([item('a')]);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(reads).toHaveLength(1);
    setAway(false);
    expect(String((await contents.load(item('a')))?.raw)).toBe('a');
    contents.readAhead([item('gone')]);
    expect(await contents.load(item('gone'))).toBeNull();
    setAway(true);
    await expect(contents.load(item('b'))).rejects.toThrow('away');
  });
});

describe('memory', () => {
  const MIB = 1_024 * KIB;
  const of = (tenantId: string, messageId: string, sizeBytes: number) => ({ tenantId, messageId, sizeBytes });

  function loading() {
    const { contents } = world();
    const loaded: string[] = [];
    const releases = new Map<string, () => void>();
    async function load(tenantId: string, messageId: string, sizeBytes: number): Promise<void> {
      const content = await contents.load(of(tenantId, messageId, sizeBytes));
      loaded.push(messageId);
      releases.set(messageId, content!.release);
    }
    const count = (n: number) => vi.waitFor(() => expect(loaded.length).toBeGreaterThanOrEqual(n), PATIENCE);
    return { load, loaded, release: (messageId: string) => releases.get(messageId)!(), count };
  }

  test('is left to the large messages of others by an account with many', async () => {
    const { load, loaded, release, count } = loading();
    for (let at = 0; at < 6; at++) void load('many', `many${at}`, 25 * MIB);
    void load('other', 'other0', 5 * MIB);
    await count(5);
    expect(loaded.sort()).toEqual(['many0', 'many1', 'many2', 'many3', 'other0']);
    // What does not fit yet is not overtaken by what is smaller.
    void load('third', 'third0', 25 * MIB);
    void load('fourth', 'fourth0', 5 * MIB);
    release('many0');
    await count(7);
    expect(loaded.slice(5).sort()).toEqual(['fourth0', 'third0']);
  });

  test('is not filled by the small messages of one account', async () => {
    const { load, loaded, count } = loading();
    for (let at = 0; at < 1_000; at++) void load('many', `many${at}`, 250 * KIB);
    for (let at = 0; at < 10; at++) void load('other', `other${at}`, 250 * KIB);
    await count(400);
    expect(loaded.length * 250 * KIB).toBeLessThanOrEqual(110 * MIB);
    expect(loaded.filter((id) => id.startsWith('other'))).toHaveLength(10);
  });
});
