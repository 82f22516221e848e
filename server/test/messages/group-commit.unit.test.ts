import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../src/errors.ts';
import {
  createGroupCommit,
  type GroupCommit,
  type GroupCommitOptions,
} from '../../src/messages/group-commit.ts';

interface Item {
  tenant: string;
  key: string;
  bytes: number;
}

/** A commit that a test lets through, or breaks. */
interface Commit {
  readonly items: readonly Item[];
  pass(): void;
  fail(error: Error): void;
}

let commits: Commit[];
let group: GroupCommit<Item, string>;

const options: GroupCommitOptions<Item, string> = {
  commit: (items) =>
    new Promise((resolve, fail) => {
      commits.push({ items, pass: () => resolve(items.map(({ key }) => `committed ${key}`)), fail });
    }),
  keysOf: ({ tenant, key }) => [`${tenant} ${key}`],
  countOf: () => 1,
  laneOf: ({ tenant }) => tenant,
  sizeOf: ({ bytes }) => bytes,
  flushes: 2,
  isUnavailable: (error) => error instanceof Error && error.message === 'gone',
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  commits = [];
  group = createGroupCommit<Item, string>(options);
});

afterEach(() => void vi.useRealTimers());

const item = (tenant: string, key: string, bytes = 1): Item => ({ tenant, key, bytes });
const MIB = 1024 * 1024;
const keysOf = (commit: Commit | undefined) => commit?.items.map(({ key }) => key);
/**
 * Groups leave at the end of a turn of the event loop; one that follows another in the turn after that one's
 * outcome was told.
 */
async function turn(): Promise<void> {
  for (let at = 0; at < 3; at++) await new Promise((resolve) => setImmediate(resolve));
}

