/** Checks that a leaf is in the log, with its witnesses. */
import { requireEntry } from './bundle.ts';
import { equalBytes, utf8 } from './bytes.ts';
import { type Checkpoint, openCheckpoint } from './checkpoint.ts';
import { assertCosigned } from './cosignature.ts';
import { assertCosignedMldsa44 } from './cosignature-mldsa44.ts';
import { EvidenceError } from './errors.ts';
import { assertInclusion, leafHash } from './merkle.ts';
import type { Note } from './note.ts';
import type { PinnedKey } from './policy.ts';
import { parseTlogProof, type TlogProof } from './tlog-proof.ts';
import type { VerifierKey } from './verifier-key.ts';
import { CLOCK_TOLERANCE_MS, DAY_MS, type Verifying } from './verify-context.ts';
import { requiredMldsa44 } from './verify-mldsa44.ts';
import { isWithin } from './window.ts';
import { countOperators } from './witness.ts';

/** The log's signed tree, and the leaf's proof in it. */
export type LoggedLeaf = { checkpoint: Checkpoint; note: Note; leafIndex: number };

/** Names of the checks that checkLeaf adds. */
export type LeafChecks = { checkpoint: string; inclusion: string };

/** A proof in a bundle, its log, and when the keys under its checkpoint must have been trusted. */
export type LeafProof = { bytes: Uint8Array; origin: string; at: Date | undefined };

/** Adds the two checks; the leaf is returned only if both hold. */
export function checkLeaf(
  context: Verifying,
  names: LeafChecks,
  { bytes, origin, at }: LeafProof,
  canonicalHash: Uint8Array,
): LoggedLeaf | undefined {
  const { list, policy, shown, sha256, ed25519 } = context;
  let proof: TlogProof | undefined;
  const opened = list.run(names.checkpoint, () => {
    proof = parseTlogProof(bytes);
    if (proof.extra !== undefined) throw new EvidenceError('proof', 'has extra data that nothing proves');
    const value = openCheckpoint(proof.checkpointNote, trustedAt(policy.logKeys, at), ed25519);
    if (value.checkpoint.origin !== origin) throw new EvidenceError('checkpoint', 'belongs to another log');
    const second = at === undefined ? [] : requiredMldsa44(context, origin, at);
    for (const key of second) assertCosignedMldsa44(value.note, key, context.mldsa44);
    const also = second.length === 0 ? '' : ', with ML-DSA-44 as well';
    return { value, detail: `signed by ${origin} for ${value.checkpoint.size} leaves${also}` };
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

/** The keys that were trusted then; undefined: all. */
function trustedAt(keys: readonly PinnedKey[], at: Date | undefined): readonly PinnedKey[] {
  return at === undefined ? keys : keys.filter((key) => isWithin(key, at));
}

/**
 * Adds `check`. How many operators of the pinned witnesses cosigned, at a time at which they can have seen
 * the message. `at`: as for a leaf.
 */
export function checkWitnesses(
  { list, policy, ed25519, cosigned, acceptedAt, now }: Verifying,
  check: string,
  note: Note,
  at: Date | undefined,
): number | undefined {
  return list.run(check, () => {
    const { witnessQuorum, witnessReached } = policy;
    const witnessKeys = trustedAt(policy.witnessKeys, at);
    const signed = witnessKeys
      .filter((witness) => hasSignature(note, witness))
      .map((witness) => ({ witness, seconds: assertCosigned(note, witness, ed25519) }));
    const counting = signed.filter(
      ({ seconds }) =>
        seconds > 0 &&
        seconds * 1000 >= acceptedAt.getTime() - CLOCK_TOLERANCE_MS &&
        seconds * 1000 <= now.getTime() + DAY_MS,
    );
    cosigned.push(...counting.map(({ seconds }) => seconds));
    const value = countOperators(counting.map(({ witness }) => witness));
    const impossible = signed.length - counting.length;
    const left = impossible === 0 ? '' : `, ${impossible} at a time at which they cannot have`;
    const counted = `${value} of ${countOperators(witnessKeys)} known witnesses cosigned${left}`;
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
