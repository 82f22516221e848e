/** The log's vectors: roots and proofs, tiles, notes of every kind, each with forms that must be refused. */
import { toBase64, toHex, utf8 } from '@acuse/evidence/bytes';
import { checkpointText, signCheckpoint } from '@acuse/evidence/checkpoint';
import { cosign } from '@acuse/evidence/cosignature';
import { consistencyProof, inclusionProof, leafHash, rangeHashOf } from '@acuse/evidence/merkle';
import {
  formatNote,
  formatSignatureLine,
  type NoteSignature,
  type Signer,
  signNote,
} from '@acuse/evidence/note';
import { appendLeaves, tilePath } from '@acuse/evidence/tiles';
import { formatTlogProof } from '@acuse/evidence/tlog-proof';
import { formatVerifierKey } from '@acuse/evidence/verifier-key';
import {
  logKey,
  logSigner,
  ORIGIN,
  SEALED_AT,
  sha256,
  signerFor,
  witnessKey,
  witnessSigner,
} from './authority.ts';
import { promiseCases } from './promises.ts';

/** Entries of the vectors' tree: SHA-256 of `entry <n>`. */
const LEAVES = 600;
const entryOf = (n: number) => sha256(utf8(`entry ${n}`));
const leafHashes = Array.from({ length: LEAVES }, (_, n) => leafHash(entryOf(n), sha256));
const ranges = rangeHashOf(leafHashes, sha256);
const hexes = (path: readonly Uint8Array[]) => path.map(toHex);
const rootHex = (size: number) => toHex(ranges(0, size));

interface ProofCase {
  valid: boolean;
  why: string;
  index: number;
  size: number;
  leaf_hash: string;
  root: string;
  path: string[];
}

/** merkle.json */
export function merkleVectors(): object {
  const sizes = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 255, 256, 257, LEAVES];
  return {
    entries: `SHA-256 of the text "entry <n>", n from 0`,
    leaf_hashes: leafHashes.slice(0, 9).map(toHex),
    roots: sizes.map((size) => ({ size, root: rootHex(size) })),
    inclusion: inclusionCases(),
    consistency: consistencyCases(),
  };
}

function inclusionCases(): ProofCase[] {
  const cases: ProofCase[] = [];
  const places: [number, number][] = [
    [0, 1],
    [0, 2],
    [1, 2],
    [2, 3],
    [4, 5],
    [5, 7],
    [6, 7],
    [0, 8],
    [99, 100],
    [255, 256],
    [256, 257],
    [311, LEAVES],
  ];
  for (const [index, size] of places) {
    const path = hexes(inclusionProof(index, size, ranges));
    const leaf = toHex(leafHashes[index]!);
    const sound: ProofCase = {
      valid: true,
      why: 'as it is',
      index,
      size,
      leaf_hash: leaf,
      root: rootHex(size),
      path,
    };
    cases.push(sound);
    const broken = (why: string, change: Partial<ProofCase>) =>
      cases.push({ ...sound, valid: false, why, ...change });
    broken('a hash too many', { path: [...path, path.at(-1) ?? leaf] });
    if (path.length > 0) broken('a hash too few', { path: path.slice(1) });
    if (path.length > 1) broken('in the wrong order', { path: [...path].reverse() });
    if (path[0] !== undefined) broken('one bit', { path: [flipHex(path[0]), ...path.slice(1)] });
    if (path[0] !== undefined) broken('a hash of 31 bytes', { path: [path[0].slice(2), ...path.slice(1)] });
    broken('another leaf', { leaf_hash: toHex(leafHashes[index + 1]!) });
    broken('the root of another size', { root: rootHex(size + 1) });
    broken('an index beyond the end', { index: size });
    if (index > 0) broken('the index of a neighbour', { index: index - 1 });
  }
  // Two levels up, a node is where a leaf would be in a tree of another size.
  const path = inclusionProof(0, 4, ranges);
  cases.push({
    valid: false,
    why: 'a node passed off as a leaf',
    index: 0,
    size: 4,
    leaf_hash: toHex(ranges(0, 2)),
    root: rootHex(4),
    path: hexes(path.slice(1)),
  });
  return cases;
}

