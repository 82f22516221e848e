import { bytesToSign, formatNote, signatureBy } from '@acuse/evidence/note';
import { type InclusionPromise, issuePromise, promiseText } from '@acuse/evidence/promise';
import { sha256 } from '../../platform/sha256.ts';
import { createSigningThread } from '../../platform/signing-thread.ts';
import type { LogSigner } from './log-key.ts';

/** Within this time after acceptance the message is in the log (ms). */
export const PROMISE_TERM_MS = 24 * 60 * 60 * 1000;

/**
 * The signed promise for a canonical hash accepted at a time: the same bytes whenever it is asked for. Some
 * 40 µs.
 */
export type PromiseOf = (canonicalHash: Uint8Array, acceptedAt: Date) => string;

/** The same for many at once, in order: signed in another thread. */
export type PromisesOf = (
  accepted: readonly { canonicalHash: Uint8Array; acceptedAt: Date }[],
) => Promise<string[]>;

export function createPromises(log: LogSigner): PromiseOf {
  return (canonicalHash, acceptedAt) =>
    issuePromise(promiseFor(log, canonicalHash, acceptedAt), log.signer, sha256);
}

/** `onThreadLost`: from then on the thread that asks signs. */
export function createManyPromises(log: LogSigner, onThreadLost: (error: Error) => void): PromisesOf {
  const thread = createSigningThread(log.privateKey, onThreadLost);
  return async (accepted) => {
    const texts = accepted.map(({ canonicalHash, acceptedAt }) =>
      promiseText(promiseFor(log, canonicalHash, acceptedAt), log.signer),
    );
    const signatures = await thread.signAll(texts.map(bytesToSign));
    return texts.map((text, at) =>
      formatNote({ text, signatures: [signatureBy(log.signer, signatures[at]!, sha256)] }),
    );
  };
}

function promiseFor({ origin }: LogSigner, canonicalHash: Uint8Array, acceptedAt: Date): InclusionPromise {
  // Rounded up: the promise may not end before the term that the documentation gives.
  const deadline = Math.ceil((acceptedAt.getTime() + PROMISE_TERM_MS) / 1000);
  return { origin, canonicalHash, deadline };
}
