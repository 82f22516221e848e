import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 20;

/**
 * Waits for what no event signals: calls `look` until it returns something, and returns that. Throws after
 * `withinMs`, with the source of `look` in the message.
 */
export async function eventually<T>(
  look: () => T | Promise<T>,
  withinMs = 25_000,
): Promise<Exclude<T, undefined | null | false>> {
  for (const end = performance.now() + withinMs; ; await sleep(LOOK_EVERY_MS)) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false)
      return found as Exclude<T, undefined | null | false>;
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${look}`);
  }
}
