/** The message gives the fault and the fix. `kind`: a wrong request, damage, or a temporary fault. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
  readonly kind: 'usage' | 'failed' | 'unavailable';
  readonly code: string;
  constructor(kind: BackupError['kind'], code: string, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.kind = kind;
    this.code = code;
  }
}

/** With the fix, if there is one; other errors unchanged. */
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

/** With the user's name: a package runs root's command as the service's user. */
function howToWrite(code: string): string {
  return code === 'EROFS'
    ? 'a systemd unit writes only to the folders in its ReadWritePaths'
    : `make a folder for this user (install -d -m 700 -o ${process.getuid?.()} <folder>) and name that`;
}
