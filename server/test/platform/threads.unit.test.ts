import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { build } from 'esbuild';
import { pino } from 'pino';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createMetrics } from '../../src/platform/metrics.ts';
import { FairQueue } from '../../src/platform/threads/fair-queue.ts';
import { ownBuffer, ThreadLimitError } from '../../src/platform/threads/job.ts';
import { createThreads, type Threads, type ThreadsOptions } from '../../src/platform/threads/threads.ts';
import { echo, fail, hoard, quit, refuse, spin, turnRound } from '../support/thread-for-tests.ts';

const folder = tempFolder();
const program = join(folder, 'thread.mjs');
let threads: Threads;

beforeAll(async () => {
  const entry = fileURLToPath(new URL('../support/thread-for-tests.ts', import.meta.url));
  await build({ entryPoints: [entry], outfile: program, bundle: true, platform: 'node', format: 'esm' });
});
afterEach(() => threads.stop());

function open(options: Partial<ThreadsOptions> = {}): Threads {
  threads = createThreads({ count: 2, program, heapMib: 32, ...options });
  return threads;
}
const of = (tenantId: string, bytes = 1) => ({ tenantId, bytes });
/** Longer than any test: whoever waits for it fails. */
const NEVER_MS = 600_000;

describe('a job in a thread', () => {
  it('answers, and hands buffers over both ways', async () => {
    open();
    expect(await threads.run(echo, { text: 'a' }, of('t'))).toBe('a');
    const bytes = ownBuffer(Buffer.from([1, 2, 3]));
    expect([...(await threads.run(turnRound, bytes, { ...of('t'), handOver: [bytes.buffer] }))]).toEqual([
      3, 2, 1,
    ]);
    expect(bytes.byteLength).toBe(0);
  });

  it('refuses as the same code here would, and says of a fault what it was', async () => {
    open();
    await expect(threads.run(refuse, null, of('t'))).rejects.toMatchObject({
      code: 'invalid_body',
      status: 400,
      message: 'Not like this.',
      retryAfterSeconds: 7,
    });
    await expect(threads.run(fail, null, of('t'))).rejects.toThrow('fail: a fault');
    expect(await threads.run(echo, { text: 'still there' }, of('t'))).toBe('still there');
  });

  it.each([
    ['time', spin],
    ['memory', hoard],
  ] as const)('that takes too much %s costs its thread and nothing else', async (limit, job) => {
    open();
    const beside = threads.run(echo, { text: 'beside', waitMs: 600 }, of('other'));
    const error = await threads.run(job, null, of('t')).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ThreadLimitError);
    expect((error as ThreadLimitError).limit).toBe(limit);
    expect(await beside).toBe('beside');
    expect(await threads.run(echo, { text: 'replaced' }, of('t'))).toBe('replaced');
  });

  it('that ends its thread is a fault, and the thread is replaced', async () => {
    open();
    await expect(threads.run(quit, null, of('t'))).rejects.toThrow(/ended with 3/);
    expect(await threads.run(echo, { text: 'replaced' }, of('t'))).toBe('replaced');
  });

  it('with an input that cannot travel fails alone', async () => {
    open();
    const input = { text: (() => '') as unknown as string };
    await expect(threads.run(echo, input, of('t'))).rejects.toThrow(/could not be cloned/);
    expect(await threads.run(echo, { text: 'next' }, of('t'))).toBe('next');
  });
});

