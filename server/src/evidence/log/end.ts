import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { signLogEnd } from '@acuse/evidence/log-end';
import { formatVerifierKey } from '@acuse/evidence/verifier-key';
import { ed25519 } from '../../platform/ed25519.ts';
import { sha256 } from '../../platform/sha256.ts';
import { countUnsealed } from '../status-store.ts';
import { insertLogEnd, isSandboxLog } from './end-store.ts';
import { generateLog, type LogKeyDeps, toSigner } from './log-key.ts';
import { findLogByOrigin, findNewestNote, insertLog, type LogRow } from './log-store.ts';
import { emptyCheckpoint } from './published.ts';
import { generateSecondKey, pinnedSecondKey } from './second-key.ts';
import { insertSecondKey } from './second-key-store.ts';
import { readHead } from './sequence-store.ts';

/**
 * Ends a log with missing leaves. Its key signs a last statement that names the successor, and is destroyed;
 * one commit, so that exactly one log can sign.
 */
interface Ending {
  /** The newest published note. */
  readonly published: string;
  readonly origin: string;
  readonly reason: string;
}

export interface Ended {
  readonly origin: string;
  readonly size: number;
  readonly publishedSize: number;
  readonly successor: string;
  readonly successorKey: string;
  readonly successorSecondKey: string | null;
  /** Waiting leaves: their messages name the ended log, so that no other may seal them. */
  readonly unsealed: number;
  readonly note: string;
}

/** Null: ended or changed by somebody else. */
export async function endLog(deps: LogKeyDeps, log: LogRow, ending: Ending): Promise<Ended | null> {
  const { db, clock, secrets } = deps;
  const old = await toSigner(log, secrets);
  const published = openCheckpoint(ending.published, [old.key], ed25519).checkpoint;
  const made = generateLog(ending.origin, secrets);
  const none = { mldsa44PublicKey: null, mldsa44SeedSealed: null, mldsa44From: null };
  const next = await toSigner({ ...made, ...none, successorId: null, begunAt: null }, secrets);
  // The successor keeps the log's promises.
  const second = old.second && (await generateSecondKey(made.logId, clock.now(), secrets));
  return db.transact(async (tx) => {
    const head = await readHead(tx, log.logId);
    const shown = (await findNewestNote(tx, log.logId)) ?? emptyCheckpoint(old);
    const kept = openCheckpoint(shown.note, [old.key], ed25519).checkpoint;
    const endedAt = clock.now();
    const end = { origin: log.origin, kept, published, endedAt, successor: next.key, reason: ending.reason };
    const note = signLogEnd(end, [old.signer, next.signer], sha256);
    const ended = { logId: log.logId, treeSize: head?.treeSize ?? 0, successorId: made.logId, note, endedAt };
    // First: a concurrent call waits here and changes nothing. A crash before the commit loses only an unseen
    // signature.
    if (!(await insertLogEnd(tx, ended))) return null;
    await insertLog(tx, { ...made, sandbox: await isSandboxLog(tx, log.logId) }, endedAt);
    if ((await findLogByOrigin(tx, ending.origin))?.logId !== made.logId)
      throw new Error(`there is a log ${ending.origin} already: name another one`);
    if (second !== null) await insertSecondKey(tx, second);
    return {
      ...{ origin: log.origin, size: kept.size, publishedSize: published.size, note },
      ...{ successor: next.origin, successorKey: next.vkey },
      successorSecondKey: second && formatVerifierKey(pinnedSecondKey({ origin: next.origin, ...second })!),
      unsealed: await countUnsealed(tx, log.logId, head?.publishedSize ?? 0),
    };
  });
}

/** Default name of the successor: with a number. */
export function nextOrigin(origin: string): string {
  const [, name, number] = /^(.*?)(?:-(\d{1,6}))?$/.exec(origin) ?? [];
  return `${name}-${Number(number ?? 1) + 1}`;
}
