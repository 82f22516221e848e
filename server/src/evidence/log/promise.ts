import { issuePromise, issuePromises } from '@acuse/evidence/promise';
import type { PromiseOf } from '../../messages/present.ts';
import { sha256 } from '../../platform/sha256.ts';
import type { LogSigner } from './log-key.ts';

/** Time until the message must be in the log (ms). */
const PROMISE_TERM_MS = 24 * 60 * 60 * 1000;

/** Promises for a group, with one signature: some 40 µs, and 4 µs each. A single message gets PromiseOf's. */
type PromisesOf = (accepted: readonly { canonicalHash: Uint8Array; acceptedAt: Date }[]) => readonly string[];

export function createPromises(log: LogSigner, isStopped: () => boolean = () => false): PromiseOf {
  return (canonicalHash, acceptedAt) => {
    if (isStopped()) return null;
    // Promised by an ended log.
    if (log.begunAt !== null && acceptedAt < log.begunAt) return null;
    const deadline = deadlineOf(acceptedAt.getTime());
    return issuePromise({ origin: log.origin, canonicalHash, deadline }, log.signer, sha256);
  };
}

export function createGroupPromises(log: LogSigner): PromisesOf {
  return (accepted) => {
    // The last one's term holds for all: no promise ends early.
    const last = accepted.reduce((latest, { acceptedAt }) => Math.max(latest, acceptedAt.getTime()), 0);
    return issuePromises(
      { origin: log.origin, deadline: deadlineOf(last) },
      accepted.map(({ canonicalHash }) => canonicalHash),
      log.signer,
      sha256,
    );
  };
}

/** Rounded up: not before the documented term. */
function deadlineOf(acceptedAt: number): number {
  return Math.ceil((acceptedAt + PROMISE_TERM_MS) / 1000);
}