function consistencyCases(): object[] {
  const cases: object[] = [];
  const pairs: [number, number][] = [
    [0, 5],
    [1, 1],
    [1, 2],
    [1, 8],
    [3, 7],
    [4, 8],
    [6, 8],
    [7, 8],
    [64, 256],
    [100, 255],
    [256, LEAVES],
    [300, LEAVES],
    [LEAVES, LEAVES],
  ];
  for (const [from, to] of pairs) {
    const path = hexes(consistencyProof(from, to, ranges));
    const sound = {
      valid: true,
      why: 'as it is',
      old_size: from,
      old_root: rootHex(from),
      new_size: to,
      new_root: rootHex(to),
      path,
    };
    cases.push(sound);
    const broken = (why: string, change: Partial<typeof sound>) =>
      cases.push({ ...sound, valid: false, why, ...change });
    broken('a hash too many', { path: [...path, rootHex(1)] });
    if (path.length > 0) broken('a hash too few', { path: path.slice(0, -1) });
    if (path[0] !== undefined) broken('one bit', { path: [flipHex(path[0]), ...path.slice(1)] });
    broken('another old root', { old_root: rootHex(from + 1) });
    if (from > 0) broken('another new root', { new_root: flipHex(rootHex(to)) });
    if (from < to)
      broken('backwards', { old_size: to, old_root: rootHex(to), new_size: from, new_root: rootHex(from) });
  }
  return cases;
}

const flipHex = (hex: string) => (hex.startsWith('0') ? '1' : '0') + hex.slice(1);

/** tiles.json: the tiles of a tree and their places. */
export function tileVectors(): object {
  const { tiles, rootHash } = appendLeaves(0, Buffer.concat(leafHashes), () => new Uint8Array(0), sha256);
  return {
    tree: { size: LEAVES, root: toHex(rootHash), entries: `SHA-256 of the text "entry <n>", n from 0` },
    tiles: tiles.map(({ level, index, width, hashes }) => ({
      path: tilePath(level, index, width),
      level,
      index,
      width,
      sha256: toHex(sha256(hashes)),
      ...(level > 0 && { hashes: toHex(hashes) }),
    })),
    paths: [
      [0, 0, 256],
      [0, 5, 1],
      [1, 1234067, 256],
      ['entries', 999, 255],
      ['entries', 1000, 256],
      [63, 0, 1],
    ].map(([level, index, width]) => ({
      level,
      index,
      width,
      path: tilePath(level as number | 'entries', index as number, width as number),
    })),
    refused_paths: [
      'tile/0/0',
      'tile/0/x000/000',
      'tile/0/000.p/0',
      'tile/0/000.p/256',
      'tile/0/000.p/01',
      'tile/64/000',
      'tile/00/000',
      'tile/0/1000',
    ],
  };
}

const stranger = signerFor('stranger.example');
const namesake: Signer = { ...signerFor('the same name, another key'), name: ORIGIN };

interface NoteCase {
  kind: 'checkpoint' | 'promise' | 'cosigned' | 'proof';
  valid: boolean;
  why: string;
  note: string;
  says?: object;
}

/** notes.json: read under the log's key and the witness's, and under no other. */
export function noteVectors(): object {
  const cases = [...checkpointCases(), ...promiseCases(checkpointNote), ...cosignedCases(), ...proofCases()];
  return {
    log_key: formatVerifierKey(logKey),
    witness_key: formatVerifierKey(witnessKey),
    cases,
  };
}

const checkpoint = { origin: ORIGIN, size: 100, rootHash: ranges(0, 100) };
const checkpointNote = signCheckpoint(checkpoint, logSigner, sha256);
const text = checkpointText(checkpoint);
const signature = signNote(text, logSigner, sha256);
const withSignatures = (of: string, ...signatures: NoteSignature[]) => formatNote({ text: of, signatures });

