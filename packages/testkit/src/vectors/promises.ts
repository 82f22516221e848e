/** Promises: of one entry, of a group's, and forms that must be refused. */
import { concat, toBase64, toHex, utf8 } from '@acuse/evidence/bytes';
import { leafHash, nodeHash } from '@acuse/evidence/merkle';
import { formatNote, type Signer, signNote } from '@acuse/evidence/note';
import { issuePromise, issuePromises } from '@acuse/evidence/promise';
import { logSigner, ORIGIN, sha256, signerFor } from './authority.ts';

export interface PromiseCase {
  kind: 'promise';
  valid: boolean;
  why: string;
  note: string;
  says?: object;
}

const DEADLINE = 1772687167;
const LATER = String(DEADLINE + 1);
const terms = { origin: ORIGIN, deadline: DEADLINE };
const entryOf = (n: number) => sha256(utf8(`entry ${n}`));
const stranger = signerFor('stranger.example');

const kept = (why: string, note: string, entry: number): PromiseCase => {
  const says = { canonical_hash: toHex(entryOf(entry)), deadline: DEADLINE };
  return { kind: 'promise', valid: true, why, note, says };
};
const broken = (why: string, note: string): PromiseCase => ({ kind: 'promise', valid: false, why, note });
const signed = (text: string, signer: Signer = logSigner) =>
  formatNote({ text, signatures: [signNote(text, signer, sha256)] });

export function promiseCases(checkpointNote: string): PromiseCase[] {
  const note = issuePromise({ ...terms, canonicalHash: entryOf(7) }, logSigner, sha256);
  const text = note.slice(0, note.indexOf('\n\n') + 1);
  return [
    kept('as it is', note, 7),
    broken('another deadline under the signature', note.replace(String(DEADLINE), LATER)),
    broken('a checkpoint', checkpointNote),
    broken('signed by a stranger', signed(text, stranger)),
    broken('a line too many', signed(`${text}x\n`)),
    broken('another origin', signed(text.replace(ORIGIN, 'other.example/log'))),
    ...groupCases(note, checkpointNote),
  ];
}

/** A group of five: its last entry stands alone on two levels. */
function groupCases(single: string, checkpointNote: string): PromiseCase[] {
  const members = [7, 8, 9, 10, 11];
  const group = issuePromises(terms, members.map(entryOf), logSigner, sha256);
  const note = group[2]!;
  const split = note.indexOf('\n\n');
  const lines = note.slice(0, split).split('\n');
  const inner = note.slice(split + 2);
  const text = inner.slice(0, inner.indexOf('\n\n') + 1);
  const withHead = (...head: readonly (string | undefined)[]) => `${head.join('\n')}\n\n${inner}`;
  const withText = (changed: string, signer?: Signer) =>
    `${note.slice(0, split + 2)}${signed(changed, signer)}`;
  const entryLine = (n: number) => `entry ${toBase64(entryOf(n))}`;
  return [
    ...members.map((entry, at) => kept(`${at} of a group of five`, group[at]!, entry)),
    kept('first of a group of two', issuePromises(terms, [7, 8].map(entryOf), logSigner, sha256)[0]!, 7),
    broken('the entry of another in the group', note.replace(entryLine(9), entryLine(10))),
    broken('an entry that is not in the group', note.replace(entryLine(9), entryLine(12))),
    broken('another index', note.replace('index 2', 'index 3')),
    broken('an index outside the group', note.replace('index 2', 'index 5')),
    broken('an index with a zero before it', note.replace('index 2', 'index 02')),
    broken('an index with a sign', note.replace('index 2', 'index -2')),
    broken('no index', withHead(...lines.slice(0, 2), ...lines.slice(3))),
    broken('no entry', withHead(lines[0], ...lines.slice(2))),
    broken('index before entry', withHead(lines[0], lines[2], lines[1], ...lines.slice(3))),
    broken('an extra line', withHead(...lines.slice(0, 3), 'x', ...lines.slice(3))),
    broken('a hash too few', withHead(...lines.slice(0, -1))),
    broken('a hash too many', withHead(...lines, lines[3])),
    broken('hashes in another order', withHead(...lines.slice(0, 3), ...lines.slice(3).reverse())),
    broken('a hash of 31 bytes', withHead(...lines.slice(0, -1), toBase64(new Uint8Array(31)))),
    broken('another header', note.replace('promise/v2', 'promise/v3')),
    broken('a carriage return', note.replace('index 2\n', 'index 2\r\n')),
    broken('the group alone', inner),
    broken('another deadline under the signature of a group', note.replace(String(DEADLINE), LATER)),
    broken('another size under the signature of a group', note.replace('\n5\n', '\n6\n')),
    broken('a group of another origin', withText(text.replace(ORIGIN, 'other.example/log'))),
    broken('a group signed by a stranger', withText(text, stranger)),
    broken('a group with a line too many', withText(`${text}x\n`)),
    broken('a size with a zero before it', withText(text.replace('\n5\n', '\n05\n'))),
    broken('a deadline of zero', withText(text.replace(String(DEADLINE), '0'))),
    broken('the root of another group', withText(text.replace(/\n[^\n]*=\n/, `\n${toBase64(entryOf(1))}\n`))),
    broken('the promise of one entry in that of a group', `${note.slice(0, split + 2)}${single}`),
    broken('a checkpoint in the promise of a group', `${note.slice(0, split + 2)}${checkpointNote}`),
    broken('a promise of a group in another', `${note.slice(0, split + 2)}${note}`),
    ...forgedCases(),
  ];
}

/** Signed by the log itself, over trees that are not of promises. */
function forgedCases(): PromiseCase[] {
  const proofOf = (path: readonly Uint8Array[], size: number, root: Uint8Array) => {
    const head = ['acuse/promise/v2', `entry ${toBase64(entryOf(7))}`, 'index 0', ...path.map(toBase64)];
    const text = `acuse/promise-group/v1\n${ORIGIN}\n${size}\n${toBase64(root)}\n${DEADLINE}\n`;
    return `${head.join('\n')}\n\n${signed(text)}`;
  };
  const leaf = leafHash(concat(utf8('acuse/promise/v2\n'), entryOf(7)), sha256);
  const sibling = leafHash(concat(utf8('acuse/promise/v2\n'), entryOf(8)), sha256);
  const logLeaf = leafHash(entryOf(7), sha256);
  return [
    broken("a leaf of the log as the group's", proofOf([sibling], 2, nodeHash(logLeaf, sibling, sha256))),
    broken('an entry that was not hashed', proofOf([sibling], 2, nodeHash(entryOf(7), sibling, sha256))),
    broken('a group of one', proofOf([], 1, leaf)),
    broken('a group of none', proofOf([], 0, leaf)),
    broken(
      'a path of 17 hashes in a group that is too large',
      proofOf(Array<Uint8Array>(17).fill(sibling), 131_072, rootAbove(leaf, sibling, 17)),
    ),
  ];
}

function rootAbove(leaf: Uint8Array, sibling: Uint8Array, height: number): Uint8Array {
  let node = leaf;
  for (let at = 0; at < height; at++) node = nodeHash(node, sibling, sha256);
  return node;
}
