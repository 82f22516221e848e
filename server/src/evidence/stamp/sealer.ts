import type { ExpectedTimeStamp, TimeStampPolicy } from '@acuse/evidence/timestamp/policy';

/** What is to be stamped: 32 bytes of SHA-256 or 64 of SHA-512. */
export interface Imprint {
  readonly imprint: Uint8Array;
  readonly hashAlgorithm: 'sha256' | 'sha512';
}

/**
 * What an authority answered, exactly as received (a TimeStampResp or a bare token, DER), and what it was
 * asked.
 */
export interface Stamp {
  readonly response: Uint8Array;
  readonly expected: ExpectedTimeStamp;
}

/**
 * A time-stamping authority. The answer is not believed: the caller verifies it whole against `policy` before
 * it stores a byte. Throws SealerError when no answer came.
 */
export interface Sealer {
  readonly name: string;
  readonly policy: TimeStampPolicy;
  /** Certificates (DER) that its tokens leave out and a chain to a root needs. */
  readonly intermediates: readonly Uint8Array[];
  /** What one stamp costs, in millionths of a cent. */
  readonly priceMicros: number;
  stamp(wanted: Imprint, signal: AbortSignal): Promise<Stamp>;
}

/** Why an authority gave nothing to verify, in a sentence that an operator can act on. */
export class SealerError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'SealerError';
  }
}
