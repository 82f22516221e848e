import { ARCHIVE_INDEX, MAX_INDEX_BYTES } from '@acuse/evidence/archive-index';
import { readArchiveIndex } from '@acuse/evidence/archive-verify';
import { EvidenceError } from '@acuse/evidence/errors';
import { readTenants } from '../../accounts/tenants/operations.ts';
import { reader } from '../../evidence/archive/archive-bundle.ts';
import { ArchiveUnreachable, archiveWithin } from '../../evidence/archive/archive-place.ts';
import { readSealedStates } from '../../evidence/archive/archive-store.ts';
import { type ArchivedMonth, listArchivedMonths } from '../../evidence/archive/archived-store.ts';
import { closesAt, rangeOf } from '../../evidence/archive/create.ts';
import { openArchivePlace } from '../../evidence/archive/open-archive.ts';
import { howToReach } from '../../evidence/log/open-outside.ts';
import type { Group } from './examine.ts';
import { type Finding, fault, ok } from './finding.ts';

/** The newest accounts; a fault of the timer shows in any. */
const ACCOUNTS_LOOKED_AT = 50;
const DROPPED_LOOKED_AT = 50;
/** A month after it closed: a timer runs each night, and the last messages of a month wait for days (ms). */
const LATE_MS = 7 * 24 * 3_600_000;

/** The newest month that should be archived, and the months that only an archive has. */
export const archives: Group = async (parts, options, signal) => [
  ...(await newestMonth(parts, options, signal)),
  ...(await droppedMonths(parts, options, signal)),
];

const newestMonth: Group = async ({ config, db, clock }, _options, signal) => {
  if (config.archive === null || db === null) return [];
  const root = openArchivePlace(config, config.archive);
  const month = newestDue(clock.now());
  const missing: string[] = [];
  let there = 0;
  try {
    // Reached, whatever the accounts have; preparing would write.
    await root.get(ARCHIVE_INDEX, MAX_INDEX_BYTES);
    for (const { tenantId } of await readTenants({ db }, null, ACCOUNTS_LOOKED_AT)) {
      signal.throwIfAborted();
      const order = { tenantId, month };
      const [first] = await readSealedStates(db, rangeOf(order), 1);
      if (first === undefined) continue;
      const index = await readArchiveIndex(reader(archiveWithin(root, tenantId, month)));
      if (index === undefined || index.completeAt === null) missing.push(tenantId);
      else there++;
    }
  } catch (error) {
    return [notRead(['archive', root.place], error)];
  }
  return [judge(root.place, month, there, missing)];
};

/** Reads no part: acuse verify --archive does. */
const droppedMonths: Group = async ({ config, db }, _options, signal) => {
  if (db === null) return [];
  const byPlace = new Map<string, ArchivedMonth[]>();
  for (const each of await listArchivedMonths(db, DROPPED_LOOKED_AT))
    byPlace.set(each.place, [...(byPlace.get(each.place) ?? []), each]);
  const findings: Finding[] = [];
  for (const [place, months] of byPlace) {
    const root = openArchivePlace(config, place);
    const gone: string[] = [];
    try {
      for (const { tenantId, month } of months) {
        signal.throwIfAborted();
        const index = await readArchiveIndex(reader(archiveWithin(root, tenantId, month)));
        if (index === undefined) gone.push(`${month} of ${tenantId}`);
      }
      findings.push(judgeDropped(place, months.length, gone));
    } catch (error) {
      const away = (message: string) => `${message}; the database no longer has its contents`;
      findings.push(notRead(['archive.dropped', place], error, away));
    }
  }
  return findings;
};

/** Throws what says nothing about the place. */
function notRead(
  about: readonly [code: 'archive' | 'archive.dropped', place: string],
  error: unknown,
  away = (message: string) => message,
): Finding {
  if (error instanceof EvidenceError) return fault('problem', about, error.message, LOOK);
  if (!(error instanceof ArchiveUnreachable)) throw error;
  return fault('problem', about, away(error.message), howToReach(about[1]));
}

function judgeDropped(place: string, months: number, gone: readonly string[]): Finding {
  const about = ['archive.dropped', place] as const;
  const [first] = gone;
  if (first === undefined)
    return ok(...about, `Has the months whose contents the database gave up: ${months}.`);
  return fault(
    'problem',
    about,
    `It lacks months whose contents the database gave up: ${gone.length}, such as ${first}.`,
    'bring the folder or bucket back as it was, from its versions or a copy',
  );
}

const LOOK = 'run acuse verify --archive on the archives there';

function newestDue(now: Date): string {
  const late = new Date(now.getTime() - LATE_MS);
  const month = (back: number) =>
    new Date(Date.UTC(late.getUTCFullYear(), late.getUTCMonth() - back)).toISOString().slice(0, 7);
  return closesAt({ month: month(1) }) <= late ? month(1) : month(2);
}

function judge(place: string, month: string, there: number, missing: readonly string[]): Finding {
  const [first] = missing;
  if (first === undefined)
    return ok('archive', place, `${month} is archived for ${there} accounts that had certified mail in it.`);
  return fault(
    'problem',
    ['archive', place],
    `${month} is not archived, or not to its end, for ${missing.length} accounts with certified mail in it, such as ${first}.`,
    `run acuse archive create --month ${month}, which says why`,
  );
}
