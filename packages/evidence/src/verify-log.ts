/** Is a leaf in the log, and did the log and its witnesses say so? */
import { requireEntry } from './bundle.ts';
import { equalBytes, utf8 } from './bytes.ts';
import { type Checkpoint, openCheckpoint } from './checkpoint.ts';
import { assertCosigned } from './cosignature.ts';
import { EvidenceError } from './errors.ts';
import { assertInclusion, leafHash } from './merkle.ts';
import type { Note } from './note.ts';
import { parseTlogProof, type TlogProof } from './tlog-proof.ts';
import type { VerifierKey } from './verifier-key.ts';
import type { Verifying } from './verify-context.ts';
import { countOperators } from './witness.ts';

/** What the log signed, and what it says of the leaf. */
export type LoggedLeaf = { checkpoint: Checkpoint; note: Note; leafIndex: number };

/** Names of the checks that checkLeaf adds. */
export type LeafChecks = { checkpoint: string; inclusion: string };

/** Adds the two checks; the leaf is returned only if both hold. `origin`: the log that the manifest names. */
export function checkLeaf(
  { list, policy, shown, sha256, ed25519 }: Verifying,
  names: LeafChecks,
  proofBytes: Uint8Array,
  origin: string,
  canonicalHash: Uint8Array,
): LoggedLeaf | undefined {
  let proof: TlogProof | undefined;
  const opened = list.run(names.checkpoint, () => {
    proof = parseTlogProof(proofBytes);
    if (proof.extra !== undefined) throw new EvidenceError('proof', 'has extra data that nothing proves');
    const value = openCheckpoint(proof.checkpointNote, policy.logKeys, ed25519);
    if (value.checkpoint.origin !== origin) throw new EvidenceError('checkpoint', 'belongs to another log');
    const { size } = value.checkpoint;
    return { value, detail: `signed by ${origin} for ${size} leaves` };
  });
  if (opened === undefined || proof === undefined) {
    list.skip(names.inclusion, names.checkpoint);
    return undefined;
  }
  const { index, path } = proof;
  const { checkpoint, note } = opened;
  shown.push(checkpoint);
  return list.run(names.inclusion, () => {
    const leaf = leafHash(canonicalHash, sha256);
    assertInclusion({ leaf, index, size: checkpoint.size, path, root: checkpoint.rootHash }, sha256);
    return {
      value: { checkpoint, note, leafIndex: index },
      detail: `is leaf ${index} of ${checkpoint.size}`,
    };
  });
}

/** Adds `check`. How many operators of the pinned witnesses cosigned. */
export function checkWitnesses(
  { list, policy, ed25519 }: Verifying,
  check: string,
  note: Note,
): number | undefined {
  return list.run(check, () => {
    const { witnessKeys, witnessQuorum, witnessReached } = policy;
    const signed = witnessKeys.filter((witness) => hasSignature(note, witness));
    for (const witness of signed) assertCosigned(note, witness, ed25519);
    const value = countOperators(signed);
    const counted = `${value} of ${countOperators(witnessKeys)} known witnesses cosigned`;
    const needed = witnessReached ?? witnessQuorum;
    if (value < needed) throw new EvidenceError('witness', `${counted}, ${needed} needed`);
    const detail =
      value < witnessQuorum
        ? `${counted}; the operator asks ${witnessQuorum}, and made this bundle before it had them`
        : `${counted}, ${witnessQuorum} needed`;
    return { value, detail };
  });
}

function hasSignature(note: Note, key: VerifierKey): boolean {
  return note.signatures.some(({ name, keyId }) => name === key.name && equalBytes(keyId, key.keyId));
}

/** Adds `stamped_checkpoint`: the file that the time-stamp covers is the text that the log signed. */
export function checkStampedText({ list, bundle }: Verifying, note: Note): Uint8Array | undefined {
  return list.run('stamped_checkpoint', () => {
    const value = requireEntry(bundle, 'checkpoint.txt', 'stamped_checkpoint');
    if (!equalBytes(value, utf8(note.text)))
      throw new EvidenceError('stamped_checkpoint', 'checkpoint.txt is not the text that the log signed');
    return { value, detail: 'checkpoint.txt is the text that the log signed' };
  });
}