describe('what waits for a thread', () => {
  it('is bounded: beyond it nothing is begun, and the caller is told to come back', async () => {
    open({ limits: { items: 3, bytes: 100, itemsPerTenant: 3, bytesPerTenant: 100 } });
    const held = [1, 2, 3].map((at) => threads.run(echo, { text: `${at}`, waitMs: 200 }, of('t')));
    const refused = { code: 'unavailable', retryAfterSeconds: 1 };
    // Another account's job takes the place of the last of whoever has most.
    const over = threads.run(echo, { text: '4' }, of('t'));
    const others = threads.run(echo, { text: '5' }, of('other'));
    const settled = await Promise.allSettled([...held, over, others]);
    expect(settled.map((each) => (each.status === 'fulfilled' ? each.value : each.reason))).toEqual([
      ...['1', '2', expect.objectContaining(refused)],
      ...[expect.objectContaining(refused), '5'],
    ]);
    expect(await threads.run(echo, { text: '6' }, of('t'))).toBe('6');
  });

  it("of one account neither takes every thread nor keeps another's waiting", async () => {
    open();
    // The first of the flood never ends: what the other gets, it gets beside it.
    const flood = Array.from({ length: 20 }, () =>
      threads.run(echo, { text: 'flood', waitMs: NEVER_MS }, of('flood')),
    );
    const settled = Promise.allSettled(flood);
    expect(await threads.run(echo, { text: 'other' }, of('other'))).toBe('other');
    expect(threads.waiting).toBe(19);
    await threads.stop();
    await settled;
  });

  it('is refused by a stop, and what runs is ended', async () => {
    open();
    const all = Array.from({ length: 5 }, () => threads.run(echo, { text: 'x', waitMs: NEVER_MS }, of('t')));
    const settled = Promise.allSettled(all);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await threads.stop();
    for (const each of await settled)
      expect(each).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
    await expect(threads.run(echo, { text: 'x' }, of('t'))).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('is counted', async () => {
    const metrics = createMetrics({ log: pino({ level: 'silent' }), process: false });
    open({ metrics });
    await threads.run(echo, { text: 'x' }, of('t'));
    await threads.run(spin, null, of('t')).catch(() => {});
    const text = await metrics.text();
    expect(text).toContain('acuse_thread_jobs_total{job="echo",outcome="done"} 1');
    expect(text).toContain('acuse_thread_jobs_total{job="spin",outcome="time"} 1');
    expect(text).toContain('acuse_thread_jobs_waiting 0');
    expect(text).toContain('acuse_thread_jobs_bytes 0');
  });
});

describe('the queue', () => {
  const item = (tenantId: string, bytes = 1, name = tenantId) => ({ tenantId, bytes, name });
  const limits = { items: 100, bytes: 100, itemsPerTenant: 50, bytesPerTenant: 60 };
  const anybody = () => true;

  it('gives each tenant its turn, in the order of its own items', () => {
    open();
    const queue = new FairQueue<ReturnType<typeof item>>(limits);
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) queue.offer(item(name[0]!, 1, name));
    const order: string[] = [];
    for (let next = queue.take(anybody); next !== undefined; next = queue.take(anybody))
      order.push(next.name);
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('passes over a tenant that may have nothing now, who keeps its place', () => {
    open();
    const queue = new FairQueue<ReturnType<typeof item>>(limits);
    for (const name of ['a1', 'b1', 'b2']) queue.offer(item(name[0]!, 1, name));
    expect(queue.take((tenantId) => tenantId !== 'a')!.name).toBe('b1');
    expect(queue.take(anybody)!.name).toBe('a1');
  });

  it('counts bytes until they are released, of one tenant and of all; one item alone may be of any size', () => {
    open();
    const queue = new FairQueue<ReturnType<typeof item>>(limits);
    const large = item('a', 500);
    const takes = (one: ReturnType<typeof item>) => !queue.offer(one).includes(one);
    expect(takes(large)).toBe(true);
    expect(takes(item('a'))).toBe(false);
    queue.take(anybody);
    expect(takes(item('b'))).toBe(false);
    queue.release(large);
    expect(takes(item('b', 60))).toBe(true);
    expect(takes(item('b', 1))).toBe(false);
    expect(takes(item('c', 40))).toBe(true);
    expect(takes(item('d', 60))).toBe(false);
    expect(queue.clear()).toHaveLength(2);
    expect(queue.heldBytes).toBe(0);
    expect(takes(item('d', 1))).toBe(true);
  });

  it.each([
    ['bytes', { ...limits, items: 100 }, 20],
    ['items', { ...limits, items: 8 }, 1],
  ])(
    'full of the %s of some tenants, has a place for another: the largest loses its last',
    (_, full, each) => {
      open();
      const queue = new FairQueue<ReturnType<typeof item>>(full);
      const offered = (name: string, bytes = each) => queue.offer(item(name[0]!, bytes, name));
      const many =
        each === 1 ? ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'b3'] : ['a1', 'a2', 'a3', 'b1', 'b2'];
      expect(many.flatMap((name) => offered(name))).toEqual([]);
      expect(offered('c1').map(({ name }) => name)).toEqual([many.filter((name) => name[0] === 'a').at(-1)]);
      // Nobody who would hold as much takes it from another.
      expect(offered('b9').map(({ name }) => name)).toEqual(['b9']);
      const order: string[] = [];
      for (let next = queue.take(anybody); next !== undefined; next = queue.take(anybody))
        order.push(next.name);
      expect(order.slice(0, 3)).toEqual(['a1', 'b1', 'c1']);
      expect(order).toHaveLength(many.length);
    },
  );
});
