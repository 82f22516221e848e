/**
 * `outcomes.note`: a message and its outcomes are a small log, whose size the log states by a cosignature:
 * "at this time, the largest tree of this log that I know". C2SP tlog-cosignature
 */
import { equalBytes, type Sha256, toHex } from './bytes.ts';
import { type Checkpoint, checkpointText, parseCheckpointText } from './checkpoint.ts';
import { assertCosigned, cosign } from './cosignature.ts';
import { assertCosignedMldsa44 } from './cosignature-mldsa44.ts';
import { EvidenceError } from './errors.ts';
import { leafHash, rootOf } from './merkle.ts';
import type { VerifyMldsa44 } from './mldsa44.ts';
import { formatNote, type Note, type NoteSignature, parseNote, type Signer } from './note.ts';
import { COSIGNATURE_V1, type VerifierKey, verifierKey } from './verifier-key.ts';
import { isWithin, type Window } from './window.ts';

/** The name of a message's own log. `canonicalHash`: hex. */
export function outcomesOrigin(log: string, canonicalHash: string): string {
  return `${log}/m/${canonicalHash}`;
}

/** Over the canonical hashes of the message and of its outcomes, in their order. */
export function outcomesRoot(entries: readonly Uint8Array[], sha256: Sha256): Uint8Array {
  return rootOf(
    entries.map((entry) => leafHash(entry, sha256)),
    sha256,
  );
}

/** `log`: the one that the message is in; `signer`: that log, or its successor after its end. */
export function signOutcomes(
  log: string,
  entries: readonly [Uint8Array, ...Uint8Array[]],
  unixSeconds: number,
  signer: Signer,
  sha256: Sha256,
): string {
  const origin = outcomesOrigin(log, toHex(entries[0]));
  const text = checkpointText({ origin, size: entries.length, rootHash: outcomesRoot(entries, sha256) });
  return formatNote({ text, signatures: [cosign(text, unixSeconds, signer, sha256)] });
}

/** `count`: of outcomes. `asOf`: Unix seconds. */
export type OutcomesNote = { count: number; rootHash: Uint8Array; asOf: number };

/**
 * Throws EvidenceError `outcomes`, `note` or `cosignature` unless this ML-DSA-44 key signed the note, and for
 * the same time: another would lend its signature to what is said later.
 */
export function assertCountedMldsa44(
  note: Note,
  asOf: number,
  key: VerifierKey,
  verify: VerifyMldsa44,
): void {
  if (assertCosignedMldsa44(note, key, verify) !== asOf)
    throw new EvidenceError('outcomes', 'the signatures of outcomes.note are of two times');
}

/**
 * By the first of these keys that signed it and was trusted then; a key may stand twice, for two times. All
 * that is signed by one of them must verify. Throws EvidenceError `outcomes`, `note` or `cosignature`, also
 * for another message; keys of type 01, as they stand in a policy.
 */
export function openOutcomes(
  bytes: Uint8Array,
  origin: string,
  keys: readonly (VerifierKey & Window)[],
  sha256: Sha256,
  ed25519?: Parameters<typeof assertCosigned>[2],
): OutcomesNote & { key: VerifierKey; note: Note } {
  const note = parseNote(bytes);
  const stated: Checkpoint = parseCheckpointText(note.text);
  if (stated.origin !== origin) throw new EvidenceError('outcomes', 'outcomes.note is of another message');
  if (stated.extensions?.length !== 0)
    throw new EvidenceError('outcomes', 'outcomes.note has more than three lines');
  if (stated.size === 0) throw new EvidenceError('outcomes', 'outcomes.note does not count the message');
  const signed = keys.flatMap((key) => {
    const cosigner = verifierKey(key.name, key.publicKey, sha256, COSIGNATURE_V1);
    const isBy = ({ name, keyId }: NoteSignature) =>
      name === cosigner.name && equalBytes(keyId, cosigner.keyId);
    return note.signatures.some(isBy) ? [{ key, asOf: assertCosigned(note, cosigner, ed25519) }] : [];
  });
  if (signed.length === 0)
    throw new EvidenceError('outcomes', 'outcomes.note is not signed by a trusted key of the log');
  const trusted = signed.find(({ key, asOf }) => wasTrusted(key, asOf));
  if (trusted === undefined)
    throw new EvidenceError('outcomes', 'outcomes.note was signed when its key was not trusted');
  return { count: stated.size - 1, rootHash: stated.rootHash, ...trusted, note };
}

/** End of the year 9999, the format's last date: a signer may state any number of seconds. */
const LAST_SECOND = 253_402_300_799;

const wasTrusted = (window: Window, unixSeconds: number): boolean =>
  unixSeconds <= LAST_SECOND && isWithin(window, new Date(unixSeconds * 1000));
