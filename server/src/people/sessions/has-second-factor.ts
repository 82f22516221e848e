/** What a person signs in with, as their row or their session says it. */
type Factors = { readonly hasPasskeys: boolean } & (
  | { readonly hasTotp: boolean }
  | { readonly totpSealed: Uint8Array | null }
);

/** Whether a password alone opens nothing: there is an authenticator app, or a passkey. */
export function hasSecondFactor(factors: Factors): boolean {
  return factors.hasPasskeys || ('hasTotp' in factors ? factors.hasTotp : factors.totpSealed !== null);
}
