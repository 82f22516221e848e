import { equalBytes } from '@acuse/evidence/bytes';
import { ConditionsIgnored, type ObjectStore } from '../../platform/s3/object-store.ts';
import { type ArchivePlace, ArchiveUnreachable } from './archive-place.ts';

/** In a bucket. Lists nothing. */
export function openArchiveObjects(store: ObjectStore): ArchivePlace {
  async function reaching<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ConditionsIgnored) throw error;
      throw new ArchiveUnreachable(store.place, error);
    }
  }

  return {
    place: store.place,
    prepare: () => reaching(() => store.requireConditions()),
    get: (name, maxBytes) =>
      reaching(async () => {
        const found = await store.get(name, maxBytes);
        return found === null ? null : { bytes: found.bytes, version: found.etag };
      }),
    put: (name, bytes, replaces) =>
      reaching(async () => {
        const put = await store.put(name, bytes, replaces);
        if (put !== 'unknown') return put;
        // The answer was lost, or the store is: what is there says which.
        const there = await store.get(name, bytes.length + 1);
        if (there !== null && equalBytes(there.bytes, bytes)) return 'written';
        throw new Error(`${name} could not be written`);
      }),
    remove: (name) => reaching(() => store.remove(name)),
  };
}
