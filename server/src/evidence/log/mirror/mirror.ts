import type { Block } from './block.ts';

/**
 * Keeps every publishable leaf outside the database and its backups, so that a restored database can catch
 * up.
 */
export interface Mirror {
  /** A path, or s3://bucket/prefix. */
  readonly place: string;
  /** Throws if the place cannot keep a mirror. Absent: it can. */
  prepare?(): Promise<void>;
  /** A block with at least this many leaves; null: none readable. Throws MirrorUnreachable. */
  read(origin: string, index: number, leaves: number): Promise<Block | null>;
  /** Durable. Replaces shorter or different blocks; keeps longer equal ones. Throws MirrorUnreachable. */
  write(origin: string, blocks: readonly Block[]): Promise<void>;
  /** A checkpoint up to which all blocks were written; null: unknown. Throws MirrorUnreachable. */
  readCheckpoint(origin: string): Promise<string | null>;
  writeCheckpoint(origin: string, note: string): Promise<void>;
}

/** Leaves wait and nothing is published. */
export class MirrorUnreachable extends Error {
  readonly place: string;
  constructor(place: string, cause: unknown) {
    super(`the mirror at ${place} cannot be reached: ${(cause as Error).message}`, { cause });
    this.name = 'MirrorUnreachable';
    this.place = place;
  }
}
