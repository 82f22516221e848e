import { readGivenKeys, requireMasterKeys } from '../../config/master-key.ts';
import { reseal, type TableSeals } from '../master-keys/reseal.ts';
import type { Group } from './examine.ts';
import { type Finding, fault, ok } from './finding.ts';

const PLACE = ['master_key', 'database'] as const;

export const masterKeys: Group = async ({ config, db }, _options, signal) => {
  if (db === null) return [];
  const keys = readKeys(config);
  if (keys === null) return [];
  return judge(await reseal(db, { masterKeys: keys, dryRun: true, signal }));
};

function readKeys(config: Parameters<Group>[0]['config']) {
  try {
    return requireMasterKeys(readGivenKeys(config), config.dataDir);
  } catch {
    return null;
  }
}

export function judge(tables: readonly TableSeals[]): Finding[] {
  const none = tables.filter(({ unopened }) => unopened > 0);
  if (none.length > 0)
    return [
      fault(
        'problem',
        PLACE,
        `It does not open ${list(none, ({ unopened }) => unopened)}${none.some(isLog) ? ': serve refuses to start' : ''}.`,
        'set ACUSE_MASTER_KEY, or master.key, to the key that sealed them, behind the present one if there are two',
      ),
    ];
  const old = tables.filter(({ byKey }) => oldOf(byKey) > 0);
  if (old.length > 0)
    return [
      fault(
        'advice',
        PLACE,
        `Still sealed under an old key: ${list(old, ({ byKey }) => oldOf(byKey))}.`,
        'run acuse master-key reseal, then take the old key out (docs/guides/master-key.md)',
      ),
    ];
  return [ok(...PLACE, "It opens the log's key and all other secrets.")];
}

const oldOf = (byKey: readonly number[]) => byKey.slice(1).reduce((all, count) => all + count, 0);
const isLog = ({ table }: TableSeals) => table === 'logs';
const list = (tables: readonly TableSeals[], countOf: (seals: TableSeals) => number) =>
  tables.map((seals) => `${countOf(seals)} of ${seals.table}`).join(', ');
