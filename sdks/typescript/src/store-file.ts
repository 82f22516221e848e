/** Files that are there whole or not at all. Node only. */
import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Writes beside `path`, syncs, renames. What fails on the way leaves nothing. */
export async function storeAtomically(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.part`);
  const file = await open(temporary, 'wx', 0o644);
  try {
    try {
      for await (const chunk of bytes) await file.write(chunk);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
