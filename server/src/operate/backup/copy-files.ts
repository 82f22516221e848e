import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, statfs } from 'node:fs/promises';
import { BackupError } from './backup-error.ts';

export interface Progress {
  readonly phase: 'copying' | 'verifying' | 'restoring';
  readonly doneBytes: number;
  readonly totalBytes: number;
}

export interface FileFacts {
  readonly size: number;
  readonly sha256: string;
}

const CHUNK_BYTES = 1_048_576;
/** As many as Node has file threads. */
const PARALLEL = 4;
/** Larger files are synced at once (bytes), small ones together by `syncFiles`. */
const SYNC_AT_ONCE_BYTES = 1_048_576;

/** Null: gone. A torn copy is repaired by the WAL. Durable after `syncFiles`. */
export async function copyFile(
  from: string,
  to: string,
  onBytes: (bytes: number) => void,
): Promise<FileFacts | null> {
  const source = await openIfThere(from);
  if (source === null) return null;
  try {
    const target = await open(to, 'wx', 0o600);
    try {
      const facts = await readThrough(source, async (bytes) => {
        await target.writeFile(bytes);
        onBytes(bytes.length);
      });
      if (facts.size >= SYNC_AT_ONCE_BYTES) await target.sync();
      return facts;
    } finally {
      await target.close();
    }
  } finally {
    await source.file.close();
  }
}

export function syncFiles(paths: readonly string[]): Promise<void> {
  return forEachFile(paths, async (path) => {
    const file = await open(path, constants.O_RDONLY);
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  });
}

/** Null: missing, or no plain file. */
export async function hashFile(path: string, onBytes: (bytes: number) => void): Promise<FileFacts | null> {
  const source = await openIfThere(path);
  if (source === null) return null;
  try {
    return await readThrough(source, async (bytes) => onBytes(bytes.length));
  } finally {
    await source.file.close();
  }
}

interface Source {
  readonly file: FileHandle;
  readonly size: number;
}

async function openIfThere(path: string): Promise<Source | null> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = await file.stat();
    if (found.isFile()) return { file, size: found.size };
    await file.close();
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'EISDIR') return null;
    throw error;
  }
}

/** Reads up to the size at the start: the rest is in the WAL. */
async function readThrough(
  { file, size: limit }: Source,
  take: (bytes: Uint8Array) => Promise<void>,
): Promise<FileFacts> {
  const hash = createHash('sha256');
  // Most files are tiny.
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, limit));
  let size = 0;
  while (size < limit) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, limit - size), size);
    if (bytesRead === 0) break;
    const bytes = buffer.subarray(0, bytesRead);
    hash.update(bytes);
    await take(bytes);
    size += bytesRead;
  }
  return { size, sha256: hash.digest('hex') };
}

/** Limited concurrency; the first error ends it. */
export async function forEachFile<T>(all: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  const rest = all.values();
  let failed = false;
  async function worker(): Promise<void> {
    for (const each of rest) {
      if (failed) return;
      try {
        await work(each);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: PARALLEL }, worker));
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
}

const GB = 1e9;

export async function requireRoom(folder: string, bytes: number, what: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= bytes) return;
  const inGb = (value: number) => (value / GB).toFixed(value < GB ? 3 : 1);
  throw new BackupError(
    'unavailable',
    'no_room',
    `${what} needs ${inGb(bytes)} GB, and the disk of ${folder} has ${inGb(bavail * bsize)} GB free: free some space, or name another folder`,
  );
}
