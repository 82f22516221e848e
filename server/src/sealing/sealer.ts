import type { ExpectedTimeStamp, TimeStampPolicy } from '@acuse/evidence/timestamp/policy';

/** What an authority answered, exactly as received (a TimeStampResp or a bare token, DER), and what it was asked. */
export interface Stamp {
  readonly response: Uint8Array;
  readonly expected: ExpectedTimeStamp;
}

/**
 * A time-stamping authority. The answer is not believed: the caller verifies it whole against `policy` before it stores a byte.
 * `imprint`: SHA-256, 32 bytes. Throws SealerError when no answer came.
 */
export interface Sealer {
  readonly name: string;
  readonly policy: TimeStampPolicy;
  stamp(imprint: Uint8Array, signal: AbortSignal): Promise<Stamp>;
}

/** Why an authority gave nothing to verify, in a sentence that an operator can act on. */
export class SealerError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'SealerError';
  }
}
