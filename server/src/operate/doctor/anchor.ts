import { AnchorUnreachable } from '../../evidence/log/anchor/anchor.ts';
import { compareWithAnchor, type Standing } from '../../evidence/log/anchor/compare.ts';
import { describeStanding } from '../../evidence/log/anchor/publish.ts';
import { listLogs } from '../../evidence/log/log-store.ts';
import { howToReach, openAnchor } from '../../evidence/log/open-outside.ts';
import type { Group } from './examine.ts';
import { type Finding, fault, ok } from './finding.ts';

const SETTING = 'ACUSE_LOG_ANCHOR';

export const anchor: Group = async ({ config, db }) => {
  const opened = openAnchor(config);
  if (opened === null) return config.delivery === 'sandbox' ? [] : [NONE];
  if (db === null) return [];
  const found: Finding[] = [];
  try {
    for (const log of await listLogs(db)) {
      const { standing } = await compareWithAnchor(db, opened, log);
      found.push(judgeStanding(log.origin, opened.place, standing));
    }
  } catch (error) {
    if (!(error instanceof AnchorUnreachable)) throw error;
    found.push(fault('problem', ['anchor', opened.place], error.message, reach(opened.place)));
  }
  return found;
};

const NONE = fault(
  'warning',
  ['anchor', SETTING],
  'None is configured: a database that is restored to an earlier point would sign a second history.',
  `set ${SETTING} to a folder or a bucket outside the database and its backups, then run acuse log anchor --adopt`,
);

const reach = (place: string) =>
  `${howToReach(place)}, and let the service write to it: nothing is sealed meanwhile`;

const FIXES = {
  unanchored:
    'if nothing was restored, run acuse log anchor --adopt; else find the anchor that this database had',
  behind: 'restore the database to a later point (docs/guides/restore.md)',
  fork: 'restore the database that was published (docs/guides/restore.md)',
};

export function judgeStanding(origin: string, place: string, standing: Standing): Finding {
  const detail = describeStanding(origin, place, standing);
  const { kind } = standing;
  if (kind !== 'unanchored' && kind !== 'behind' && kind !== 'fork') return ok('anchor', origin, detail);
  return fault('problem', ['anchor', origin], detail, FIXES[kind]);
}
