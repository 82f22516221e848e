import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/**
 * Secrets at rest: AES-256-GCM under the master key, bound to their context (AAD), so that a secret cannot be
 * moved to another row.
 */
export interface SecretBox {
  /**
   * Seals `plain` for `context` (such as `dkim:<tenant id>:<key id>`): version ‖ nonce (12) ‖ tag (16) ‖
   * ciphertext.
   */
  seal(plain: Uint8Array, context: string): Buffer;
  /** Throws when key, context or bytes differ. */
  open(sealed: Uint8Array, context: string): Buffer;
}

/** Wrong master key, or damaged bytes. */
export class SealedSecretError extends Error {
  override readonly name = 'SealedSecretError';
}

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** `masterKeys`: 32 bytes each; the first seals, all of them open, so that a key can be rotated. */
export function createSecretBox(masterKeys: readonly Uint8Array[]): SecretBox {
  const current = masterKeys[0];
  if (current === undefined || masterKeys.some((key) => key.length !== KEY_BYTES))
    throw new RangeError(`master keys are ${KEY_BYTES} bytes`);
  return {
    seal(plain, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', current, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), body]);
    },
    open(sealed, context) {
      if (sealed[0] !== VERSION || sealed.length < 1 + NONCE_BYTES + TAG_BYTES)
        throw new SealedSecretError(`sealed secret for ${context} is malformed`);
      const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
      const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
      const body = sealed.subarray(1 + NONCE_BYTES + TAG_BYTES);
      for (const key of masterKeys) {
        try {
          const decipher = createDecipheriv('aes-256-gcm', key, nonce)
            .setAAD(Buffer.from(context))
            .setAuthTag(tag);
          return Buffer.concat([decipher.update(body), decipher.final()]);
        } catch {
          // Sealed under another key: try the next.
        }
      }
      throw new SealedSecretError(
        `no master key opens the secret for ${context}: was ACUSE_MASTER_KEY changed?`,
      );
    },
  };
}

export function createLazySecretBox(masterKeys: () => readonly Uint8Array[]): SecretBox {
  let box: SecretBox | undefined;
  const opened = () => (box ??= createSecretBox(masterKeys()));
  return {
    seal: (plain, context) => opened().seal(plain, context),
    open: (sealed, context) => opened().open(sealed, context),
  };
}

const OPENED_MAX = 1_000;

/** Caches opened secrets; callers must not modify them. */
export function keepOpened(box: SecretBox): SecretBox {
  const opened = new Map<string, Buffer>();
  return {
    seal: box.seal,
    open(sealed, context) {
      const key = `${Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length).toString('latin1')} ${context}`;
      const known = opened.get(key);
      if (known !== undefined) return known;
      const plain = box.open(sealed, context);
      if (opened.size >= OPENED_MAX) opened.delete(opened.keys().next().value!);
      opened.set(key, plain);
      return plain;
    },
  };
}
