/**
 * A log's ML-DSA-44 signature besides the one of Ed25519: the largest tree that it knew at a time. C2SP
 * tlog-cosignature
 */
import { concat, equalBytes, type Sha256, utf8 } from './bytes.ts';
import { parseCheckpointText } from './checkpoint.ts';
import { EvidenceError } from './errors.ts';
import { MLDSA44_SIGNATURE_BYTES, type VerifyMldsa44 } from './mldsa44.ts';
import {
  formatSignatureLine,
  type Note,
  type NoteSignature,
  parseNote,
  type Signer,
  signatureOf,
} from './note.ts';
import { MLDSA44, shownName, type VerifierKey, verifierKey } from './verifier-key.ts';

const TIME_BYTES = 8;
/** Longest name in the signed text. */
const NAME_MAX_BYTES = 255;

/** `signer`: with an ML-DSA-44 key. Throws EvidenceError `cosignature` for more than three lines. */
export function cosignMldsa44(
  checkpointText: string,
  unixSeconds: number,
  signer: Signer,
  sha256: Sha256,
): NoteSignature {
  const { name, keyId } = verifierKey(signer.name, signer.publicKey, sha256, MLDSA44);
  const signature = signer.sign(subtreeMessage(checkpointText, unixSeconds, name));
  return { name, keyId, signature: concat(u64(unixSeconds), signature) };
}

/** The note with its second signature. */
export function addMldsa44(note: string, unixSeconds: number, signer: Signer, sha256: Sha256): string {
  const { text } = parseNote(utf8(note));
  return note + formatSignatureLine(cosignMldsa44(text, unixSeconds, signer, sha256));
}

/**
 * The time that the cosigner states, in Unix seconds. Throws EvidenceError `note` or `cosignature` unless
 * this ML-DSA-44 key signed the note, once.
 */
export function assertCosignedMldsa44(note: Note, key: VerifierKey, verify: VerifyMldsa44): number {
  const whose = `the ML-DSA-44 signature of ${shownName(key.name)}`;
  if (!hasLineOf(note, key)) throw new EvidenceError('cosignature', `${whose} is missing`);
  const { signature } = signatureOf(note, key);
  const wrong = new EvidenceError('cosignature', `${whose} does not verify`);
  if (key.type !== MLDSA44 || signature.length !== TIME_BYTES + MLDSA44_SIGNATURE_BYTES) throw wrong;
  const unixSeconds = Number(new DataView(signature.buffer, signature.byteOffset).getBigUint64(0));
  if (!Number.isSafeInteger(unixSeconds)) throw wrong;
  const signed = subtreeMessage(note.text, unixSeconds, key.name);
  if (!verify(signature.subarray(TIME_BYTES), signed, key.publicKey)) throw wrong;
  return unixSeconds;
}

/** Nothing is verified. */
export function hasLineOf({ signatures }: Note, key: VerifierKey): boolean {
  return signatures.some(({ name, keyId }) => name === key.name && equalBytes(keyId, key.keyId));
}

/** The whole tree. Extension lines are not covered, and so are refused. */
function subtreeMessage(checkpointText: string, unixSeconds: number, cosigner: string): Uint8Array {
  const { origin, size, rootHash, extensions } = parseCheckpointText(checkpointText);
  if (extensions?.length !== 0)
    throw new EvidenceError('cosignature', 'has extension lines, which ML-DSA-44 signatures do not cover');
  const header = concat(utf8('subtree/v1\n\0'), prefixed(cosigner), u64(unixSeconds), prefixed(origin));
  return concat(header, u64(0), u64(size), rootHash);
}

/** With its length in one byte. */
function prefixed(text: string): Uint8Array {
  const bytes = utf8(text);
  if (bytes.length === 0 || bytes.length > NAME_MAX_BYTES)
    throw new EvidenceError('cosignature', `a name is not 1 to ${NAME_MAX_BYTES} bytes`);
  return concat(Uint8Array.of(bytes.length), bytes);
}

function u64(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value));
  return bytes;
}
