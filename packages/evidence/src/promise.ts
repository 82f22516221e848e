/**
 * The inclusion promise: a signed note that an entry will be in the log by a deadline. With a later
 * checkpoint that lacks the entry, it proves a broken promise. Groups: promise-group.ts.
 */
import { decodeUtf8, fromBase64, SHA256_BYTES, type Sha256, toBase64, utf8 } from './bytes.ts';
import { EvidenceError } from './errors.ts';
import { assertSignedByOne, formatNote, parseNote, type Signer, signNote } from './note.ts';
import {
  assertInGroup,
  GROUP_PROOF_HEADER,
  issueGroup,
  parseGroupProof,
  parseGroupText,
} from './promise-group.ts';
import { assertOwnPromise, type PromiseTerms, parseDeadline } from './promise-terms.ts';
import type { VerifierKey, VerifyEd25519 } from './verifier-key.ts';

/** Never a checkpoint's first line and never followed by a number, so neither text can pass for the other. */
const HEADER = 'acuse/promise/v1';

export type InclusionPromise = PromiseTerms & { canonicalHash: Uint8Array };

/** The same note each time for the same promise, for Ed25519 is deterministic: it need not be stored. */
export function issuePromise(promise: InclusionPromise, signer: Signer, sha256: Sha256): string {
  const { origin, canonicalHash, deadline } = promise;
  if (canonicalHash.length !== SHA256_BYTES) throw new EvidenceError('promise', 'the hash is not 32 bytes');
  assertOwnPromise(promise, signer);
  const text = `${HEADER}\n${origin}\n${toBase64(canonicalHash)}\n${deadline}\n`;
  return formatNote({ text, signatures: [signNote(text, signer, sha256)] });
}

/**
 * A promise for each of these entries, in order, with one signature for all; one alone is promised by itself.
 * The same each time for the same entries.
 */
export function issuePromises(
  { origin, deadline }: PromiseTerms,
  canonicalHashes: readonly Uint8Array[],
  signer: Signer,
  sha256: Sha256,
): string[] {
  const [first, second] = canonicalHashes;
  if (first === undefined) return [];
  if (second === undefined) return [issuePromise({ origin, deadline, canonicalHash: first }, signer, sha256)];
  return issueGroup({ origin, deadline, canonicalHashes }, signer, sha256);
}

/**
 * Opens a promise for one entry or for a group. Throws EvidenceError `note` or `promise` unless one of these
 * keys signed it for its own log.
 */
export function openPromise(
  given: Uint8Array | string,
  keys: readonly VerifierKey[],
  sha256: Sha256,
  ed25519?: VerifyEd25519,
): InclusionPromise {
  const text = typeof given === 'string' ? given : decodeUtf8(given);
  if (text?.startsWith(GROUP_PROOF_HEADER)) return openGroupPromise(text, keys, sha256, ed25519);
  const note = parseNote(typeof given === 'string' ? utf8(given) : given);
  const key = assertSignedByOne(note, keys, ed25519);
  return assertOfLog(parsePromiseText(note.text), key);
}

function openGroupPromise(
  text: string,
  keys: readonly VerifierKey[],
  sha256: Sha256,
  ed25519: VerifyEd25519 | undefined,
): InclusionPromise {
  const proof = parseGroupProof(text);
  const note = parseNote(utf8(proof.note));
  const key = assertSignedByOne(note, keys, ed25519);
  const group = assertOfLog(parseGroupText(note.text), key);
  assertInGroup(proof, group, sha256);
  return { origin: group.origin, canonicalHash: proof.canonicalHash, deadline: group.deadline };
}

function assertOfLog<T extends { origin: string }>(promise: T, key: VerifierKey): T {
  if (key.name !== promise.origin) throw new EvidenceError('promise', 'signed with the key of another log');
  return promise;
}

function parsePromiseText(text: string): InclusionPromise {
  const [header, origin, hash, deadline, end, ...rest] = text.split('\n');
  const canonicalHash = fromBase64(hash ?? '');
  if (header !== HEADER || end !== '' || rest.length > 0 || !origin)
    throw new EvidenceError('promise', 'not a promise');
  if (canonicalHash?.length !== SHA256_BYTES) throw new EvidenceError('promise', 'the hash is not 32 bytes');
  return { origin, canonicalHash, deadline: parseDeadline(deadline) };
}
