import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Makes names that were just made or renamed in a folder last through a power cut. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
