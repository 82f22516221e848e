/** Checkpoints: the log's size and root at one moment, as a signed note. C2SP tlog-checkpoint */
import { fromBase64, SHA256_BYTES, type Sha256, toBase64, utf8 } from './bytes.ts';
import { EvidenceError } from './errors.ts';
import { assertSignedByOne, formatNote, type Note, parseNote, type Signer, signNote } from './note.ts';
import type { VerifierKey, VerifyEd25519 } from './verifier-key.ts';

/** `rootHash`: 32 bytes. `extensions`: lines after the third, which our logs never write. */
export type Checkpoint = {
  origin: string;
  size: number;
  rootHash: Uint8Array;
  extensions?: readonly string[];
};

/** The note text: exactly these bytes are what a time-stamp over a checkpoint stamps. */
export function checkpointText({ origin, size, rootHash, extensions = [] }: Checkpoint): string {
  const text = `${[origin, String(size), toBase64(rootHash), ...extensions].join('\n')}\n`;
  parseCheckpointText(text);
  return text;
}

/** Throws EvidenceError `checkpoint`. Sizes over 2^53 - 1 are refused. */
export function parseCheckpointText(text: string): Checkpoint {
  const lines = text.split('\n');
  if (lines.pop() !== '' || lines.length < 3 || lines.includes(''))
    throw new EvidenceError('checkpoint', 'not three or more lines');
  const [origin, sizeText, rootText, ...extensions] = lines as [string, string, string, ...string[]];
  if (!/^(0|[1-9]\d{0,15})$/.test(sizeText) || !Number.isSafeInteger(Number(sizeText)))
    throw new EvidenceError('checkpoint', 'the tree size is not a number');
  const rootHash = fromBase64(rootText);
  if (rootHash?.length !== SHA256_BYTES)
    throw new EvidenceError('checkpoint', 'the root hash is not 32 bytes of base64');
  return { origin, size: Number(sizeText), rootHash, extensions };
}

/** The whole note, with the log's signature alone. */
export function signCheckpoint(checkpoint: Checkpoint, signer: Signer, sha256: Sha256): string {
  const text = checkpointText(checkpoint);
  return formatNote({ text, signatures: [signNote(text, signer, sha256)] });
}

/**
 * A checkpoint that one of these keys signed for its own log: the key's name is the origin.
 * Throws EvidenceError `note` or `checkpoint`.
 */
export function openCheckpoint(
  bytes: Uint8Array | string,
  keys: readonly VerifierKey[],
  ed25519?: VerifyEd25519,
): { checkpoint: Checkpoint; note: Note; key: VerifierKey } {
  const note = parseNote(typeof bytes === 'string' ? utf8(bytes) : bytes);
  const key = assertSignedByOne(note, keys, ed25519);
  const checkpoint = parseCheckpointText(note.text);
  if (key.name !== checkpoint.origin)
    throw new EvidenceError('checkpoint', 'signed with the key of another log');
  return { checkpoint, note, key };
}
