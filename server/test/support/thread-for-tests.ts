import { apiError } from '../../src/errors.ts';
import type { Job } from '../../src/platform/threads/job.ts';
import { serveJobs } from '../../src/platform/threads/serve-jobs.ts';

/**
 * Jobs that behave well and badly, for the tests of the threads; the program that serves them is this file,
 * bundled.
 */
export const echo: Job<{ text: string; waitMs?: number }, string> = {
  name: 'echo',
  limitMs: 20_000,
  async run({ text, waitMs = 0 }) {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    return text;
  },
};
export const turnRound: Job<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> = {
  name: 'turn-round',
  limitMs: 20_000,
  run: (bytes) => bytes.reverse(),
  handedOver: (bytes) => [bytes.buffer],
};
export const spin: Job<null, never> = {
  name: 'spin',
  limitMs: 300,
  run() {
    for (;;);
  },
};
export const hoard: Job<null, number> = {
  name: 'hoard',
  limitMs: 20_000,
  run() {
    const kept: unknown[] = [];
    for (;;) kept.push(new Array(1_000).fill(kept.length));
  },
};
export const refuse: Job<null, never> = {
  name: 'refuse',
  limitMs: 20_000,
  run() {
    throw apiError('invalid_body', 'Not like this.', { retryAfterSeconds: 7 });
  },
};
export const fail: Job<null, never> = {
  name: 'fail',
  limitMs: 20_000,
  run() {
    throw new TypeError('a fault');
  },
};
export const quit: Job<null, never> = {
  name: 'quit',
  limitMs: 20_000,
  run: () => process.exit(3),
};

if (process.env['VITEST'] === undefined) serveJobs([echo, turnRound, spin, hoard, refuse, fail, quit]);
