import { existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * The data folder cannot be used. The message names ACUSE_DATA_DIR, the fault and the fix. `full`: it may
 * work later.
 */
export class DataFolderError extends Error {
  readonly reason: 'missing' | 'unusable' | 'full';
  constructor(reason: DataFolderError['reason'], message: string, options?: { cause: unknown }) {
    super(message, options);
    this.name = 'DataFolderError';
    this.reason = reason;
  }
}

const OTHER_FOLDER = 'or set ACUSE_DATA_DIR to another folder';
/** strerror(ENOSPC) and strerror(EDQUOT), as child programs print them. */
const SAID_FULL = /No space left on device|Disk quota exceeded/;

export function makeDataFolder(dataDir: string): string {
  try {
    makeWithParents(dataDir);
    return realpathSync(dataDir);
  } catch (error) {
    throw asDataFolderError(dataDir, error);
  }
}

/** mkdir's own `recursive` never returns where a file system answers ENOENT, as /proc does. */
function makeWithParents(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const parent = dirname(folder);
  if (parent !== folder && !existsSync(parent)) makeWithParents(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process made it at the same time.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !statSync(folder).isDirectory()) throw error;
  }
}

/** Wraps faults of the folder as DataFolderError; returns other errors unchanged. errno(3) */
export function asDataFolderError(dataDir: string, error: unknown): unknown {
  if (error instanceof DataFolderError || !(error instanceof Error)) return error;
  const { code, path } = error as NodeJS.ErrnoException;
  // Other files and sockets fail with the same codes.
  const isOurs = path !== undefined && (path.startsWith(dataDir) || dataDir.startsWith(path));
  if (!isOurs && !SAID_FULL.test(error.message)) return error;
  const folder = `the data folder ${dataDir} (ACUSE_DATA_DIR)`;
  const fail = (reason: DataFolderError['reason'], what: string) =>
    new DataFolderError(reason, `${folder} ${what}`, { cause: error });
  if (code === 'ENOSPC' || code === 'EDQUOT' || SAID_FULL.test(error.message))
    return fail('full', `is on a disk without free space: free some, ${OTHER_FOLDER}`);
  if (code === 'ENOTDIR' || code === 'EEXIST')
    return fail('unusable', 'is not a folder: set ACUSE_DATA_DIR to a folder, or to one that can be created');
  if (code === 'EROFS')
    return fail('unusable', 'is on a read-only file system: set ACUSE_DATA_DIR to a folder on another one');
  if (code === 'EACCES' || code === 'EPERM')
    return fail(
      'unusable',
      `cannot be written by this user (uid ${process.getuid?.()}): change its owner, start as its owner, ${OTHER_FOLDER}`,
    );
  if (code === 'ENOENT')
    return fail('unusable', 'cannot be created: set ACUSE_DATA_DIR to a folder that can be');
  return error;
}
