/**
 * Where the newest published checkpoint of each log stands, outside the database and its backups. A database
 * that was restored to an earlier point does not continue it, and is kept from signing a second history.
 */
export interface Anchor {
  /** What people call it: a path, or s3://bucket/prefix. */
  readonly place: string;
  /** Before the first swap of a process: throws when this place cannot keep an anchor. Absent: it can. */
  prepare?(): Promise<void>;
  /** The signed note of a log; null: it has none here. Throws AnchorUnreachable. */
  read(origin: string): Promise<string | null>;
  /**
   * Puts `next` in place of `before`, on disk when this resolves; false: another one is there by now. Throws
   * AnchorUnreachable, after which nobody knows which of them is there.
   */
  swap(origin: string, before: string | null, next: string): Promise<boolean>;
}

/** Leaves wait and nothing is published, as with an authority that is down. */
export class AnchorUnreachable extends Error {
  readonly place: string;
  constructor(place: string, cause: unknown) {
    super(`the anchor at ${place} cannot be reached: ${(cause as Error).message}`, { cause });
    this.name = 'AnchorUnreachable';
    this.place = place;
  }
}
