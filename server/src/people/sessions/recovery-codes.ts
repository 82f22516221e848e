import { hash } from 'node:crypto';
import { randomSecret } from '../../platform/random.ts';

/**
 * Codes for somebody who has lost the second factor, each valid once: 80 random bits as
 * `xxxx-xxxx-xxxx-xxxx`. Only their SHA-256 is stored.
 */
const RECOVERY_CODES = 10;

const CODE_CHARS = 16;
const GROUP_CHARS = 4;
/** Crockford's base 32: without i, l, o and u. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const SHAPE = new RegExp(`^[${ALPHABET}]{${CODE_CHARS}}$`);
/** Spaces and hyphens are for the eye. */
const TYPED_MAX_CHARS = 40;

export interface RecoveryCode {
  readonly code: string;
  readonly sha256: Buffer;
}

export function newRecoveryCodes(): RecoveryCode[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const bare = Array.from(randomSecret(CODE_CHARS), (byte) => ALPHABET[byte & 31]).join('');
    return { code: grouped(bare), sha256: hash('sha256', bare, 'buffer') };
  });
}

/** The key of a code as people type it: upper case, without hyphens, o for 0. Null: not a code. */
export function recoveryCodeSha256(typed: string): Buffer | null {
  if (typed.length > TYPED_MAX_CHARS) return null;
  const bare = typed.toLowerCase().replace(/[\s-]/g, '').replaceAll('o', '0').replace(/[il]/g, '1');
  return SHAPE.test(bare) ? hash('sha256', bare, 'buffer') : null;
}

function grouped(bare: string): string {
  const groups: string[] = [];
  for (let at = 0; at < bare.length; at += GROUP_CHARS) groups.push(bare.slice(at, at + GROUP_CHARS));
  return groups.join('-');
}
