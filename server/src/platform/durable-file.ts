import { closeSync, fsyncSync, openSync, readFileSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Replaces a file atomically and durably: after a power cut it is the old or the new one. One writer at a
 * time.
 */
export function replaceDurably(path: string, content: string | Uint8Array, mode = 0o600): void {
  const draft = `${path}.new`;
  try {
    const fd = openSync(draft, 'w', mode);
    try {
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(draft, path);
  } catch (error) {
    try {
      unlinkSync(draft);
    } catch {
      // Never created, or already renamed.
    }
    throw error;
  }
  syncFolder(dirname(path));
}

export function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Makes new or renamed entries of a folder survive a power cut. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
