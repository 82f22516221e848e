/**
 * Promises for entries accepted together: leaves of a small Merkle tree (RFC 6962 §2.1) with one signature,
 * each with its own path.
 */
import { concat, fromBase64, SHA256_BYTES, type Sha256, toBase64, utf8 } from './bytes.ts';
import { EvidenceError } from './errors.ts';
import { assertInclusion, leafHash, nodeHash } from './merkle.ts';
import { formatNote, type Signer, signNote } from './note.ts';
import { assertOwnPromise, type PromiseTerms, parseDeadline } from './promise-terms.ts';

const PROOF_HEADER = 'acuse/promise/v2';
/** With its end of line: what a promise of a group begins with. */
export const GROUP_PROOF_HEADER = `${PROOF_HEADER}\n`;
/** Differs from a checkpoint's first line and from that of a promise for one entry. */
const GROUP_HEADER = 'acuse/promise-group/v1';
/** Leaves of a log are 32 bytes long, these 49: no part of one tree can pass for a part of the other. */
const LEAF_PREFIX = utf8(GROUP_PROOF_HEADER);

/** Entries in a group; a path has at most 16 hashes. */
export const MAX_PROMISE_GROUP = 65_536;
const MAX_PATH = 16;

export type PromiseGroup = PromiseTerms & { size: number; root: Uint8Array };

export type GroupProof = {
  canonicalHash: Uint8Array;
  index: number;
  path: readonly Uint8Array[];
  /** The signed note of the group. */
  note: string;
};

/**
 * A promise for each of these entries, two or more, in order, with one signature for all.
 */
export function issueGroup(
  { origin, deadline, canonicalHashes }: PromiseTerms & { canonicalHashes: readonly Uint8Array[] },
  signer: Signer,
  sha256: Sha256,
): string[] {
  const size = canonicalHashes.length;
  assertSize(size);
  assertOwnPromise({ origin, deadline }, signer);
  const levels = levelsOf(
    canonicalHashes.map((hash) => promiseLeaf(hash, sha256)),
    sha256,
  );
  const root = levels.at(-1)![0]!;
  const text = `${GROUP_HEADER}\n${origin}\n${size}\n${toBase64(root)}\n${deadline}\n`;
  const note = formatNote({ text, signatures: [signNote(text, signer, sha256)] });
  const paths = pathLines(levels);
  return canonicalHashes.map(
    (hash, index) => `${PROOF_HEADER}\nentry ${toBase64(hash)}\nindex ${index}\n${paths[index]}\n${note}`,
  );
}

function promiseLeaf(canonicalHash: Uint8Array, sha256: Sha256): Uint8Array {
  if (canonicalHash.length !== SHA256_BYTES) throw new EvidenceError('promise', 'the hash is not 32 bytes');
  return leafHash(concat(LEAF_PREFIX, canonicalHash), sha256);
}

function assertSize(size: number): void {
  if (size < 2 || size > MAX_PROMISE_GROUP)
    throw new EvidenceError('promise', `a group has 2 to ${MAX_PROMISE_GROUP} entries`);
}

/** The leaves, the nodes over them, and so on to the root; a node without a sibling rises unchanged. */
function levelsOf(leaves: readonly Uint8Array[], sha256: Sha256): (readonly Uint8Array[])[] {
  const levels = [leaves];
  for (let level = leaves; level.length > 1; levels.push(level)) {
    const above: Uint8Array[] = [];
    for (let at = 0; at + 1 < level.length; at += 2) above.push(nodeHash(level[at]!, level[at + 1]!, sha256));
    if (level.length % 2 === 1) above.push(level.at(-1)!);
    level = above;
  }
  return levels;
}

/** For each leaf, the hashes of its path, a line each. Shared hashes are written once. */
function pathLines(levels: readonly (readonly Uint8Array[])[]): readonly string[] {
  let above: readonly string[] = [''];
  for (let depth = levels.length - 2; depth >= 0; depth--) {
    const level = levels[depth]!;
    const lines = level.map((hash) => `${toBase64(hash)}\n`);
    const next = above;
    above = level.map((_, at) => (lines[at ^ 1] ?? '') + next[at >> 1]!);
  }
  return above;
}

/** Throws EvidenceError `promise` for another form; nothing is verified. */
export function parseGroupProof(text: string): GroupProof {
  const split = text.indexOf('\n\n');
  const [header, entry, index, ...path] = text.slice(0, split < 0 ? 0 : split).split('\n');
  if (header !== PROOF_HEADER || entry?.startsWith('entry ') !== true || path.length > MAX_PATH)
    throw new EvidenceError('promise', 'not a promise');
  const number = /^index (0|[1-9]\d{0,4})$/.exec(index ?? '')?.[1];
  if (number === undefined) throw new EvidenceError('promise', 'the index is not a number');
  return {
    canonicalHash: parseHash(entry.slice('entry '.length)),
    index: Number(number),
    path: path.map(parseHash),
    note: text.slice(split + 2),
  };
}

/** Throws EvidenceError `promise` for another form. */
export function parseGroupText(text: string): PromiseGroup {
  const [header, origin, size, root, deadline, end, ...rest] = text.split('\n');
  if (header !== GROUP_HEADER || end !== '' || rest.length > 0 || !origin)
    throw new EvidenceError('promise', 'not a promise');
  const entries = /^[1-9]\d{0,4}$/.test(size ?? '') ? Number(size) : 0;
  assertSize(entries);
  return { origin, size: entries, root: parseHash(root ?? ''), deadline: parseDeadline(deadline) };
}

/** Throws EvidenceError `inclusion` unless the entry is where it says in the group that was signed. */
export function assertInGroup(proof: GroupProof, { size, root }: PromiseGroup, sha256: Sha256): void {
  const leaf = promiseLeaf(proof.canonicalHash, sha256);
  assertInclusion({ leaf, index: proof.index, size, path: proof.path, root }, sha256);
}

function parseHash(line: string): Uint8Array {
  const hash = fromBase64(line);
  if (hash?.length !== SHA256_BYTES) throw new EvidenceError('promise', 'the hash is not 32 bytes');
  return hash;
}
