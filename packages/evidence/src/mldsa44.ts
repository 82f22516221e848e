/** ML-DSA-44: signatures that a quantum computer does not forge. FIPS 204, by @noble/post-quantum */

export const MLDSA44_SIGNATURE_BYTES = 2420;
/** The stored form of a key. FIPS 204 */
export const MLDSA44_SEED_BYTES = 32;

/** True if this key signed the message, with an empty context. */
export type VerifyMldsa44 = (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) => boolean;

/** `sign`: deterministic, so that what is signed again is the same. */
export type Mldsa44Key = { publicKey: Uint8Array; sign: (message: Uint8Array) => Uint8Array };

export type Mldsa44 = { verify: VerifyMldsa44; keyOf: (seed: Uint8Array) => Mldsa44Key };

/** Loaded by who needs it alone: most logs have no such key, and a browser is spared its bytes. */
export async function loadMldsa44(): Promise<Mldsa44> {
  const { code } = await import('./mldsa44-code.ts');
  return {
    verify(signature, message, publicKey) {
      if (signature.length !== MLDSA44_SIGNATURE_BYTES) return false;
      try {
        return code.verify(signature, message, publicKey);
      } catch {
        return false;
      }
    },
    keyOf(seed) {
      const { publicKey, secretKey } = code.keygen(seed);
      return { publicKey, sign: (message) => code.sign(message, secretKey, { extraEntropy: false }) };
    },
  };
}
