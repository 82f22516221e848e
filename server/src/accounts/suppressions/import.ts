import { apiError } from '../../errors.ts';
import type { DbAndClock } from '../../platform/database/db.ts';
import { newId } from '../../platform/ids.ts';
import { ThreadLimitError } from '../../platform/threads/job.ts';
import type { Threads } from '../../platform/threads/threads.ts';
import { type ImportFile, type ImportLine, type RefusedLine, readImportJob } from './import-file.ts';
import { MANUAL_REASON, SUPPRESSIONS_MAX } from './operations.ts';
import { countSuppressions, insertGlobalSuppressions, insertSuppressions } from './store.ts';

export interface ImportDeps extends DbAndClock {
  readonly threads: Threads;
}

export interface Imported {
  readonly created: number;
  readonly known: number;
  readonly refused: readonly RefusedLine[];
}

/** Larger files are read in a thread (bytes). */
const LARGE_BYTES = 32 * 1024;
const GROUP_ENTRIES = 1_000;

export async function importSuppressions(
  deps: ImportDeps,
  tenantId: string,
  file: Uint8Array,
): Promise<Imported> {
  const { lines, refused } = await readFile(deps.threads, tenantId, file);
  const fresh = firstOfEach(lines);
  const over: RefusedLine[] = [];
  let created = 0;
  for (let at = 0; at < fresh.length; at += GROUP_ENTRIES) {
    const group = await addGroup(deps, tenantId, fresh.slice(at, at + GROUP_ENTRIES));
    created += group.created;
    over.push(...group.over);
  }
  const known = lines.length - created - over.length;
  return { created, known, refused: [...refused, ...over].sort((a, b) => a.line - b.line) };
}

export async function importGlobalSuppressions(
  { db, clock, threads }: ImportDeps,
  operatorId: string,
  file: Uint8Array,
): Promise<Imported> {
  const { lines, refused } = await readFile(threads, operatorId, file);
  const fresh = firstOfEach(lines);
  const createdAt = clock.now();
  let created = 0;
  for (let at = 0; at < fresh.length; at += GROUP_ENTRIES) {
    const group = fresh.slice(at, at + GROUP_ENTRIES);
    const entries = group.map(({ address, reason }) => ({
      ...{ address, createdAt },
      reason: reason ?? MANUAL_REASON,
    }));
    created += await db.transact((tx) => insertGlobalSuppressions(tx, entries));
  }
  return { created, known: lines.length - created, refused };
}

/** Keeps the first reason. */
function firstOfEach(lines: readonly ImportLine[]): ImportLine[] {
  return [...new Map(lines.toReversed().map((line) => [line.address, line])).values()].toReversed();
}

async function readFile(threads: Threads, owner: string, file: Uint8Array): Promise<ImportFile> {
  if (file.length < LARGE_BYTES) return readImportJob.run(file);
  try {
    return await threads.run(readImportJob, file, { tenantId: owner, bytes: file.length });
  } catch (error) {
    if (!(error instanceof ThreadLimitError)) throw error;
    throw apiError('invalid_body', `The file takes too much ${error.limit} to read: split it.`, {
      cause: error,
    });
  }
}

/** Known addresses need no room. */
async function addGroup({ db, clock }: ImportDeps, tenantId: string, group: readonly ImportLine[]) {
  const at = clock.now();
  const entries = group.map(({ address, reason }) => ({
    suppressionId: newId(at.getTime()),
    address,
    reason: reason ?? MANUAL_REASON,
    source: 'manual' as const,
    messageId: null,
    createdAt: at,
  }));
  return db.asTenant(tenantId, async (tx) => {
    const room = SUPPRESSIONS_MAX - (await countSuppressions(tx, tenantId, SUPPRESSIONS_MAX));
    const { added, left } = await insertSuppressions(tx, tenantId, entries, room);
    const over = group.filter(({ address }) => left.has(address)).map(({ line }) => ({ line, ...FULL }));
    return { created: added, over };
  });
}

const FULL = {
  code: 'conflict',
  message: `Limit of ${SUPPRESSIONS_MAX} suppressed addresses per list reached: delete some first.`,
} as const;
