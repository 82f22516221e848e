/** A verifier's pins for one time-stamping authority, and the answer of a verification. */

export type TimeStampProfile = 'rfc3161' | 'nom151';

/** SHA-2 only: a SHA-1 or MD5 imprint proves nothing in court. */
export type TimeStampHash = 'sha256' | 'sha384' | 'sha512';

/**
 * The pinned description of an authority (for a Mexican PSC, its manifest).
 * `roots`: PEM, the only trust anchors. OIDs are dotted decimal.
 */
export interface TimeStampPolicy {
  readonly profile: TimeStampProfile;
  readonly name: string;
  readonly roots: readonly string[];
  /** True for the embedded development authority: what it seals is not a NOM-151 constancia. */
  readonly development?: boolean;
  /**
   * Extended key usages a nom151 leaf may carry, all of them listed; ignored by rfc3161, which wants
   * timeStamping alone and critical.
   */
  readonly leafEku?: readonly string[];
  /** Acceptable TSTInfo.policy values; absent or empty: any under rfc3161, none under nom151. */
  readonly policies?: readonly string[];
  /** Imprint algorithms taken from this authority; absent: all of SHA-2. */
  readonly hashAlgorithms?: readonly string[];
  /** True when this authority echoes nonces; a request made with one then needs it back. */
  readonly nonce?: boolean;
  /**
   * Revocation data must show that every certificate below the root was good at the time of the stamp.
   * Absent: data is checked only where there is any.
   */
  readonly revocation?: 'required';
  /** Tokens of a genTime with `from` ≤ genTime < `until` are trusted; RFC 3339, absent: no bound. */
  readonly from?: string;
  readonly until?: string;
}

/** The caller's request for a stamp. `nonce`: unsigned big-endian; `policy`: dotted OID. */
export interface ExpectedTimeStamp {
  readonly imprint: Uint8Array;
  readonly hashAlgorithm: TimeStampHash;
  readonly nonce?: Uint8Array;
  readonly policy?: string;
}

export interface TimeStampCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** The statements of a fully verified token; never given for a token that failed a check. */
export interface TimeStampFacts {
  /** RFC 3339, UTC, milliseconds. */
  readonly genTime: string;
  /** TSTInfo.serialNumber, lower-case hex without leading zero bytes. */
  readonly serialNumber: string;
  readonly policyOid: string;
  /** The signing certificate's issuer and subject, RFC 4514 style. */
  readonly issuer: string;
  readonly subject: string;
  readonly hashAlgorithm: TimeStampHash;
  readonly imprintHex: string;
  /** Lower-case hex, or null when the token carries none. */
  readonly nonceHex: string | null;
  /** Accuracy in milliseconds, or null when the token states none. */
  readonly accuracyMs: number | null;
  readonly profile: TimeStampProfile;
  readonly development: boolean;
  /** The verified chain as DER, signer first, pinned root last. */
  readonly certificates: readonly Uint8Array[];
  /** The earliest notAfter in that chain, RFC 3339: renew before it. */
  readonly chainNotAfter: string;
}

export type TimeStampResult =
  | { readonly ok: true; readonly checks: readonly TimeStampCheck[]; readonly facts: TimeStampFacts }
  | { readonly ok: false; readonly checks: readonly TimeStampCheck[]; readonly facts: null };
