import type { ExpectedTimeStamp, TimeStampPolicy } from '@acuse/evidence/timestamp/policy';

export interface Imprint {
  readonly imprint: Uint8Array;
  readonly hashAlgorithm: 'sha256' | 'sha512';
}

/** The answer as received (TimeStampResp or token, DER), and the request. */
export interface Stamp {
  readonly response: Uint8Array;
  readonly expected: ExpectedTimeStamp;
  /**
   * The document that came with the token, unread. Null: the manifest names one, and the answer has none that
   * is usable.
   */
  readonly issued?: Uint8Array | null;
}

/**
 * A time-stamping authority, not trusted: the caller verifies the answer against `policy`. Throws SealerError
 * without an answer.
 */
export interface Sealer {
  readonly name: string;
  readonly policy: TimeStampPolicy;
  /** Certificates (DER) missing in its tokens. */
  readonly intermediates: readonly Uint8Array[];
  /** In millionths of a cent. */
  readonly priceMicros: number;
  stamp(wanted: Imprint, signal: AbortSignal): Promise<Stamp>;
}

/** Why no token came, in a sentence for the operator. */
export class SealerError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'SealerError';
  }
}
