/** `history.txt` proves that a bundle's trees are one log at different times. RFC 6962 §2.1.2 */
import { decodeUtf8, equalBytes, fromBase64, SHA256_BYTES, type Sha256, toBase64 } from './bytes.ts';
import type { Checkpoint } from './checkpoint.ts';
import { EvidenceError } from './errors.ts';
import { assertConsistency, MAX_PATH_HASHES } from './merkle.ts';

export type Tree = Pick<Checkpoint, 'size' | 'rootHash'>;

/** `path`: from the tree of `size` to that of `next`. */
export type HistoryStep = { size: number; next: number; path: readonly Uint8Array[] };

/** From each size to the next, ascending. */
export function historySizes(sizes: Iterable<number>): Pick<HistoryStep, 'size' | 'next'>[] {
  const ascending = [...new Set(sizes)].sort((a, b) => a - b);
  return ascending.slice(1).map((next, i) => ({ size: ascending[i]!, next }));
}

export function formatHistory(steps: readonly HistoryStep[]): string {
  return steps
    .map(({ size, next, path }) => `consistency ${size} ${next}\n${path.map(toBase64).join('\n')}\n\n`)
    .join('');
}

/** One tree of each size, ascending. Throws EvidenceError `history` for two trees of one size. */
export function distinctTrees(trees: readonly Tree[]): Tree[] {
  const bySize = new Map<number, Tree>();
  for (const tree of trees) {
    const other = bySize.get(tree.size);
    if (other !== undefined && !equalBytes(other.rootHash, tree.rootHash))
      throw new EvidenceError(
        'history',
        `the log signed two trees of ${tree.size} leaves: ${toBase64(other.rootHash)} and ${toBase64(tree.rootHash)}`,
      );
    bySize.set(tree.size, tree);
  }
  return [...bySize.values()].sort((a, b) => a.size - b.size);
}

/**
 * Throws EvidenceError `history` unless the text proves that each of these trees is the beginning of the
 * next, and contains nothing else. `trees`: of distinctTrees.
 */
export function assertHistory(bytes: Uint8Array, trees: readonly Tree[], sha256: Sha256): void {
  const steps = readHistory(bytes);
  if (steps.length !== trees.length - 1)
    throw new EvidenceError('history', `history.txt is not ${trees.length - 1} proofs of consistency`);
  for (const [i, { size, next, path }] of steps.entries()) {
    const [from, to] = [trees[i]!, trees[i + 1]!];
    if (size !== from.size || next !== to.size)
      throw new EvidenceError('history', `history.txt has no proof from ${from.size} leaves to ${to.size}`);
    assertGrown(from, to, path, sha256);
  }
}

/** The steps as they stand; none is verified. Throws EvidenceError `history` for another form. */
export function readHistory(bytes: Uint8Array): HistoryStep[] {
  const blocks = (decodeUtf8(bytes) ?? '').split('\n\n');
  if (blocks.pop() !== '') throw new EvidenceError('history', 'history.txt does not end in an empty line');
  return blocks.map((block) => {
    const [head = '', ...lines] = block.split('\n');
    const [, size, next] = /^consistency ([1-9]\d{0,15}) ([1-9]\d{0,15})$/.exec(head) ?? [];
    if (size === undefined || lines.length > MAX_PATH_HASHES + 1)
      throw new EvidenceError('history', 'a block of history.txt does not prove consistency');
    const path = lines.map((line) => {
      const hash = fromBase64(line);
      if (hash?.length !== SHA256_BYTES)
        throw new EvidenceError('history', 'a line of history.txt is not a hash');
      return hash;
    });
    return { size: Number(size), next: Number(next), path };
  });
}

function assertGrown(from: Tree, to: Tree, path: readonly Uint8Array[], sha256: Sha256): void {
  try {
    assertConsistency(
      { oldSize: from.size, oldRoot: from.rootHash, newSize: to.size, newRoot: to.rootHash, path },
      sha256,
    );
  } catch (cause) {
    if (!(cause instanceof EvidenceError)) throw cause;
    throw new EvidenceError(
      'history',
      `the tree of ${from.size} leaves is not shown to be the beginning of that of ${to.size}: ${cause.detail}`,
      { cause },
    );
  }
}
