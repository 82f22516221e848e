import { accessSync, constants, existsSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readGivenKeys, requireMasterKeys } from '../../config/master-key.ts';
import type { Group } from './examine.ts';
import { type Finding, fault, ok } from './finding.ts';

export interface Room {
  readonly freeBytes: number;
  readonly totalBytes: number;
  readonly freeInodes: number;
  readonly totalInodes: number;
}

/** Shares of free space for a warning and a problem. */
const WARN_SHARE = 0.1;
const PROBLEM_SHARE = 0.03;
const GIB = 1_073_741_824;

/** Usually the wrong user asks. */
const AS_SERVICE = 'run acuse doctor as the login of the service (with the Debian package, as root)';

/** Room, and the master key. */
export const disk: Group = async ({ config }) => {
  const { dataDir } = config;
  if (!existsSync(dataDir)) {
    const detail = 'The data folder does not exist.';
    const fix = 'set ACUSE_DATA_DIR to the folder of your service; acuse serve creates a new one';
    return [fault('warning', ['disk.data', dataDir], detail, fix), judgeKeys(config)];
  }
  return [judgeWritable(dataDir), judgeRoom(dataDir, await roomOf(dataDir)), judgeKeys(config)];
};

export async function roomOf(folder: string): Promise<Room> {
  const { bavail, blocks, bsize, ffree, files } = await statfs(folder);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize, freeInodes: ffree, totalInodes: files };
}

export function diskOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ dev }) => dev,
    () => null,
  );
}

function judgeWritable(folder: string): Finding {
  const place = ['disk.data', folder] as const;
  try {
    accessSync(folder, constants.W_OK);
    return ok(...place, 'Writable.');
  } catch {
    return fault(
      'problem',
      place,
      'This login cannot write there.',
      `${AS_SERVICE}; if this is that login, give it the folder: chown -R <login> ${folder}`,
    );
  }
}

export function judgeRoom(folder: string, room: Room): Finding {
  const place = ['disk.room', folder] as const;
  const share = room.freeBytes / Math.max(1, room.totalBytes);
  const inodes = room.totalInodes === 0 ? 1 : room.freeInodes / room.totalInodes;
  const least = Math.min(share, inodes);
  const says = `${(room.freeBytes / GIB).toFixed(1)} GiB of ${(room.totalBytes / GIB).toFixed(1)} GiB (${percent(share)}) and ${percent(inodes)} of the inodes are free.`;
  if (least > WARN_SHARE) return ok(...place, says);
  const fix = `make room or enlarge the disk under ${dirname(folder)}; shorter retention: acuse retention --help`;
  return fault(least > PROBLEM_SHARE ? 'warning' : 'problem', place, says, fix);
}

const percent = (share: number) => `${(share * 100).toFixed(0)} %`;

function judgeKeys(config: Parameters<typeof disk>[0]['config']): Finding {
  const { masterKeys, masterKeyCommand, dataDir } = config;
  const place = [
    'disk.master_key',
    masterKeyCommand ?? (masterKeys === null ? dataDir : 'ACUSE_MASTER_KEY'),
  ] as const;
  try {
    requireMasterKeys(readGivenKeys(config), dataDir);
  } catch (error) {
    return fault(
      'problem',
      place,
      (error as Error).message,
      (error as NodeJS.ErrnoException).code === 'EACCES'
        ? AS_SERVICE
        : masterKeyCommand === null
          ? 'restore master.key from its backup, or set ACUSE_MASTER_KEY'
          : 'see docs/guides/master-key.md',
    );
  }
  if (masterKeyCommand !== null) return ok(...place, 'Printed by the command.');
  if (masterKeys !== null) return ok(...place, 'Set in the environment.');
  const detail = 'Readable by its owner only. Nothing that it encrypts can be read without it.';
  return fault('advice', place, detail, 'keep a copy apart from the backups of the database');
}
