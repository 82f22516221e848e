import { listLogs } from '../../evidence/log/log-store.ts';
import { asWriteError, BackupError } from '../backup/backup-error.ts';
import { type FoundBackup, listBackups, newestOf } from '../backup/backups-folder.ts';
import { diskOf } from './disk.ts';
import type { Group } from './examine.ts';
import { type Finding, fault, ok } from './finding.ts';

const SETTING = 'ACUSE_BACKUP_FOLDER';
const DAY_MS = 86_400_000;
/** One failed night may recover, two do not. */
const OLDEST_MS = 2 * DAY_MS;

/** For the embedded database; `database` checks the WAL archive of others. */
export const backups: Group = async ({ config, db, clock }) => {
  const { backupFolder: folder, databaseUrl, delivery, dataDir } = config;
  if (databaseUrl !== null) return [];
  if (folder === null) return delivery === 'sandbox' ? [] : [NONE];
  const place = ['backup', folder] as const;
  let found: FoundBackup[];
  try {
    found = listBackups(folder);
  } catch (error) {
    const cause = asWriteError(folder, error);
    const detail = cause instanceof BackupError ? 'This login cannot read it.' : (error as Error).message;
    return [fault('problem', place, detail, REACH)];
  }
  const installation = db === null ? null : ((await listLogs(db))[0]?.logId ?? null);
  const judged = judgeNewest(folder, newestOf(found, installation), clock.now());
  if (judged.status !== 'ok' || (await diskOf(folder)) !== (await diskOf(dataDir))) return [judged];
  return [
    judged,
    fault('warning', place, 'It is on the same disk as the database: both are lost together.', MOVE),
  ];
};

const NONE = fault(
  'warning',
  ['backup', SETTING],
  'No folder for backups is configured: a lost disk loses everything.',
  `set ${SETTING} to a folder on another disk, then systemctl enable --now acuse-backup.timer, or run acuse backup each night`,
);

const REACH = 'mount the folder, and let the login of the service read and write it';
const MOVE = `set ${SETTING} to a folder on another disk, best on another machine`;
const RUN =
  'systemctl status acuse-backup.timer acuse-backup.service and journalctl -u acuse-backup say why; acuse backup makes one now';

function judgeNewest(folder: string, newest: Date | null, now: Date): Finding {
  const place = ['backup', folder] as const;
  if (newest === null)
    return fault('problem', place, 'There is no complete backup of this installation.', RUN);
  const days = (now.getTime() - newest.getTime()) / DAY_MS;
  const detail = `The newest whole backup is complete until ${newest.toISOString()}.`;
  if (days * DAY_MS <= OLDEST_MS) return ok(...place, detail);
  return fault('problem', place, `${detail} That was ${days.toFixed(1)} days ago.`, RUN);
}
