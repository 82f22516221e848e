import { ConditionsIgnored, type ObjectStore } from '../../../platform/s3/object-store.ts';
import { StoreUnreachable } from '../../../platform/s3/signed-request.ts';
import { type Anchor, AnchorUnreachable } from './anchor.ts';

/**
 * An anchor in an S3-compatible store: an object for each log, which is replaced on condition that it is
 * still the one that was read (If-Match, and If-None-Match for the first), so that of two swaps from the same
 * note one wins.
 */
const NAME = 'checkpoint';
/** A note is a few hundred bytes; more is not one. */
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
    // An answer may be lost after the write was made, and a proxy may have sent a request twice.
    const after = (await store.get(key, MAX_BYTES))?.text ?? null;
    if (after === next) return true;
    // It may still be made: whoever reads next finds out.
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
