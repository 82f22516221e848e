/**
 * Keeps each log's newest published checkpoint outside the database and its backups, so that a restored
 * database cannot sign a second history.
 */
export interface Anchor {
  readonly place: string;
  /** Throws if the place cannot keep an anchor. Absent: it can. */
  prepare?(): Promise<void>;
  /** Null: none. Throws AnchorUnreachable. */
  read(origin: string): Promise<string | null>;
  /**
   * Replaces `before` by `next`, durably; false: another note is there. After AnchorUnreachable the result is
   * unknown.
   */
  swap(origin: string, before: string | null, next: string): Promise<boolean>;
}

/** Leaves wait and nothing is published. */
export class AnchorUnreachable extends Error {
  readonly place: string;
  constructor(place: string, cause: unknown) {
    super(`the anchor at ${place} cannot be reached: ${(cause as Error).message}`, { cause });
    this.name = 'AnchorUnreachable';
    this.place = place;
  }
}
