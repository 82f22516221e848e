import { randomBytes } from 'node:crypto';
import { signCheckpoint } from '@acuse/evidence/checkpoint';
import { consistencyProof, emptyRoot, leafHash, type RangeHash, rangeHashOf } from '@acuse/evidence/merkle';
import type { Signer } from '@acuse/evidence/note';
import { verifierKey } from '@acuse/evidence/verifier-key';
import { formatAddCheckpoint } from '@acuse/evidence/witness';
import { formatWitnessKey, readWitnessKey } from '../../../src/evidence/witness/key.ts';
import { sha256 } from '../../../src/platform/sha256.ts';

/** A log in memory that can tell several histories: what a forking log would have to do. */
export interface TestLog {
  readonly signer: Signer;
  readonly key: ReturnType<typeof verifierKey>;
  /** A signed checkpoint of a history. */
  note(size: number, history?: string): string;
  /** The body that asks for a cosignature. */
  ask(oldSize: number, size: number, history?: string): string;
}

const LEAVES = 300;

export function testLog(origin: string): TestLog {
  // Any Ed25519 key will do; a witness's is at hand.
  const { signer } = readWitnessKey(formatWitnessKey(origin, randomBytes(32)));
  const histories = new Map<string, RangeHash>();
  const rangesOf = (history: string): RangeHash => {
    const known = histories.get(history);
    if (known !== undefined) return known;
    const leaves = Array.from({ length: LEAVES }, (_, n) => leafHash(Buffer.from(`${history} ${n}`), sha256));
    const made = rangeHashOf(leaves, sha256);
    histories.set(history, made);
    return made;
  };
  const note = (size: number, history = 'true') => {
    const rootHash = size === 0 ? emptyRoot(sha256) : rangesOf(history)(0, size);
    return signCheckpoint({ origin, size, rootHash }, signer, sha256);
  };
  return {
    signer,
    key: verifierKey(origin, signer.publicKey, sha256),
    note,
    ask: (oldSize, size, history = 'true') =>
      formatAddCheckpoint({
        oldSize,
        path: oldSize > size ? [] : consistencyProof(oldSize, size, rangesOf(history)),
        note: note(size, history),
      }),
  };
}
