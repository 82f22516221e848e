/** Signed notes: a text and signature lines under it. C2SP signed-note */
import {
  concat,
  decodeUtf8,
  equalBytes,
  fromBase64,
  isWellFormed,
  type Sha256,
  type Sign,
  toBase64,
  utf8,
} from './bytes.ts';
import { EvidenceError } from './errors.ts';
import {
  ED25519,
  isKeyName,
  KEY_ID_BYTES,
  shownName,
  type VerifierKey,
  type VerifyEd25519,
  verifierKey,
  verifyEd25519,
} from './verifier-key.ts';

/** Bytes; a checkpoint with 100 signatures has some 20 000. */
export const MAX_NOTE_BYTES = 256 * 1024;
/** As golang.org/x/mod/sumdb/note; the specification asks for 16 at least. */
export const MAX_NOTE_SIGNATURES = 100;

export type NoteSignature = { name: string; keyId: Uint8Array; signature: Uint8Array };

export type Note = { text: string; signatures: readonly NoteSignature[] };

/** The signer: name and public key make the key id. */
export type Signer = { name: string; publicKey: Uint8Array; sign: Sign };

const SIGNATURE_LINE = '\u2014 ';

/** Throws EvidenceError `note` for anything that the specification does not allow. Nothing is verified. */
export function parseNote(bytes: Uint8Array): Note {
  if (bytes.length > MAX_NOTE_BYTES) throw new EvidenceError('note', `larger than ${MAX_NOTE_BYTES} bytes`);
  const content = decodeUtf8(bytes);
  if (content === undefined) throw new EvidenceError('note', 'not UTF-8');
  if (/[\x00-\x09\x0b-\x1f]/.test(content)) throw new EvidenceError('note', 'has control characters');
  const split = content.lastIndexOf('\n\n');
  if (split < 0 || !content.endsWith('\n')) throw new EvidenceError('note', 'has no signatures');
  const lines = content.slice(split + 2).split('\n');
  lines.pop();
  if (lines.length === 0) throw new EvidenceError('note', 'has no signatures');
  if (lines.length > MAX_NOTE_SIGNATURES)
    throw new EvidenceError('note', `has more than ${MAX_NOTE_SIGNATURES} signatures`);
  return { text: content.slice(0, split + 1), signatures: lines.map(parseSignatureLine) };
}

function parseSignatureLine(line: string): NoteSignature {
  const [name = '', encoded = '', ...rest] = line.startsWith(SIGNATURE_LINE)
    ? line.slice(SIGNATURE_LINE.length).split(' ')
    : [];
  const material = fromBase64(encoded);
  if (rest.length > 0 || !isKeyName(name) || material === undefined || material.length <= KEY_ID_BYTES)
    throw new EvidenceError('note', 'a signature line is malformed');
  return { name, keyId: material.slice(0, KEY_ID_BYTES), signature: material.slice(KEY_ID_BYTES) };
}

export function formatNote(note: Note): string {
  return `${note.text}\n${note.signatures.map(formatSignatureLine).join('')}`;
}

/** With its newline, to be appended to a note. */
export function formatSignatureLine({ name, keyId, signature }: NoteSignature): string {
  return `${SIGNATURE_LINE}${name} ${toBase64(concat(keyId, signature))}\n`;
}

/** Throws EvidenceError `note` for a text that a note cannot carry. */
export function signNote(text: string, signer: Signer, sha256: Sha256): NoteSignature {
  return signatureBy(signer, signer.sign(bytesToSign(text)), sha256);
}

/**
 * The signed bytes of a text, for a signer elsewhere. Throws EvidenceError `note` for a text that a note
 * cannot carry.
 */
export function bytesToSign(text: string): Uint8Array {
  if (!text.endsWith('\n') || !isWellFormed(text) || /[\x00-\x09\x0b-\x1f]/.test(text))
    throw new EvidenceError('note', 'the text cannot be signed');
  return utf8(text);
}

/** A signature of this signer's, as a note carries it. */
export function signatureBy(
  signer: Omit<Signer, 'sign'>,
  signature: Uint8Array,
  sha256: Sha256,
): NoteSignature {
  return { name: signer.name, keyId: keyIdOf(signer, sha256), signature };
}

/** A log signs a promise for each message: its key id is made once. */
const keyIds = new WeakMap<Omit<Signer, 'sign'>, Uint8Array>();

function keyIdOf(signer: Omit<Signer, 'sign'>, sha256: Sha256): Uint8Array {
  const known = keyIds.get(signer);
  if (known !== undefined) return known;
  const { keyId } = verifierKey(signer.name, signer.publicKey, sha256);
  keyIds.set(signer, keyId);
  return keyId;
}

/**
 * Throws EvidenceError `note` for none or two; the signature is not verified. Other keys' signatures are
 * ignored, as the specification demands.
 */
export function signatureOf(note: Note, key: VerifierKey): NoteSignature {
  const found = note.signatures.filter(
    ({ name, keyId }) => name === key.name && equalBytes(keyId, key.keyId),
  );
  if (found.length === 0) throw new EvidenceError('note', `not signed by ${shownName(key.name)}`);
  if (found.length > 1) throw new EvidenceError('note', `signed twice by ${shownName(key.name)}`);
  return found[0]!;
}

/** Throws EvidenceError `note` unless this Ed25519 key signed the text, once. */
export function assertSigned(note: Note, key: VerifierKey, ed25519: VerifyEd25519 = verifyEd25519): void {
  const { signature } = signatureOf(note, key);
  if (key.type !== ED25519 || !ed25519(signature, utf8(note.text), key.publicKey))
    throw new EvidenceError('note', `the signature of ${shownName(key.name)} does not verify`);
}

/** The first of the keys that signed. Throws EvidenceError `note` if none did, or if one signed falsely. */
export function assertSignedByOne(
  note: Note,
  keys: readonly VerifierKey[],
  ed25519?: VerifyEd25519,
): VerifierKey {
  const known = keys.filter((key) =>
    note.signatures.some(({ name, keyId }) => name === key.name && equalBytes(keyId, key.keyId)),
  );
  if (known.length === 0) throw new EvidenceError('note', 'not signed by a known key');
  for (const key of known) assertSigned(note, key, ed25519);
  return known[0]!;
}
