import type { Block } from './block.ts';

/**
 * Where every leaf of each log that may be published stands outside the database and its backups, so that a
 * database that was restored to an earlier point can be brought up to what was published.
 */
export interface Mirror {
  /** What people call it: a path, or s3://bucket/prefix. */
  readonly place: string;
  /** Before the first write of a process: throws when this place cannot keep a mirror. Absent: it can. */
  prepare?(): Promise<void>;
  /**
   * The block of this index with at least so many leaves; null: there is none that can be read. Throws
   * MirrorUnreachable.
   */
  read(origin: string, index: number, leaves: number): Promise<Block | null>;
  /**
   * On disk when this resolves. What is there of the same blocks goes when it is shorter or says something
   * else; what is longer and says the same stays. Throws MirrorUnreachable.
   */
  write(origin: string, blocks: readonly Block[]): Promise<void>;
  /** A checkpoint up to which every block was written; null: none is known. Throws MirrorUnreachable. */
  readCheckpoint(origin: string): Promise<string | null>;
  writeCheckpoint(origin: string, note: string): Promise<void>;
}

/** Leaves wait and nothing is published, as with an anchor that cannot be reached. */
export class MirrorUnreachable extends Error {
  readonly place: string;
  constructor(place: string, cause: unknown) {
    super(`the mirror at ${place} cannot be reached: ${(cause as Error).message}`, { cause });
    this.name = 'MirrorUnreachable';
    this.place = place;
  }
}