function checkpointCases(): NoteCase[] {
  const kind = 'checkpoint';
  const broken = (why: string, note: string): NoteCase => ({ kind, valid: false, why, note });
  const other = signNote(text, stranger, sha256);
  const forged = { ...signature, signature: signNote(`${text}x\n`, logSigner, sha256).signature };
  const signed = (changed: string) => withSignatures(changed, signNote(changed, logSigner, sha256));
  return [
    { kind, valid: true, why: 'as it is', note: checkpointNote, says: { size: 100, root: rootHex(100) } },
    {
      kind,
      valid: true,
      why: 'signed by strangers too',
      note: withSignatures(text, other, signature, signNote(text, namesake, sha256)),
      says: { size: 100, root: rootHex(100) },
    },
    broken('signed by strangers alone', withSignatures(text, other)),
    broken(
      "signed with another key of the log's name",
      withSignatures(text, signNote(text, namesake, sha256)),
    ),
    broken('signed twice', withSignatures(text, signature, signature)),
    broken('a false signature', withSignatures(text, forged)),
    broken('another size under the signature', checkpointNote.replace('\n100\n', '\n101\n')),
    broken('not signed', `${text}\n`),
    broken('no empty line', checkpointNote.replace('\n\n', '\n')),
    broken('a carriage return', checkpointNote.replace('\n100\n', '\r\n100\n')),
    broken('text behind the signatures', `${checkpointNote}x\n`),
    broken('no newline at the end', checkpointNote.slice(0, -1)),
    broken('a size with a zero before it', signed(text.replace('\n100\n', '\n0100\n'))),
    broken('a size beyond 2^53', signed(text.replace('\n100\n', '\n9007199254740993\n'))),
    broken('a root of 31 bytes', signed(text.replace(/\n[^\n]*\n$/, `\n${toBase64(new Uint8Array(31))}\n`))),
    broken('another origin', signed(text.replace(ORIGIN, 'other.example/log'))),
    broken('two lines', signed(`${ORIGIN}\n100\n`)),
  ];
}

function cosignedCases(): NoteCase[] {
  const kind = 'cosigned';
  const time = SEALED_AT.getTime() / 1000;
  const cosignature = cosign(text, time, witnessSigner, sha256);
  const note = checkpointNote + formatSignatureLine(cosignature);
  const altered = { ...cosignature, signature: Uint8Array.from(cosignature.signature) };
  altered.signature[7]! ^= 1;
  const broken = (why: string, of: string): NoteCase => ({ kind, valid: false, why, note: of });
  return [
    { kind, valid: true, why: 'as it is', note, says: { size: 100, time } },
    broken('not cosigned', checkpointNote),
    broken('another time under the cosignature', checkpointNote + formatSignatureLine(altered)),
    broken('cosigned twice', note + formatSignatureLine(cosignature)),
    broken(
      'the cosignature of another checkpoint',
      checkpointNote + formatSignatureLine(cosign(text.replace('100', '99'), time, witnessSigner, sha256)),
    ),
    broken(
      'a stranger by the name of the witness',
      checkpointNote +
        formatSignatureLine(cosign(text, time, { ...stranger, name: witnessSigner.name }, sha256)),
    ),
  ];
}

function proofCases(): NoteCase[] {
  const kind = 'proof';
  const index = 7;
  const path = inclusionProof(index, 100, ranges);
  const note = formatTlogProof({ index, path, checkpointNote });
  const broken = (why: string, of: string): NoteCase => ({ kind, valid: false, why, note: of });
  return [
    { kind, valid: true, why: 'as it is', note, says: { entry: toHex(entryOf(index)), index, size: 100 } },
    broken('another header', note.replace('@v1', '@v2')),
    broken('another index', note.replace('index 7', 'index 6')),
    broken('an index with a zero before it', note.replace('index 7', 'index 07')),
    broken('a hash too few', formatTlogProof({ index, path: path.slice(1), checkpointNote })),
    broken('extra data', formatTlogProof({ index, path, checkpointNote, extra: utf8('x') })),
    broken('no checkpoint', note.slice(0, note.indexOf('\n\n') + 2)),
    broken(
      'the checkpoint of a stranger',
      formatTlogProof({
        index,
        path,
        checkpointNote: signCheckpoint({ ...checkpoint, origin: stranger.name }, stranger, sha256),
      }),
    ),
  ];
}
