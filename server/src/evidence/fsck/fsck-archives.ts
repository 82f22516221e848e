import { isDeepStrictEqual } from 'node:util';
import type { ArchiveIndex, ArchivePart } from '@acuse/evidence/archive-index';
import { readArchiveIndex, readPartMessages } from '@acuse/evidence/archive-verify';
import type { Bundle } from '@acuse/evidence/bundle';
import type { Sha256 } from '@acuse/evidence/bytes';
import { EvidenceError } from '@acuse/evidence/errors';
import type { Db } from '../../platform/database/db.ts';
import { sha256 } from '../../platform/sha256.ts';
import { reader } from '../archive/archive-bundle.ts';
import { type ArchivePlace, archiveWithin } from '../archive/archive-place.ts';
import type { IdRange } from '../archive/archive-store.ts';
import { openArchived } from '../archive/archived-content.ts';
import { type ArchivedMonth, listArchivedMonths } from '../archive/archived-store.ts';
import { rangeOf } from '../archive/create.ts';
import { type ArchivedToCheck, readArchivedToCheck } from './fsck-archive-store.ts';
import { columnFaults } from './fsck-columns.ts';
import { createReport, type FsckProblem, type Report } from './fsck-report.ts';

export type OpenArchives = (place: string) => ArchivePlace;

interface ArchivesCheck {
  readonly db: Db;
  readonly open: OpenArchives;
  readonly report: Report;
  readonly signal?: AbortSignal | undefined;
  onMonth(done: number, all: number): void;
}

/** As many as ten thousand accounts have in ten years. */
const MONTHS_MAX = 1_200_000;

/**
 * Reads what archives alone have, each part once, and compares it with the leaf and with the columns of its
 * message. Throws ArchiveUnreachable.
 */
export async function checkArchives(check: ArchivesCheck): Promise<void> {
  const months = await listArchivedMonths(check.db, MONTHS_MAX);
  for (const [i, month] of months.entries()) {
    await checkMonth(check, month);
    check.onMonth(i + 1, months.length);
  }
}

async function checkMonth(check: ArchivesCheck, month: ArchivedMonth): Promise<void> {
  const place = archiveWithin(check.open(month.place), month.tenantId, month.month);
  for (let index = await readIndex(place), again = true; ; again = false) {
    const own = createReport();
    await compare(check, { place, range: rangeOf(month), index }, own);
    const found = own.result();
    const now = found.problemCount > 0 && again ? await readIndex(place) : index;
    if (isDeepStrictEqual(now, index)) return check.report.merge(found);
    // Written anew meanwhile.
    index = now;
  }
}

/** Undefined: it is missing, or none. */
async function readIndex(place: ArchivePlace): Promise<ArchiveIndex | undefined> {
  try {
    return await readArchiveIndex(reader(place));
  } catch (error) {
    if (error instanceof EvidenceError) return undefined;
    throw error;
  }
}

interface Month {
  readonly place: ArchivePlace;
  readonly range: IdRange;
  readonly index: ArchiveIndex | undefined;
}

async function compare({ db, signal }: ArchivesCheck, month: Month, report: Report): Promise<void> {
  const { place, range, index } = month;
  if (index === undefined) report.problem('archive', place.place, 'has no archive.json that can be read');
  let { after } = range;
  for (const part of [...(index?.parts ?? []), null]) {
    signal?.throwIfAborted();
    const ids = { ...range, after, to: part?.last ?? range.to };
    const rows = await readArchivedToCheck(db, ids);
    after = ids.to;
    if (rows.length === 0) continue;
    const faults = await faultsOf(place, part, rows);
    // Read again, so that a concurrent erasure is seen.
    const still = new Set((await readArchivedToCheck(db, ids)).map(({ messageId }) => messageId));
    for (const { messageId } of rows) {
      const own = faults.get(messageId);
      if (own === undefined) report.count('archived', -1);
      else if (still.has(messageId))
        for (const { check, detail } of own) report.problem(check, `message ${messageId}`, detail);
    }
  }
}

type Fault = Pick<FsckProblem, 'check' | 'detail'>;

/** By message. `part`: null: none has them. */
async function faultsOf(
  place: ArchivePlace,
  part: ArchivePart | null,
  rows: readonly ArchivedToCheck[],
): Promise<Map<string, Fault[]>> {
  const faults = new Map<string, Fault[]>();
  const { messages, hash } = part === null ? NOTHING : await readPart(place, part);
  for (const row of rows) {
    const archived = messages instanceof Map ? messages.get(row.messageId) : messages;
    const own =
      archived instanceof EvidenceError
        ? [archived]
        : archived === undefined
          ? [{ check: 'content', detail: `is recorded as archived, and ${place.place} lacks it` }]
          : faultsOfContent(row, archived, hash);
    if (own.length > 0) faults.set(row.messageId, own);
  }
  return faults;
}

interface ReadPart {
  /** An error: the fault of the whole part. */
  readonly messages: ReadonlyMap<string, Bundle> | EvidenceError;
  readonly hash: Sha256;
}

const NOTHING: ReadPart = { messages: new Map(), hash: sha256 };

async function readPart(place: ArchivePlace, part: ArchivePart): Promise<ReadPart> {
  try {
    const { messages, sha256: hash } = await readPartMessages(reader(place), part, sha256);
    return { messages: new Map(messages.map(({ id, archived }) => [id, archived])), hash };
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    return { messages: error, hash: sha256 };
  }
}

function faultsOfContent(row: ArchivedToCheck, archived: Bundle, hash: Sha256): Fault[] {
  try {
    const content = openArchived(archived, row, hash);
    const { length } = content.submission;
    const size = `the archived request has ${length} bytes, and ${row.archivedBytes} are recorded`;
    return [
      ...(length === row.archivedBytes ? [] : [{ check: 'content', detail: size }]),
      ...columnFaults(row, content).map((detail) => ({ check: 'message', detail })),
    ];
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    return [error];
  }
}
