import type { Config } from './config-type.ts';
import { filePath, integer } from './config-values.ts';
import type { Variable } from './variable.ts';

type OutsideKey = 'logAnchor' | 'logMirror' | 'journal' | 'backupFolder' | 'backupKeep';

/** What is kept outside the database, so that it outlives it, in the order of config-variables.ts. */
export const OUTSIDE_VARIABLES: { readonly [Key in OutsideKey]: Variable<Config[Key]> } = {
  logAnchor: {
    name: 'ACUSE_LOG_ANCHOR',
    type: filePath,
    doc: 'Folder that keeps the newest published checkpoint of the log, outside the database and its backups, best on another machine. A database that was restored to an earlier point is recognized by it, and signs, delivers and accepts nothing.',
    optional: true,
  },
  logMirror: {
    name: 'ACUSE_LOG_MIRROR',
    type: filePath,
    doc: 'Folder outside the database and its backups, best on another machine, that each leaf of the log is copied to before it is published: 32 bytes a leaf, and its checkpoints. A database that cannot be restored far enough is brought up to what was published from it. Needs ACUSE_LOG_ANCHOR.',
    optional: true,
  },
  journal: {
    name: 'ACUSE_JOURNAL',
    type: filePath,
    doc: 'Folder outside the database and its backups, best on another machine, that keeps what a restore must not forget: keys revoked, accounts suspended, addresses suppressed, messages erased, people removed. Each is on disk there before it is answered.',
    optional: true,
  },
  backupFolder: {
    name: 'ACUSE_BACKUP_FOLDER',
    type: filePath,
    doc: 'Folder on another disk that acuse backup makes its backups in, unless --to names one; acuse-backup.timer runs it each night. For the embedded PostgreSQL.',
    optional: true,
  },
  backupKeep: {
    name: 'ACUSE_BACKUP_KEEP',
    type: integer(1, 10_000, 'a number of backups'),
    doc: 'Number of backups that acuse backup keeps in the folder unless --keep says otherwise: it removes the oldest of this installation after a new one was verified. Default: all are kept.',
    optional: true,
  },
};
