import { nameOfObject } from '@acuse/evidence/archive';
import {
  ARCHIVE_INDEX,
  type ArchiveIndex,
  formatArchiveIndex,
  MAX_INDEX_BYTES,
  parseArchiveIndex,
} from '@acuse/evidence/archive-index';
import { equalBytes } from '@acuse/evidence/bytes';
import type { ArchivePlace } from './archive-place.ts';

/** Another run writes the same archive. */
export class ArchiveChanged extends Error {
  override readonly name = 'ArchiveChanged';
  constructor(place: string) {
    super(
      `another run changed the archive at ${place} meanwhile: wait until it has ended, and run this again`,
    );
  }
}

/**
 * The index of an archive as one run changes it. Each object is announced in it before it is written, and
 * forgotten after it was deleted: nothing is ever there that the index does not name.
 */
export interface IndexFile {
  readonly index: ArchiveIndex;
  /** Throws ArchiveChanged, ArchiveUnreachable. */
  save(change: Partial<ArchiveIndex>): Promise<void>;
  /** Writes an object that `change` or a later save lists. Throws as save. */
  write(bytes: Uint8Array, sha256: string, change?: Partial<ArchiveIndex>): Promise<void>;
  /** Deletes what is pending and not listed. Throws as save. */
  tidy(): Promise<void>;
}

export async function openIndexFile(
  place: ArchivePlace,
  whose: Pick<ArchiveIndex, 'tenantId' | 'month'>,
): Promise<IndexFile> {
  const found = await place.get(ARCHIVE_INDEX, MAX_INDEX_BYTES);
  let version = found?.version ?? null;
  let index: ArchiveIndex =
    found === null
      ? { ...whose, completeAt: null, parts: [], renewals: [], pending: [] }
      : parseArchiveIndex(found.bytes);
  if (index.tenantId !== whose.tenantId || index.month !== whose.month) throw new ArchiveChanged(place.place);

  async function save(change: Partial<ArchiveIndex>): Promise<void> {
    const next = { ...index, ...change };
    const bytes = formatArchiveIndex(next);
    if ((await place.put(ARCHIVE_INDEX, bytes, version)) === 'lost') throw new ArchiveChanged(place.place);
    const stored = await place.get(ARCHIVE_INDEX, MAX_INDEX_BYTES);
    if (stored === null || !equalBytes(stored.bytes, bytes)) throw new ArchiveChanged(place.place);
    version = stored.version;
    index = next;
  }

  return {
    get index() {
      return index;
    },
    save,
    async write(bytes, sha256, change = {}) {
      await save({ ...change, pending: [...new Set([...index.pending, sha256])] });
      // The name is the hash: an existing object has these bytes.
      await place.put(nameOfObject(sha256), bytes, null);
    },
    async tidy() {
      const listed = new Set([...index.parts, ...index.renewals].map(({ sha256 }) => sha256));
      if (index.pending.length === 0) return;
      for (const hash of index.pending) if (!listed.has(hash)) await place.remove(nameOfObject(hash));
      await save({ pending: [] });
    },
  };
}
