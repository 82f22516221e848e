/**
 * The meaning of a revocation's reason for earlier stamps. RFC 5280 §5.3.1, and RFC 3161 §4: an authority
 * that ends in good order says so with reason 0, 3, 4 or 5; for any other reason, and for none, nobody knows
 * since when its key was in other hands.
 */
export type RevocationReason = {
  code: number;
  name: string;
  /** Was the certificate good until then? */
  goodBefore: boolean;
};

/** contract/vectors/revocation.json has this table for all verifiers. */
export const REVOCATION_REASONS: readonly RevocationReason[] = [
  { code: 0, name: 'unspecified', goodBefore: true },
  { code: 1, name: 'keyCompromise', goodBefore: false },
  { code: 2, name: 'cACompromise', goodBefore: false },
  { code: 3, name: 'affiliationChanged', goodBefore: true },
  { code: 4, name: 'superseded', goodBefore: true },
  { code: 5, name: 'cessationOfOperation', goodBefore: true },
  { code: 6, name: 'certificateHold', goodBefore: false },
  // Only in delta lists, which are not read here.
  { code: 8, name: 'removeFromCRL', goodBefore: false },
  { code: 9, name: 'privilegeWithdrawn', goodBefore: false },
  { code: 10, name: 'aACompromise', goodBefore: false },
];

/** `from`: the earlier of revocation and invalidity date. `reason`: null if absent or unknown. */
export type Revoked = { from: Date; reason: RevocationReason | null };

export const reasonByCode = (code: number): RevocationReason | null =>
  REVOCATION_REASONS.find((reason) => reason.code === code) ?? null;

export const earlier = (one: Date, other: Date | null): Date => (other !== null && other < one ? other : one);

/** Both hold: the earlier time, and no reason that either lacks. */
export function worseOf(one: Revoked, other: Revoked): Revoked {
  const reason = one.reason?.goodBefore === true ? other.reason : one.reason;
  return { from: earlier(one.from, other.from), reason };
}
