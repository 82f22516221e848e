/**
 * A commitment is SHA-256(salt ‖ SHA-256(content)): it binds to the content, and hides it while the salt is
 * secret, even if it could be guessed. An opening is the salt and the content's hash.
 */
import { concat, fromHex, putHex, SHA256_BYTES, type Sha256, toHex, utf8, type Writer } from './bytes.ts';
import { EvidenceError } from './errors.ts';

export const SALT_BYTES = 32;

/** Lower-case hex, 64 characters each. `sha256`: of the content. */
export type Opening = { salt: string; sha256: string };

const SALT_DOMAIN = 'acuse/salt/v1';
/** Cached hash inputs by label, with room for the secret: allocating them costs as much as hashing. */
const saltInputs = new Map<string, Uint8Array>();
const committed = new Uint8Array(SALT_BYTES + SHA256_BYTES);

export function commit(salt: Uint8Array, contentHash: Uint8Array, sha256: Sha256): Uint8Array {
  if (salt.length !== SALT_BYTES || contentHash.length !== SHA256_BYTES)
    return sha256(concat(salt, contentHash));
  committed.set(salt);
  committed.set(contentHash, SALT_BYTES);
  return sha256(committed);
}

/**
 * Derives a leaf's salts from one 32-byte secret; one salt reveals nothing of the others. The secret comes
 * last, which prevents length extension to another label.
 */
export function deriveSalt(secret: Uint8Array, label: string, sha256: Sha256): Uint8Array {
  if (secret.length !== SALT_BYTES)
    throw new EvidenceError('openings', `the secret is not ${SALT_BYTES} bytes`);
  const input = saltInput(label);
  input.set(secret, input.length - SALT_BYTES);
  const salt = sha256(input);
  input.fill(0, input.length - SALT_BYTES);
  return salt;
}

function saltInput(label: string): Uint8Array {
  const known = saltInputs.get(label);
  if (known !== undefined) return known;
  const made = concat(utf8(`${SALT_DOMAIN}\n${label}\n`), new Uint8Array(SALT_BYTES));
  saltInputs.set(label, made);
  return made;
}

/** Writes the commitment to what has this hash, under the secret's salt of this label, in hex: 64 bytes. */
export function putCommitment(
  writer: Writer,
  secret: Uint8Array,
  { label, hash }: { readonly label: string; readonly hash: Uint8Array },
  sha256: Sha256,
): void {
  putHex(writer, commit(deriveSalt(secret, label, sha256), hash, sha256));
}

/** Opens a commitment that was made with the secret's salt of this label. */
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
