import { issuePromise, issuePromises } from '@acuse/evidence/promise';
import { sha256 } from '../../platform/sha256.ts';
import type { LogSigner } from './log-key.ts';

/** Within this time after acceptance the message is in the log (ms). */
export const PROMISE_TERM_MS = 24 * 60 * 60 * 1000;

/**
 * The signed promise for a canonical hash accepted at a time: the same bytes whenever it is asked for. Some
 * 40 µs. Null: it was promised by a log that has ended, or by one that signs nothing more.
 */
export type PromiseOf = (canonicalHash: Uint8Array, acceptedAt: Date) => string | null;

/**
 * Promises for what is accepted together, in order, with one signature: some 40 µs, and 4 µs for each. What
 * is alone gets the promise of PromiseOf.
 */
export type PromisesOf = (
  accepted: readonly { canonicalHash: Uint8Array; acceptedAt: Date }[],
) => readonly string[];

export function createPromises(log: LogSigner, isStopped: () => boolean = () => false): PromiseOf {
  return (canonicalHash, acceptedAt) => {
    if (isStopped()) return null;
    // Promised by a log that has ended: this one cannot keep it.
    if (log.begunAt !== null && acceptedAt < log.begunAt) return null;
    const deadline = deadlineOf(acceptedAt.getTime());
    return issuePromise({ origin: log.origin, canonicalHash, deadline }, log.signer, sha256);
  };
}

export function createGroupPromises(log: LogSigner): PromisesOf {
  return (accepted) => {
    // The term of the last is the group's: nobody's ends before its own.
    const last = accepted.reduce((latest, { acceptedAt }) => Math.max(latest, acceptedAt.getTime()), 0);
    return issuePromises(
      { origin: log.origin, deadline: deadlineOf(last) },
      accepted.map(({ canonicalHash }) => canonicalHash),
      log.signer,
      sha256,
    );
  };
}

/** Rounded up: the promise may not end before the term that the documentation gives. */
function deadlineOf(acceptedAt: number): number {
  return Math.ceil((acceptedAt + PROMISE_TERM_MS) / 1000);
}
