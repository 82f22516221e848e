import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 20;

/**
 * For what no event tells of: looks until `look` gives something, and gives that. Fails after `withinMs`, with
 * the source of `look` as the reason.
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
