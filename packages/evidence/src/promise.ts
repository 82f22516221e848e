/**
 * The inclusion promise: the log's word, in a signed note, that an entry will be in it by a deadline. A
 * promise and a later checkpoint without the entry prove that the log broke its word.
 */
import { fromBase64, SHA256_BYTES, type Sha256, toBase64, utf8 } from './bytes.ts';
import { EvidenceError } from './errors.ts';
import { assertSignedByOne, formatNote, parseNote, type Signer, signNote } from './note.ts';
import type { VerifierKey } from './verifier-key.ts';

/** Never a checkpoint's first line and never followed by a number, so neither text can pass for the other. */
const HEADER = 'acuse/promise/v1';

/** As many digits as a deadline may have: Unix seconds far beyond the year 9999. */
const MAX_DEADLINE = 999_999_999_999;

/** `deadline`: Unix seconds. */
export type InclusionPromise = { origin: string; canonicalHash: Uint8Array; deadline: number };

/** The same note each time for the same promise, for Ed25519 is deterministic: it need not be stored. */
export function issuePromise(promise: InclusionPromise, signer: Signer, sha256: Sha256): string {
  const text = promiseText(promise, signer);
  return formatNote({ text, signatures: [signNote(text, signer, sha256)] });
}

/** The text of a promise, for who signs many elsewhere: see bytesToSign and signatureBy. */
export function promiseText(
  { origin, canonicalHash, deadline }: InclusionPromise,
  signer: Pick<Signer, 'name'>,
): string {
  if (canonicalHash.length !== SHA256_BYTES) throw new EvidenceError('promise', 'the hash is not 32 bytes');
  if (!Number.isSafeInteger(deadline) || deadline < 1 || deadline > MAX_DEADLINE)
    throw new EvidenceError('promise', 'the deadline is not a time');
  // What is no key name the signer refuses; this one therefore stands in one line.
  if (signer.name !== origin) throw new EvidenceError('promise', 'only the log itself can promise');
  return `${HEADER}\n${origin}\n${toBase64(canonicalHash)}\n${deadline}\n`;
}

/** Throws EvidenceError `note` or `promise` unless one of these keys signed it for its own log. */
export function openPromise(bytes: Uint8Array | string, keys: readonly VerifierKey[]): InclusionPromise {
  const note = parseNote(typeof bytes === 'string' ? utf8(bytes) : bytes);
  const key = assertSignedByOne(note, keys);
  const promise = parsePromiseText(note.text);
  if (key.name !== promise.origin) throw new EvidenceError('promise', 'signed with the key of another log');
  return promise;
}

function parsePromiseText(text: string): InclusionPromise {
  const [header, origin, hash, deadline, end, ...rest] = text.split('\n');
  const canonicalHash = fromBase64(hash ?? '');
  if (header !== HEADER || end !== '' || rest.length > 0 || !origin)
    throw new EvidenceError('promise', 'not a promise');
  if (canonicalHash?.length !== SHA256_BYTES) throw new EvidenceError('promise', 'the hash is not 32 bytes');
  if (!/^[1-9]\d{0,11}$/.test(deadline ?? ''))
    throw new EvidenceError('promise', 'the deadline is not a time');
  return { origin, canonicalHash, deadline: Number(deadline) };
}
