/**
 * A backup, or a restore from one, that cannot be: the message says what is wrong and the fix. `kind`: the
 * request is wrong; something is not as it must be; the same may work later.
 */
export class BackupError extends Error {
  override readonly name = 'BackupError';
  readonly kind: 'usage' | 'failed' | 'unavailable';
  /** snake_case, for machines. */
  readonly code: string;
  constructor(kind: BackupError['kind'], code: string, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.kind = kind;
    this.code = code;
  }
}

/** A fault of writing below `folder`, with the fix where it has one; any other error as it is. */
export function asWriteError(folder: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new BackupError('unavailable', 'disk_full', `the disk of ${folder} is full: free some space`, {
      cause: error,
    });
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new BackupError(
      'usage',
      'unwritable_folder',
      `${folder} cannot be written by this user (uid ${process.getuid?.()}): ${(error as Error).message}; ${howToWrite(code)}`,
      { cause: error },
    );
  return error;
}

/** Root's own command becomes the service's user where a package installed it, so the user is named. */
function howToWrite(code: string): string {
  return code === 'EROFS'
    ? 'a systemd unit writes only to the folders in its ReadWritePaths'
    : `make a folder for this user (install -d -m 700 -o ${process.getuid?.()} <folder>) and name that`;
}
