/**
 * A witness's statement: it saw this checkpoint, consistent with those before, at this time. C2SP
 * tlog-cosignature, v1
 */
import { concat, type Sha256, utf8 } from './bytes.ts';
import { EvidenceError } from './errors.ts';
import { type Note, type NoteSignature, type Signer, signatureOf } from './note.ts';
import {
  COSIGNATURE_V1,
  ED25519_SIGNATURE_BYTES,
  shownName,
  type VerifierKey,
  type VerifyEd25519,
  verifierKey,
  verifyEd25519,
} from './verifier-key.ts';

const TIME_BYTES = 8;

/** `unixSeconds`: when the witness looked. */
export function cosign(
  checkpointText: string,
  unixSeconds: number,
  signer: Signer,
  sha256: Sha256,
): NoteSignature {
  const { name, keyId } = verifierKey(signer.name, signer.publicKey, sha256, COSIGNATURE_V1);
  const time = new Uint8Array(TIME_BYTES);
  new DataView(time.buffer).setBigUint64(0, BigInt(unixSeconds));
  return { name, keyId, signature: concat(time, signer.sign(cosignedMessage(checkpointText, unixSeconds))) };
}

/**
 * The time the witness states, in Unix seconds. Throws EvidenceError `cosignature` unless this witness
 * signed, once.
 */
export function assertCosigned(
  note: Note,
  witness: VerifierKey,
  ed25519: VerifyEd25519 = verifyEd25519,
): number {
  const { signature } = signatureOf(note, witness);
  if (witness.type !== COSIGNATURE_V1 || signature.length !== TIME_BYTES + ED25519_SIGNATURE_BYTES)
    throw new EvidenceError('cosignature', `${shownName(witness.name)} left no cosignature`);
  const time = new DataView(signature.buffer, signature.byteOffset).getBigUint64(0);
  const unixSeconds = Number(time);
  const signed = cosignedMessage(note.text, unixSeconds);
  if (
    !Number.isSafeInteger(unixSeconds) ||
    !ed25519(signature.subarray(TIME_BYTES), signed, witness.publicKey)
  )
    throw new EvidenceError('cosignature', `the cosignature of ${shownName(witness.name)} does not verify`);
  return unixSeconds;
}

function cosignedMessage(checkpointText: string, unixSeconds: number): Uint8Array {
  return utf8(`cosignature/v1\ntime ${unixSeconds}\n${checkpointText}`);
}
