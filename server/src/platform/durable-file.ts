import { closeSync, fsyncSync, openSync, readFileSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Puts content in place of a file's, whole or not at all, and on disk before it returns: after a power cut
 * the file is the old one or the new one. One writer at a time.
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
      // It was never made, or is renamed already.
    }
    throw error;
  }
  syncFolder(dirname(path));
}

/** A file's text (UTF-8); null when there is none. */
export function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Makes names that were just made or renamed in a folder last through a power cut. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
