import type { Bundle } from './bundle.ts';
import type { Sha256 } from './bytes.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { Checklist } from './checks.ts';
import type { Digest } from './digests.ts';
import type { VerifyMldsa44 } from './mldsa44.ts';
import type { PinnedKey, TrustPolicy } from './policy.ts';
import type { TimeStampFacts } from './timestamp/policy.ts';
import type { RevocationBook } from './timestamp/revocation.ts';
import type { VerifyEd25519 } from './verifier-key.ts';

/** Clocks that differ by no more do not contradict each other (ms). */
export const CLOCK_TOLERANCE_MS = 5 * 60_000;
export const DAY_MS = 24 * 3_600_000;

/** The shared state of one verification: `list` and `stamps`, the time-stamps that held, by entry. */
export type Verifying = {
  list: Checklist;
  bundle: Bundle;
  policy: TrustPolicy;
  sha256: Sha256;
  digest: Digest | undefined;
  ed25519: VerifyEd25519;
  /** Each of these keys must have signed too if it was trusted at the time of the statement. */
  mldsa44Keys: readonly PinnedKey[];
  mldsa44: VerifyMldsa44;
  stamps: Map<string, TimeStampFacts>;
  revocation: RevocationBook;
  /** Harmless revocations after a stamp. */
  revokedLater: string[];
  /** Undefined: not asked. */
  at: Date | undefined;
  /** Logs' signed notes about their ends: of this log or of others. */
  ends: readonly string[];
  /** Checkpoints of the bundle that held, in the order in which they were opened. */
  shown: Checkpoint[];
  cosigned: number[];
  /** By the reader's clock. */
  now: Date;
  acceptedAt: Date;
};
