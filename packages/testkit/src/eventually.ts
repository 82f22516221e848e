import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 20;
/** Whoever asks a service or a database makes it work: the longer the wait, the less often. */
const ASK_EVERY_MAX_MS = 100;
const ASKED_SHARE = 0.1;

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
  for (const since = performance.now(); ; ) {
    const looked = look();
    const found = await looked;
    if (found !== undefined && found !== null && found !== false)
      return found as Exclude<T, undefined | null | false>;
    const waitedMs = performance.now() - since;
    if (waitedMs > withinMs) throw new Error(`not within ${withinMs} ms: ${look}`);
    const askMs = looked instanceof Promise ? Math.min(waitedMs * ASKED_SHARE, ASK_EVERY_MAX_MS) : 0;
    await sleep(Math.max(askMs, LOOK_EVERY_MS));
  }
}
