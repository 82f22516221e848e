/** Common to single promises and groups. */
import { EvidenceError } from './errors.ts';
import type { Signer } from './note.ts';

/** As many digits as a deadline may have: Unix seconds far beyond the year 9999. */
const MAX_DEADLINE = 999_999_999_999;

export type PromiseTerms = { origin: string; deadline: number };

/** Throws EvidenceError `promise` for what this signer cannot promise. */
export function assertOwnPromise({ origin, deadline }: PromiseTerms, signer: Pick<Signer, 'name'>): void {
  if (!Number.isSafeInteger(deadline) || deadline < 1 || deadline > MAX_DEADLINE)
    throw new EvidenceError('promise', 'the deadline is not a time');
  // The signer refuses what is no key name, so this one has one line.
  if (signer.name !== origin) throw new EvidenceError('promise', 'only the log itself can promise');
}

export function parseDeadline(line: string | undefined): number {
  if (!/^[1-9]\d{0,11}$/.test(line ?? '')) throw new EvidenceError('promise', 'the deadline is not a time');
  return Number(line);
}
