/**
 * A commitment is SHA-256(salt ‖ SHA-256(content)): it binds its maker to the content and, while the salt is
 * secret, tells nothing of it, however easily the content could be guessed. An opening is the salt and the
 * content's hash.
 */
import { concat, fromHex, SHA256_BYTES, type Sha256, toHex, utf8 } from './bytes.ts';
import { EvidenceError } from './errors.ts';

/** Bytes. */
export const SALT_BYTES = 32;

/** Lower-case hex, 64 characters each. `sha256`: of the content. */
export type Opening = { salt: string; sha256: string };

const SALT_DOMAIN = 'acuse/salt/v1';
/** What stands before the secret, by label; there are as many labels as a message has parts, and a few. */
const saltPrefixes = new Map<string, Uint8Array>();

/** 32 bytes. */
export function commit(salt: Uint8Array, contentHash: Uint8Array, sha256: Sha256): Uint8Array {
  return sha256(concat(salt, contentHash));
}

/**
 * One secret of 32 bytes makes the salts of all commitments of a leaf; to know one of them tells nothing of
 * the others. The secret stands last, so that no salt can be extended into another label's.
 */
export function deriveSalt(secret: Uint8Array, label: string, sha256: Sha256): Uint8Array {
  if (secret.length !== SALT_BYTES)
    throw new EvidenceError('openings', `the secret is not ${SALT_BYTES} bytes`);
  return sha256(concat(saltPrefix(label), secret));
}

function saltPrefix(label: string): Uint8Array {
  const known = saltPrefixes.get(label);
  if (known !== undefined) return known;
  const made = utf8(`${SALT_DOMAIN}\n${label}\n`);
  saltPrefixes.set(label, made);
  return made;
}

/** What opens a commitment that was made with the secret's salt of this label. */
export function openingOf(
  secret: Uint8Array,
  label: string,
  contentHash: Uint8Array,
  sha256: Sha256,
): Opening {
  return { salt: toHex(deriveSalt(secret, label, sha256)), sha256: toHex(contentHash) };
}

/** The commitment that this opening opens, in hex. */
export function commitmentOf(opening: Opening, sha256: Sha256): string {
  return toHex(commit(fromHex(opening.salt, SALT_BYTES)!, fromHex(opening.sha256, SHA256_BYTES)!, sha256));
}
