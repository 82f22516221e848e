import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

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

/**
 * Writes a file in a folder that several processes may write to, and names it by `place`: link or rename.
 * Leaves nothing if it fails. Does not sync the folder.
 */
export async function placeFile(
  folder: string,
  name: string,
  content: string | Uint8Array,
  place: (draft: string, path: string) => Promise<void>,
): Promise<void> {
  const draft = join(folder, `${randomBytes(8).toString('hex')}.draft`);
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
    await file.close();
    await place(draft, join(folder, name));
  } finally {
    await file.close().catch(() => {});
    // A link leaves the draft; after a rename it is gone.
    await unlink(draft).catch(() => {});
  }
}

/** As syncFolder, for folders that may be on another machine. */
export async function syncRemoteFolder(folder: string): Promise<void> {
  const opened = await open(folder, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}