describe('the grouped commit', () => {
  it('commits together what arrives in one turn, each with an outcome of its own', async () => {
    const sent = [group.submit(item('a', '1')), group.submit(item('b', '2'))];
    await turn();
    expect(commits.map(keysOf)).toEqual([['1', '2']]);
    commits[0]!.pass();
    expect(await Promise.all(sent)).toEqual(['committed 1', 'committed 2']);
  });

  it('gathers what a tenant sends while a group of its own is in flight', async () => {
    const first = group.submit(item('a', '1'));
    await turn();
    const rest = [group.submit(item('a', '2')), group.submit(item('a', '3'))];
    await turn();
    expect(commits.map(keysOf)).toEqual([['1']]);
    expect(group.waiting).toBe(2);
    commits[0]!.pass();
    await first;
    await turn();
    expect(keysOf(commits[1])).toEqual(['2', '3']);
    commits[1]!.pass();
    expect(await Promise.all(rest)).toEqual(['committed 2', 'committed 3']);
  });

  it('lets another tenant past a group in flight, up to the groups that may be', async () => {
    const sent = [group.submit(item('a', '1'))];
    await turn();
    sent.push(group.submit(item('a', '2')), group.submit(item('b', '3')));
    await turn();
    expect(commits.map(keysOf)).toEqual([['1'], ['3']]);
    sent.push(group.submit(item('c', '4')));
    await turn();
    expect(commits).toHaveLength(2);
    commits[1]!.pass();
    await sent[2];
    await turn();
    expect(keysOf(commits[2])).toEqual(['4']);
    commits[0]!.pass();
    await sent[0];
    await turn();
    expect(keysOf(commits[3])).toEqual(['2']);
    for (const commit of commits) commit.pass();
    await Promise.all(sent);
  });

  it('puts large items into groups of their own, small enough, and leaves one of those in flight to small ones', async () => {
    const sent = [
      group.submit(item('a', 'large 1', MIB)),
      group.submit(item('a', 'large 2', 2 * MIB)),
      group.submit(item('a', 'large 3', 2 * MIB)),
      group.submit(item('b', 'large 4', MIB)),
      group.submit(item('c', 'small 1')),
      group.submit(item('d', 'large 5', MIB)),
    ];
    await turn();
    expect(commits.map(keysOf)).toEqual([['large 1', 'large 2', 'large 4'], ['small 1']]);
    commits[1]!.pass();
    sent.push(group.submit(item('e', 'small 2')));
    await turn();
    expect(keysOf(commits[2])).toEqual(['small 2']);
    commits[2]!.pass();
    await turn();
    expect(commits).toHaveLength(3);
    commits[0]!.pass();
    await turn();
    expect(keysOf(commits[3])).toEqual(['large 3', 'large 5']);
    commits[3]!.pass();
    await Promise.all(sent);
  });

  it('never puts two items of one key into a group', async () => {
    const sent = [group.submit(item('a', 'same')), group.submit(item('a', 'same'))];
    await turn();
    expect(commits.map(keysOf)).toEqual([['same']]);
    commits[0]!.pass();
    await sent[0];
    await turn();
    expect(keysOf(commits[1])).toEqual(['same']);
    commits[1]!.pass();
    await Promise.all(sent);
  });

  it('tries a group that failed item by item, so that one fails alone', async () => {
    const sent = Promise.allSettled([group.submit(item('a', '1')), group.submit(item('a', '2'))]);
    await turn();
    commits[0]!.fail(new Error('one of them is bad'));
    await turn();
    expect(keysOf(commits[1])).toEqual(['1']);
    commits[1]!.fail(new Error('bad'));
    await turn();
    expect(keysOf(commits[2])).toEqual(['2']);
    commits[2]!.pass();
    expect((await sent).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  });

  it('tries nothing alone on a database that is gone', async () => {
    const sent = Promise.allSettled([group.submit(item('a', '1')), group.submit(item('a', '2'))]);
    await turn();
    commits[0]!.fail(new Error('gone'));
    expect((await sent).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(commits).toHaveLength(1);
  });

  it('is drained once nothing waits and nothing is in flight', async () => {
    const events: string[] = [];
    const sent = group.submit(item('a', '1')).then(() => events.push('committed'));
    const drained = group.drain().then(() => events.push('drained'));
    await turn();
    expect(events).toEqual([]);
    commits[0]!.pass();
    await Promise.all([sent, drained]);
    expect(events).toEqual(['committed', 'drained']);
    await group.drain();
  });

  it('refuses more than may wait', async () => {
    const sent = Array.from({ length: 10_000 }, (_, at) => group.submit(item('a', String(at))));
    const refusal = await group.submit(item('a', 'more')).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ApiError);
    expect((refusal as ApiError).code).toBe('unavailable');
    await turn();
    while (group.waiting > 0 || commits.length > 0) {
      for (const commit of commits.splice(0)) commit.pass();
      await turn();
    }
    expect(await Promise.all(sent)).toHaveLength(10_000);
  });

  it('gives up what did not begin in time, before anything of it is stored, and nothing that did', async () => {
    const soon = createGroupCommit<Item, string>({ ...options, waitMaxMs: () => 50 });
    const first = soon.submit(item('a', '1'));
    await turn();
    const waiting = Promise.allSettled([soon.submit(item('a', '2')), soon.submit(item('a', '3'))]);
    vi.advanceTimersByTime(51);
    for (const refusal of await waiting)
      expect(refusal).toMatchObject({
        status: 'rejected',
        reason: { code: 'unavailable', message: expect.stringContaining('nothing was accepted') },
      });
    expect(soon.waiting).toBe(0);
    expect(commits.map(keysOf)).toEqual([['1']]);
    commits[0]!.pass();
    expect(await first).toBe('committed 1');
    const later = soon.submit(item('a', '4'));
    await turn();
    expect(keysOf(commits[1])).toEqual(['4']);
    commits[1]!.pass();
    await later;
  });

  it('says how long a lane has waited, and leaves room to others than one that fills its own', async () => {
    const sent = [group.submit(item('a', '1'))];
    await turn();
    expect(group.waitedMs('a')).toBe(0);
    for (let at = 0; at < 10_000; at++) sent.push(group.submit(item('a', `a${at}`)));
    const settled = Promise.allSettled(sent);
    await expect(group.submit(item('a', 'more'))).rejects.toMatchObject({ code: 'unavailable' });
    vi.advanceTimersByTime(20);
    expect(group.waitedMs('a')).toBe(20);
    expect(group.waitedMs('b')).toBe(0);
    const other = group.submit(item('b', '1'));
    await turn();
    expect(keysOf(commits[1])).toEqual(['1']);
    commits[1]!.pass();
    expect(await other).toBe('committed 1');
    commits[0]!.pass();
    while (group.waiting > 0 || commits.length > 0) {
      for (const commit of commits.splice(0)) commit.pass();
      await turn();
    }
    await settled;
  });
});
