import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTimeLimit } from '../../src/platform/time-limit.ts';

const LIMIT_MS = 5_000;

describe('one time limit for much work', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function open() {
    const inTime = createTimeLimit(LIMIT_MS, () => new Error('late'));
    const told: string[] = [];
    const tell = (name: string, work: Promise<unknown>) =>
      inTime(work).then(
        () => told.push(`${name} done`),
        (error: Error) => told.push(`${name} ${error.message}`),
      );
    return { told, tell };
  }

  it('rejects each piece of work when its own time is over, and none before', async () => {
    const { told, tell } = open();
    void tell('first', new Promise(() => {}));
    await vi.advanceTimersByTimeAsync(3_000);
    void tell('second', new Promise(() => {}));
    await vi.advanceTimersByTimeAsync(1_999);
    expect(told).toEqual([]);
    await vi.advanceTimersByTimeAsync(10);
    expect(told).toEqual(['first late']);
    await vi.advanceTimersByTimeAsync(2_980);
    expect(told).toEqual(['first late']);
    await vi.advanceTimersByTimeAsync(30);
    expect(told).toEqual(['first late', 'second late']);
  });

  it('passes on what becomes of work in time, and forgets it', async () => {
    const { told, tell } = open();
    await tell('done', Promise.resolve());
    await tell('failed', Promise.reject(new Error('broken')));
    await vi.advanceTimersByTimeAsync(3 * LIMIT_MS);
    expect(told).toEqual(['done done', 'failed broken']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('has one timer, however much work there is', () => {
    const { tell } = open();
    for (let each = 0; each < 1_000; each++) void tell('work', new Promise(() => {}));
    expect(vi.getTimerCount()).toBe(1);
  });
});

it('reads what arrived while the process stood still before anything is late', async () => {
  const limitMs = 100;
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [peer] = await accepted;
  const inTime = createTimeLimit(limitMs, () => new Error('late'));
  const answer = inTime(once(socket, 'data'));
  peer.write('x');
  // The bytes are with the kernel, and nothing is read until long after the limit.
  for (const end = performance.now() + 3 * limitMs; performance.now() < end; );
  expect(String(await answer)).toBe('x');
  socket.destroy();
  server.close();
});
