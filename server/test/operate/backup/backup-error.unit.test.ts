import { expect, test } from 'vitest';
import { asWriteError, BackupError } from '../../../src/operate/backup/backup-error.ts';

const failing = (code: string) => Object.assign(new Error(`${code}: mkdir '/srv/scratch'`), { code });

test.each([
  ['EACCES', 'usage', `install -d -m 700 -o ${process.getuid?.()} <folder>`],
  ['EPERM', 'usage', `install -d -m 700 -o ${process.getuid?.()} <folder>`],
  ['EROFS', 'usage', 'ReadWritePaths'],
  ['ENOSPC', 'unavailable', 'free some space'],
])('a folder that cannot be written (%s) is refused with the fix', (code, kind, fix) => {
  const cause = failing(code);
  const refused = asWriteError('/srv/scratch', cause);
  expect(refused).toBeInstanceOf(BackupError);
  expect(refused).toMatchObject({ kind, cause, message: expect.stringContaining(fix) });
});

test('any other error stays as it is', () => {
  const other = failing('EIO');
  expect(asWriteError('/srv/scratch', other)).toBe(other);
});
