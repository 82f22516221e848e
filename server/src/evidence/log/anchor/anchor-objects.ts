import { ConditionsIgnored, type ObjectStore } from '../../../platform/s3/object-store.ts';
import { StoreUnreachable } from '../../../platform/s3/signed-request.ts';
import { type Anchor, AnchorUnreachable } from './anchor.ts';

/**
 * An anchor in an S3-compatible store: one object per log, replaced conditionally (If-Match, If-None-Match
 * for the first), so that one of two concurrent swaps wins.
 */
const NAME = 'checkpoint';
/** A note is a few hundred bytes. */
const MAX_BYTES = 65_536;

export function openAnchorObjects(store: ObjectStore): Anchor {
  const keyOf = (origin: string) => `${origin}/${NAME}`;

  async function reaching<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ConditionsIgnored) throw error;
      throw new AnchorUnreachable(store.place, error);
    }
  }

  async function swap(key: string, before: string | null, next: string): Promise<boolean> {
    const current = await store.get(key, MAX_BYTES);
    if ((current?.text ?? null) !== before) return false;
    const outcome = await store.put(key, next, current?.etag ?? null);
    if (outcome === 'written') return true;
    // The answer may be lost after a successful write, or a proxy may have repeated it.
    const after = (await store.get(key, MAX_BYTES))?.text ?? null;
    if (after === next) return true;
    // The write may still happen: the next reader sees it.
    if (outcome === 'unknown' && after === before)
      throw new StoreUnreachable('the store did not answer whether it wrote');
    return false;
  }

  return {
    place: store.place,
    prepare: () => reaching(() => store.requireConditions()),
    read: (origin) => reaching(async () => (await store.get(keyOf(origin), MAX_BYTES))?.text ?? null),
    swap: (origin, before, next) =>
      reaching(async () => {
        await store.requireConditions();
        return swap(keyOf(origin), before, next);
      }),
  };
}
