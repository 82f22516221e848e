/** A person's factors, from their row or session. */
type Factors = { readonly hasPasskeys: boolean } & (
  | { readonly hasTotp: boolean }
  | { readonly totpSealed: Uint8Array | null }
);

/** True with an authenticator app or a passkey: a password alone then opens nothing. */
export function hasSecondFactor(factors: Factors): boolean {
  return factors.hasPasskeys || ('hasTotp' in factors ? factors.hasTotp : factors.totpSealed !== null);
}
