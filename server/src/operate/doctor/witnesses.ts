import { listWitnesses, type WitnessRow } from '../../evidence/batch-store.ts';
import { listLogs } from '../../evidence/log/log-store.ts';
import { describeKeys, logKeysOf } from '../../evidence/log/published-keys.ts';
import { describeStop } from '../../evidence/log/stop.ts';
import { listStoppedLogs, type StoppedLog } from '../../evidence/log/stop-store.ts';
import { openWitnesses } from '../../evidence/log/witnesses.ts';
import type { Group } from './examine.ts';
import { type Finding, fault, ok } from './finding.ts';

/** Checks that the log was not set back and is cosigned, and shows its keys. */
export const witnesses: Group = async ({ config, db }) => {
  if (db === null) return [];
  const { list } = openWitnesses(config.witnessesFile);
  const rows = await db.transact(listWitnesses);
  const names = new Map(list.map(({ vkey, key }) => [vkey, key.name]));
  return [
    ...(await listStoppedLogs(db)).map(judgeStop),
    ...(await listLogs(db)).map((log) => ok('witness.keys', log.origin, describeKeys(logKeysOf(log)))),
    ...rows.flatMap((row) => {
      const name = names.get(row.vkey);
      return name === undefined ? [] : [judgeWitness(name, row)];
    }),
  ];
};

const STOP_FIX =
  'restore the database to a later point (docs/guides/restore.md), or, if there is none, stop every process and run acuse log end: until then nothing more is signed and certified mail is refused';

function judgeStop(stop: StoppedLog): Finding {
  const detail = `${describeStop(stop)}. The witness has:\n${stop.note}This database has:\n${stop.ownNote ?? 'nothing\n'}`;
  return fault('problem', ['witness.log', stop.origin], detail.trimEnd(), STOP_FIX);
}

function judgeWitness(
  name: string,
  row: Pick<WitnessRow, 'origin' | 'treeSize' | 'failures' | 'lastError'>,
): Finding {
  const about = ['witness', name] as const;
  const { origin, treeSize: size, failures, lastError: error } = row;
  if (failures === 0) return ok(...about, `It has cosigned ${size} leaves of ${origin}.`);
  return fault(
    'warning',
    about,
    `It has not cosigned ${origin} the last ${failures} times that it was asked: ${error}`,
    'ask whoever runs it; bundles say meanwhile that it had not cosigned',
  );
}
