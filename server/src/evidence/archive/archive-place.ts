export interface ArchivePlace {
  readonly place: string;
  /** Throws ConditionsIgnored, ArchiveUnreachable. Before the first write. */
  prepare(): Promise<void>;
  /** Null: no such object. `version`: for `put`. Throws ArchiveUnreachable. */
  get(
    name: string,
    maxBytes: number,
  ): Promise<{ readonly bytes: Uint8Array; readonly version: string } | null>;
  /**
   * Replaces the object of this version, or (null) creates it. `lost`: another writer was first. Throws
   * ArchiveUnreachable, also if it may have been written.
   */
  put(name: string, bytes: Uint8Array, replaces: string | null): Promise<'written' | 'lost'>;
  remove(name: string): Promise<void>;
}

export class ArchiveUnreachable extends Error {
  override readonly name = 'ArchiveUnreachable';
  readonly place: string;
  constructor(place: string, cause: unknown) {
    super(`the archive at ${place} cannot be reached: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
    this.place = place;
  }
}

/** The archive of one account and month. */
export function archiveWithin(root: ArchivePlace, tenantId: string, month: string): ArchivePlace {
  const prefix = `${tenantId}/${month}`;
  return {
    place: `${root.place}/${prefix}`,
    prepare: root.prepare,
    get: (name, maxBytes) => root.get(`${prefix}/${name}`, maxBytes),
    put: (name, bytes, replaces) => root.put(`${prefix}/${name}`, bytes, replaces),
    remove: (name) => root.remove(`${prefix}/${name}`),
  };
}
