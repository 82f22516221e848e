import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 20;

/**
 * How long a test waits for a state before it fails: only what hangs takes so long. Machines that run the
 * tests may be many times slower than the one on which a test was written, and stand still now and then.
 */
export const PATIENCE_MS = 120_000;

/** The same for `vi.waitFor`, which waits one second by itself. */
export const PATIENCE = { timeout: PATIENCE_MS, interval: LOOK_EVERY_MS };

/**
 * Waits for what no event signals: calls `look` until it returns something, and returns that. Throws after
 * `withinMs`, with the source of `look` in the message.
 */
export async function eventually<T>(
  look: () => T | Promise<T>,
  withinMs = PATIENCE_MS,
): Promise<Exclude<T, undefined | null | false>> {
  for (const end = performance.now() + withinMs; ; await sleep(LOOK_EVERY_MS)) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false)
      return found as Exclude<T, undefined | null | false>;
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${look}`);
  }
}
