import { access, constants, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type FoundGap, readGaps } from '../../platform/journal/gaps.ts';
import { findInstallation } from '../restore/state-store.ts';
import { diskOf } from './disk.ts';
import type { Group } from './examine.ts';
import { type Finding, fault, ok } from './finding.ts';

const SETTING = 'ACUSE_JOURNAL';

export const journal: Group = async ({ config, db }) => {
  const { journal: folder, delivery, databaseUrl, dataDir } = config;
  if (folder === null) return delivery === 'sandbox' ? [] : [NONE];
  const place = ['journal', folder] as const;
  try {
    if (!(await stat(folder)).isDirectory()) return [fault('problem', place, 'It is not a folder.', MAKE)];
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    return [judgeUnusable(folder, (error as NodeJS.ErrnoException).code)];
  }
  const installation = db === null ? null : await findInstallation(db);
  const gaps = (await readGaps(folder, { installation, since: EPOCH })).map((gap) => judgeGap(folder, gap));
  // With DATABASE_URL only the operator knows the disk.
  if (databaseUrl === null && (await diskOf(folder)) === (await diskOf(dataDir)))
    return [
      ...gaps,
      fault('advice', place, 'It is on the same disk as the database: both are lost together.', MOVE),
    ];
  return gaps.length > 0 ? gaps : [ok(...place, 'Writable.')];
};

const EPOCH = new Date(0);

export function judgeGap(folder: string, { of, lost, from, until, file }: FoundGap): Finding {
  const what = of === 'keys' ? 'keys of accepted sends' : 'suppressions by bounces and complaints';
  const then = of === 'keys' ? 'a repeated send creates a duplicate' : 'those addresses get mail again';
  return fault(
    'warning',
    ['journal.gap', join(folder, file)],
    `${lost} ${what} of ${from.toISOString()} to ${until.toISOString()} were dropped, because the folder was away: after a restore to before then ${then}.`,
    'take a backup now, so that no restore goes back that far; then delete the file',
  );
}

const NONE = fault(
  'advice',
  ['journal', SETTING],
  'None is configured: a restored database would forget keys revoked, addresses suppressed and messages erased since.',
  `set ${SETTING} to a folder outside the database and its backups, best on another machine`,
);

const MAKE = `set ${SETTING} to a folder that the login of the service can write to`;
const MOVE = `move it to another disk, best on another machine, and set ${SETTING} to it for every process`;

export function judgeUnusable(folder: string, code: string | undefined): Finding {
  const place = ['journal', folder] as const;
  const refused = 'revocations, suppressions and erasures are refused meanwhile';
  if (code === 'ENOENT')
    return fault(
      'problem',
      place,
      `It does not exist: ${refused}.`,
      `mount it, or create it: mkdir ${folder}`,
    );
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    const fix = `let the login of the service read and write it: chown -R acuse ${folder}`;
    return fault('problem', place, `This login cannot read and write it: ${refused}.`, fix);
  }
  return fault('problem', place, `It cannot be checked (${code ?? 'no code'}): ${refused}.`, MAKE);
}
