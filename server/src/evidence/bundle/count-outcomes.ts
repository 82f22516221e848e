import { toHex } from '@acuse/evidence/bytes';
import { addMldsa44 } from '@acuse/evidence/cosignature-mldsa44';
import { EvidenceError } from '@acuse/evidence/errors';
import { openLogEnd } from '@acuse/evidence/log-end';
import { signOutcomes } from '@acuse/evidence/outcomes-note';
import type { PinnedKey } from '@acuse/evidence/policy';
import { formatVerifierKey, type VerifierKey, verifierKey } from '@acuse/evidence/verifier-key';
import { MAX_DELIVERIES } from '@acuse/evidence/verify-delivery';
import type { Queryable } from '../../platform/database/db.ts';
import { sha256 } from '../../platform/sha256.ts';
import type { LogSigner } from '../log/log-key.ts';
import { findLogKey } from '../log/log-store.ts';
import { pinnedSecondKey } from '../log/second-key.ts';
import { countStopped } from '../log/stop.ts';
import { isStopped } from '../log/stop-store.ts';
import type { MessageLeafRow } from './evidence-store.ts';

export interface CountDeps {
  /** This process's own log, keyed by its own secret. */
  readonly log: LogSigner;
  /** Other logs of this installation. Absent: not counted. */
  readonly logOf?: (logId: string) => Promise<LogSigner>;
}

export interface OutcomesCount {
  readonly count: number;
  readonly asOf: Date;
  readonly note: string;
}

/** A message's leaves, read after the clock. */
export interface Counting {
  readonly now: Date;
  readonly logId: string;
  readonly canonicalHash: Uint8Array;
  readonly leaves: readonly MessageLeafRow[];
  readonly ownStampAt: Date | undefined;
  /** `logEnd` null: the log has not ended. */
  readonly key: VerifierKey;
  readonly logEnd: string | null;
}

/** `secondKeys`: the ML-DSA-44 keys of the log and its successor. */
export interface LogKeys extends Pick<Counting, 'key' | 'logEnd'> {
  readonly secondKeys: readonly PinnedKey[];
}

/** Undefined: no key may sign, because the log and its successor have ended. */
export async function countOutcomes(deps: CountDeps, counting: Counting): Promise<OutcomesCount | undefined> {
  const signer = await signerOf(deps, counting);
  if (signer === undefined) return undefined;
  const outcomes = placedOutcomes(counting.leaves);
  const asOf = timeOfCount(counting);
  const hashes = outcomes.map(({ canonicalHash }) => canonicalHash);
  const seconds = asOf.getTime() / 1000;
  const entries: [Uint8Array, ...Uint8Array[]] = [counting.canonicalHash, ...hashes];
  const note = signed(signer, counting.key.name, entries, seconds);
  return { count: outcomes.length, asOf, note };
}

/** For logs with two keys: the same note is served for an hour, which spares 10 ms each time. */
const notes = new Map<string, string>();
/** Some 4 kB each; cleared when full. */
const NOTES_MAX = 1_000;

function signed(
  { signer, second }: LogSigner,
  log: string,
  entries: readonly [Uint8Array, ...Uint8Array[]],
  seconds: number,
): string {
  const once = () => signOutcomes(log, entries, seconds, signer, sha256);
  if (second === null) return once();
  const of = [toHex(second.key.keyId), log, seconds, ...entries.map((entry) => toHex(entry))].join(' ');
  const known = notes.get(of);
  if (known !== undefined) return known;
  const note = addMldsa44(once(), seconds, second.signer, sha256);
  if (notes.size >= NOTES_MAX) notes.clear();
  notes.set(of, note);
  return note;
}

const HOUR_MS = 3_600_000;

/** Rounded down to the hour, so that repeated reads agree. */
export function fullHour(now: Date): Date {
  return new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS);
}

/** The latest of that hour and the times of leaves and seals. */
function timeOfCount({ now, leaves, ownStampAt }: Counting): Date {
  const known = leaves.flatMap(({ publishedAt, sealedAt }) => [publishedAt, sealedAt]);
  const times = [fullHour(now), ownStampAt, ...known].flatMap((time) => time?.getTime() ?? []);
  return new Date(Math.floor(Math.max(...times) / 1000) * 1000);
}

/** Outcomes up to the first unpublished one: each names its predecessor. */
export function placedOutcomes(leaves: readonly MessageLeafRow[]): MessageLeafRow[] {
  const outcomes = leaves.filter(({ kind }) => kind === 'delivery').slice(0, MAX_DELIVERIES);
  const waiting = outcomes.findIndex(({ leafIndex, note }) => leafIndex === null || note === null);
  return waiting < 0 ? outcomes : outcomes.slice(0, waiting);
}

async function signerOf(
  { log, logOf }: CountDeps,
  { logId, key, logEnd }: Counting,
): Promise<LogSigner | undefined> {
  if (logEnd !== null) {
    const { successor } = openLogEnd(logEnd, { name: key.name }, sha256);
    return formatVerifierKey(successor) === log.vkey ? log : undefined;
  }
  return logId === log.logId ? log : logOf?.(logId);
}

/** The key and signed end of a log. Throws unavailable if the signing log was stopped. */
export async function readLogKey(q: Queryable, log: LogSigner, logId: string): Promise<LogKeys> {
  const row = await findLogKey(q, logId);
  if (row?.isStopped || (row?.endNote && (await isStopped(q, log.logId)))) throw countStopped();
  // The own log's key comes from the own secret, not from tables.
  const own = log.second === null ? [] : [log.second.key];
  if (logId === log.logId) return { key: log.key, logEnd: null, secondKeys: own };
  if (row === undefined) throw new EvidenceError('checkpoint', 'the log that the leaf is in is not stored');
  const second = pinnedSecondKey(row);
  return {
    key: verifierKey(row.origin, row.publicKey, sha256),
    logEnd: row.endNote,
    secondKeys: [...(second === null ? [] : [second]), ...(row.endNote === null ? [] : own)],
  };
}
