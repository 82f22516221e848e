import { issuePromise } from '@acuse/evidence/promise';
import { sha256 } from '../platform/sha256.ts';
import type { LogSigner } from './log-key.ts';

/** Within this time after acceptance the message is in the log (ms). */
export const PROMISE_TERM_MS = 24 * 60 * 60 * 1000;

/**
 * The signed promise for a canonical hash accepted at a time: the same bytes whenever it is asked for. Some 40 µs, all but a few
 * of them Ed25519; handing that to another thread costs this one as much again, to wake it.
 */
export type PromiseOf = (canonicalHash: Uint8Array, acceptedAt: Date) => string;

export function createPromises(log: LogSigner): PromiseOf {
  return (canonicalHash, acceptedAt) => {
    // Rounded up: the promise may not end before the term that the documentation gives.
    const deadline = Math.ceil((acceptedAt.getTime() + PROMISE_TERM_MS) / 1000);
    return issuePromise({ origin: log.origin, canonicalHash, deadline }, log.signer, sha256);
  };
}
