import { boolean, filePath, integer, outsidePlace, text, webUrl } from './config-values.ts';
import type { Variables } from './variable.ts';

/** What is kept outside the database, so that it outlives it, in the order of config-variables.ts. */
export const OUTSIDE_VARIABLES = {
  logAnchor: {
    name: 'ACUSE_LOG_ANCHOR',
    group: 'evidence',
    type: outsidePlace,
    doc: 'Folder, or s3://bucket/prefix, that keeps the newest published checkpoint of the log, outside the database and its backups, best on another machine. A database that was restored to an earlier point is recognized by it, and signs, delivers and accepts nothing.',
    optional: true,
  },
  logMirror: {
    name: 'ACUSE_LOG_MIRROR',
    group: 'evidence',
    type: outsidePlace,
    doc: 'Folder, or s3://bucket/prefix, outside the database and its backups, best on another machine, that each leaf of the log is copied to before it is published: 32 bytes a leaf, and its checkpoints. A database that cannot be restored far enough is brought up to what was published from it. Needs ACUSE_LOG_ANCHOR.',
    optional: true,
  },
  s3Region: {
    name: 'ACUSE_S3_REGION',
    group: 'evidence',
    type: text,
    doc: 'Region of the bucket, for s3:// in ACUSE_LOG_ANCHOR and ACUSE_LOG_MIRROR.',
    default: 'us-east-1',
  },
  s3Endpoint: {
    name: 'ACUSE_S3_ENDPOINT',
    group: 'evidence',
    type: webUrl,
    doc: 'Address of an S3-compatible store (MinIO, Ceph). Default: Amazon S3 in that region.',
    default: (known) => `https://s3.${known.s3Region}.amazonaws.com`,
  },
  s3PathStyle: {
    name: 'ACUSE_S3_PATH_STYLE',
    group: 'evidence',
    type: boolean,
    doc: 'true: the bucket is in the path of its URLs; false: it is in the host name. Default: true where ACUSE_S3_ENDPOINT is not of Amazon.',
    default: (known) => String(!known.s3Endpoint.endsWith('.amazonaws.com')),
  },
  s3AccessKeyId: {
    name: 'AWS_ACCESS_KEY_ID',
    group: 'evidence',
    type: text,
    doc: 'Access key of the bucket; it must be able to read, write and list it.',
    optional: true,
  },
  s3SecretAccessKey: {
    name: 'AWS_SECRET_ACCESS_KEY',
    group: 'evidence',
    type: text,
    doc: 'Secret of the access key.',
    optional: true,
    secret: 'hidden',
  },
  s3SessionToken: {
    name: 'AWS_SESSION_TOKEN',
    group: 'evidence',
    type: text,
    doc: 'Of temporary credentials, read at the start: a process must be restarted before they end.',
    optional: true,
    secret: 'hidden',
  },
  journal: {
    name: 'ACUSE_JOURNAL',
    group: 'evidence',
    type: filePath,
    doc: 'Folder outside the database and its backups, best on another machine, that keeps what a restore must not forget: keys revoked, accounts suspended, addresses suppressed, messages erased, people removed. Each is on disk there before it is answered.',
    optional: true,
  },
  backupFolder: {
    name: 'ACUSE_BACKUP_FOLDER',
    group: 'storage',
    read: 'by_commands',
    type: filePath,
    doc: 'Folder on another disk that acuse backup makes its backups in, unless --to names one; acuse-backup.timer runs it each night. For the embedded PostgreSQL.',
    optional: true,
  },
  backupKeep: {
    name: 'ACUSE_BACKUP_KEEP',
    group: 'storage',
    read: 'by_commands',
    type: integer(1, 10_000, 'a number of backups'),
    doc: 'Number of backups that acuse backup keeps in the folder unless --keep says otherwise: it removes the oldest of this installation after a new one was verified. Default: all are kept.',
    optional: true,
  },
} satisfies Variables;
