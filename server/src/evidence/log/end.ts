import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { signLogEnd } from '@acuse/evidence/log-end';
import { sha256 } from '../../platform/sha256.ts';
import { countUnsealed } from '../status-store.ts';
import { insertLogEnd, isSandboxLog } from './end-store.ts';
import { generateLog, type LogKeyDeps, toSigner } from './log-key.ts';
import { findLogByOrigin, findNewestNote, insertLog, type LogRow } from './log-store.ts';
import { emptyCheckpoint } from './published.ts';
import { readHead } from './sequence-store.ts';

/**
 * Ends a log whose missing leaves cannot be had. Its key signs once more, that it has ended and which log
 * goes on, and is destroyed; both are one commit, so that whatever dies, there is one log that signs.
 */
export interface Ending {
  /** The newest checkpoint that was published, as its signed note. */
  readonly published: string;
  /** Of the log that goes on. */
  readonly origin: string;
  readonly reason: string;
}

export interface Ended {
  readonly origin: string;
  readonly size: number;
  readonly publishedSize: number;
  readonly successor: string;
  readonly successorKey: string;
  /** Leaves that waited: their messages name the log that ended, so that no other may have them. */
  readonly unsealed: number;
  readonly note: string;
}

/** Null: somebody else has ended it, or changed it, meanwhile. */
export async function endLog(deps: LogKeyDeps, log: LogRow, ending: Ending): Promise<Ended | null> {
  const { db, clock, secrets } = deps;
  const old = toSigner(log, secrets);
  const published = openCheckpoint(ending.published, [old.key]).checkpoint;
  const made = generateLog(ending.origin, secrets);
  const next = toSigner({ ...made, successorId: null, begunAt: null }, secrets);
  return db.transact(async (tx) => {
    const head = await readHead(tx, log.logId);
    const shown = (await findNewestNote(tx, log.logId)) ?? emptyCheckpoint(old);
    const kept = openCheckpoint(shown.note, [old.key]).checkpoint;
    const endedAt = clock.now();
    const end = { origin: log.origin, kept, published, endedAt, successor: next.key, reason: ending.reason };
    const note = signLogEnd(end, [old.signer, next.signer], sha256);
    const ended = { logId: log.logId, treeSize: head?.treeSize ?? 0, successorId: made.logId, note, endedAt };
    // First: of two the second waits here, and then changes nothing. Crash before the commit: the signature
    // was in this process's memory alone.
    if (!(await insertLogEnd(tx, ended))) return null;
    await insertLog(tx, { ...made, sandbox: await isSandboxLog(tx, log.logId) }, endedAt);
    if ((await findLogByOrigin(tx, ending.origin))?.logId !== made.logId)
      throw new Error(`there is a log ${ending.origin} already: name another one`);
    return {
      ...{ origin: log.origin, size: kept.size, publishedSize: published.size, note },
      ...{ successor: next.origin, successorKey: next.vkey },
      unsealed: await countUnsealed(tx, log.logId, head?.publishedSize ?? 0),
    };
  });
}

/** What the log after this one is called, if nobody says otherwise: a number behind it. */
export function nextOrigin(origin: string): string {
  const [, name, number] = /^(.*?)(?:-(\d{1,6}))?$/.exec(origin) ?? [];
  return `${name}-${Number(number ?? 1) + 1}`;
}
