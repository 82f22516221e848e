import { equalBytes, SHA256_BYTES, toHex, utf8 } from '@acuse/evidence/bytes';
import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { assertCosigned } from '@acuse/evidence/cosignature';
import { assertCosignedMldsa44, hasLineOf } from '@acuse/evidence/cosignature-mldsa44';
import { EvidenceError } from '@acuse/evidence/errors';
import { loadMldsa44, type VerifyMldsa44 } from '@acuse/evidence/mldsa44';
import { type Note, parseNote } from '@acuse/evidence/note';
import { renewalImprint, renewedText } from '@acuse/evidence/renewal';
import { appendLeaves, edgeTiles, type Tile, type TileReader, tilePath } from '@acuse/evidence/tiles';
import type { TimeStampFacts } from '@acuse/evidence/timestamp/policy';
import { parseVerifierKey, type VerifierKey, verifierKey } from '@acuse/evidence/verifier-key';
import type { Db } from '../../platform/database/db.ts';
import { ed25519 } from '../../platform/ed25519.ts';
import { sha256 } from '../../platform/sha256.ts';
import { readTiles } from '../log/log-store.ts';
import { pinnedSecondKey } from '../log/second-key.ts';
import { tileKey } from '../monitor/follow.ts';
import { renewedEntries } from '../renewal/renewal-entries.ts';
import { type RenewalRow, readRenewals } from '../renewal/renewal-store.ts';
import { readRevocation } from '../stamp/revocation-store.ts';
import type { StampColumns } from '../stamp/stamp-columns.ts';
import { CLOCKS_APART_MS } from './fsck-leaves.ts';
import type { TreeLeaves } from './fsck-page.ts';
import type { Report } from './fsck-report.ts';
import { checkStamp, type StampCheck } from './fsck-stamp.ts';
import { type FsckCheckpointRow, type FsckLogRow, readCheckpointsToCheck } from './fsck-store.ts';

/** Rebuilds a log's tree and compares tiles, roots, signatures and tokens. */
interface LogCheck {
  /** Pages in order, from `from` to before `to`. */
  addPage(from: number, to: number, leaves: TreeLeaves): Promise<void>;
  position(): LogPosition;
}

/** A partially built tree. */
export interface LogPosition {
  readonly size: number;
  /** The last compared checkpoint. */
  readonly lastCheckpoint: number;
  /** After a wrong root, later ones are not compared. */
  readonly rootsFail: boolean;
  /** Right-edge tiles by level/index, recomputed. */
  readonly edge: ReadonlyMap<string, Uint8Array>;
}

export const START: LogPosition = { size: 0, lastCheckpoint: 0, rootsFail: false, edge: new Map() };

const CHECKPOINTS_PER_PAGE = 256;

export async function createLogCheck(
  db: Db,
  log: FsckLogRow,
  stamps: StampCheck,
  start: LogPosition = START,
): Promise<LogCheck> {
  const { report } = stamps;
  const keys = await keysOf(log);
  let edge = new Map(start.edge);
  let { size, rootsFail, lastCheckpoint } = start;
  let checkpoints = await readCheckpointsToCheck(db, log.logId, lastCheckpoint, CHECKPOINTS_PER_PAGE);

  function append(hashes: Uint8Array, touched: Map<string, Tile>): Uint8Array {
    const readTile: TileReader = (level, index) => edge.get(tileKey({ level, index }))!;
    const grown = appendLeaves(size, hashes, readTile, sha256);
    for (const tile of grown.tiles) {
      touched.set(tileKey(tile), tile);
      edge.set(tileKey(tile), tile.hashes);
    }
    size = grown.size;
    edge = new Map(edgeTiles(size).map((tile) => [tileKey(tile), edge.get(tileKey(tile))!]));
    return grown.rootHash;
  }

  async function nextCheckpoint(): Promise<FsckCheckpointRow | undefined> {
    if (checkpoints.length === 0) {
      checkpoints = await readCheckpointsToCheck(db, log.logId, lastCheckpoint, CHECKPOINTS_PER_PAGE);
    }
    return checkpoints[0];
  }

  async function checkRoot(checkpoint: FsckCheckpointRow, rootHash: Uint8Array): Promise<void> {
    checkpoints.shift();
    await checkCheckpoint(db, log, { keys, row: checkpoint, previousSize: lastCheckpoint }, stamps);
    lastCheckpoint = checkpoint.treeSize;
    if (rootsFail || equalBytes(checkpoint.rootHash, rootHash)) return;
    // Later roots repeat the fault: reported once.
    rootsFail = true;
    report.problem(
      'root',
      `${log.origin} checkpoint ${checkpoint.treeSize}`,
      `its root is ${toHex(checkpoint.rootHash)}, the leaves give ${toHex(rootHash)}; later roots are not compared`,
    );
  }

  return {
    async addPage(from, to, leaves) {
      const hashes = await leafHashes(db, log, { from, to, leaves }, report);
      const touched = new Map<string, Tile>();
      for (let at = from; at < to; ) {
        const checkpoint = await nextCheckpoint();
        const end = Math.min(to, checkpoint?.treeSize ?? to);
        const rootHash = append(
          hashes.subarray((at - from) * SHA256_BYTES, (end - from) * SHA256_BYTES),
          touched,
        );
        if (checkpoint !== undefined && checkpoint.treeSize === end) await checkRoot(checkpoint, rootHash);
        at = end;
      }
      checkBatches(log, leaves, report);
      await checkTiles(db, log, [...touched.values()], report);
      report.count('leaves', leaves.indexes.length);
    },
    position: () => ({ size, lastCheckpoint, rootsFail, edge: new Map(edge) }),
  };
}

/** A missing leaf is taken from the tile, so that one gap does not hide the rest. */
async function leafHashes(
  db: Db,
  log: FsckLogRow,
  { from, to, leaves }: { readonly from: number; readonly to: number; readonly leaves: TreeLeaves },
  report: Report,
): Promise<Uint8Array> {
  const hashes = new Uint8Array((to - from) * SHA256_BYTES);
  const present = new Set<number>();
  for (const [at, index] of leaves.indexes.entries()) {
    if (present.has(index)) {
      report.problem('leaf_index', `${log.origin} leaf ${index}`, 'two leaves have this index');
      continue;
    }
    present.add(index);
    const hash = leaves.hashes.subarray(at * SHA256_BYTES, (at + 1) * SHA256_BYTES);
    hashes.set(hash, (index - from) * SHA256_BYTES);
  }
  for (let index = from; index < to && present.size < to - from; index++) {
    if (present.has(index)) continue;
    report.problem('leaf_missing', `${log.origin} leaf ${index}`, 'the log has no leaf with this index');
    const [tile] = await readTiles(db, log.logId, [{ level: 0, index: Math.floor(index / 256) }]);
    const at = (index % 256) * SHA256_BYTES;
    hashes.set(tile?.hashes.subarray(at, at + SHA256_BYTES) ?? [], (index - from) * SHA256_BYTES);
  }
  return hashes;
}

/** `tree_size`: the first checkpoint over the leaf. */
function checkBatches(log: FsckLogRow, { indexes, treeSizes }: TreeLeaves, report: Report): void {
  let previous = 0;
  for (const [at, index] of indexes.entries()) {
    const treeSize = treeSizes[at]!;
    if (treeSize <= index || treeSize < previous)
      report.problem('batch', `${log.origin} leaf ${index}`, `cannot be of the batch ${treeSize}`);
    previous = treeSize;
  }
}

async function checkTiles(db: Db, log: FsckLogRow, tiles: readonly Tile[], report: Report): Promise<void> {
  const stored = new Map((await readTiles(db, log.logId, tiles)).map((tile) => [tileKey(tile), tile.hashes]));
  for (const tile of tiles) {
    report.count('tiles');
    const hashes = stored.get(tileKey(tile));
    const subject = `${log.origin} ${tilePath(tile.level, tile.index, tile.width)}`;
    if (hashes === undefined) report.problem('tile', subject, 'is missing');
    else if (hashes.length < tile.hashes.length)
      report.problem('tile', subject, 'is narrower than the log is long');
    else if (!equalBytes(hashes.subarray(0, tile.hashes.length), tile.hashes)) {
      report.problem(
        'tile',
        subject,
        `hash ${firstDifference(hashes, tile.hashes)} is not what the leaves give`,
      );
    }
  }
}

function firstDifference(a: Uint8Array, b: Uint8Array): number {
  return Math.floor(b.findIndex((byte, i) => byte !== a[i]) / SHA256_BYTES);
}

/** A fault in the checkpoint's queue state; null: none. */
function stampFault({ stamp, queued, isPublished }: FsckCheckpointRow): string | null {
  if (!isPublished) {
    if (stamp === null && !queued) return null;
    return `${queued ? 'is in line for' : 'has'} a constancia though it was not published`;
  }
  if (stamp !== null && queued) return 'has a constancia and is in line for one';
  return stamp === null && !queued ? 'has no constancia and is not in line for one' : null;
}

/** Log, checkpoint and stamp must be in time order. */
function timeFault(
  { createdAt }: FsckLogRow,
  { createdAt: signedAt, stampedAt }: FsckCheckpointRow,
  previousSize: number,
): string | null {
  const signed = `was signed at ${signedAt.toISOString()}`;
  if (previousSize === 0 && createdAt.getTime() > signedAt.getTime() + CLOCKS_APART_MS)
    return `${signed}, before its log was made at ${createdAt.toISOString()}`;
  if (stampedAt !== null && signedAt.getTime() > stampedAt.getTime() + CLOCKS_APART_MS)
    return `${signed}, after its constancia was stored at ${stampedAt.toISOString()}`;
  return null;
}

async function checkCheckpoint(
  db: Db,
  log: FsckLogRow,
  {
    keys,
    row,
    previousSize,
  }: { readonly keys: Keys; readonly row: FsckCheckpointRow; readonly previousSize: number },
  stamps: StampCheck,
): Promise<void> {
  const { report } = stamps;
  report.count('checkpoints');
  const subject = `${log.origin} checkpoint ${row.treeSize}`;
  if (row.previousTreeSize !== previousSize) {
    report.problem(
      'checkpoint',
      subject,
      `follows ${row.previousTreeSize}, but the one before it is of ${previousSize}`,
    );
  }
  const wrongTime = timeFault(log, row, previousSize);
  if (wrongTime !== null) report.problem('checkpoint', subject, wrongTime);
  const fault = stampFault(row);
  if (fault !== null) report.problem('stamp', subject, fault);
  let text: string;
  try {
    const opened = openCheckpoint(row.note, [keys.key], ed25519);
    checkSecond(log, row, opened.note, keys);
    text = opened.note.text;
    if (opened.checkpoint.size !== row.treeSize)
      report.problem('checkpoint', subject, `is signed for ${opened.checkpoint.size}`);
    if (!equalBytes(opened.checkpoint.rootHash, row.rootHash)) {
      report.problem(
        'checkpoint',
        subject,
        `is signed for the root ${toHex(opened.checkpoint.rootHash)}, not ${toHex(row.rootHash)}`,
      );
    }
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    report.problem('checkpoint', subject, error.message);
    return;
  }
  checkCosignatures(row, subject, report);
  if (row.stamp !== null)
    await checkConstancia(db, log, { row, constancia: row.stamp, checkpointText: text }, stamps);
}

interface Keys {
  readonly key: VerifierKey;
  readonly second: VerifierKey | null;
  readonly mldsa44: VerifyMldsa44 | null;
}

async function keysOf(log: FsckLogRow): Promise<Keys> {
  const second = pinnedSecondKey(log);
  const mldsa44 = second === null ? null : (await loadMldsa44()).verify;
  return { key: verifierKey(log.origin, log.publicKey, sha256), second, mldsa44 };
}

/** Throws EvidenceError for a wrong second signature, or one that is missing but required. */
function checkSecond(
  { mldsa44From }: FsckLogRow,
  { createdAt }: FsckCheckpointRow,
  note: Note,
  { second, mldsa44 }: Keys,
): void {
  if (second === null || mldsa44 === null) return;
  if (mldsa44From! <= createdAt || hasLineOf(note, second)) assertCosignedMldsa44(note, second, mldsa44);
}

function checkCosignatures(row: FsckCheckpointRow, subject: string, report: Report): void {
  for (const { key, line, unixSeconds } of row.cosignatures ?? []) {
    try {
      const note = parseNote(utf8(`${row.note}${line}`));
      const stated = assertCosigned(note, parseVerifierKey(key, sha256), ed25519);
      if (stated !== unixSeconds)
        report.problem(
          'cosignature',
          subject,
          `of ${key}: its time is ${stated}, and stored as ${unixSeconds}`,
        );
    } catch (error) {
      if (!(error instanceof EvidenceError)) throw error;
      report.problem('cosignature', subject, `of ${key}: ${error.message}`);
    }
  }
}

/** Each stamp must hold until its renewal, and the last until the recorded end. */
async function checkConstancia(
  db: Db,
  log: FsckLogRow,
  {
    row,
    constancia,
    checkpointText,
  }: { readonly row: FsckCheckpointRow; readonly constancia: StampColumns; readonly checkpointText: string },
  stamps: StampCheck,
): Promise<void> {
  const subject = `${log.origin} checkpoint ${row.treeSize}`;
  const renewals = await readBatchRenewals(db, log.logId, row);
  const expected = { imprint: sha256(utf8(checkpointText)), hashAlgorithm: 'sha256' } as const;
  if (log.sandbox && constancia.profile !== 'development')
    stamps.report.problem(
      'constancia',
      subject,
      'was issued by an authority, although its log is one of the sandbox',
    );
  const own = await checkStamp(stamps, subject, constancia, expected, renewals[0]?.genTime);
  const sealed = { checkpointText, constancia, renewals };
  const last = renewals.length === 0 ? own : await checkRenewals(db, stamps, subject, sealed);
  const ends = last?.chainNotAfter;
  // An end recorded too late would delay the renewal.
  if (ends !== undefined && row.coveredUntil !== null && row.coveredUntil > new Date(ends))
    stamps.report.problem(
      'renewal',
      subject,
      `is said to be covered until ${row.coveredUntil.toISOString()}, its chain ends at ${ends}`,
    );
}

function readBatchRenewals(db: Db, logId: string, row: FsckCheckpointRow): Promise<RenewalRow[]> {
  return row.renewals === 0 ? Promise.resolve([]) : readRenewals(db, [{ logId, treeSize: row.treeSize }]);
}

/** Each must cover its predecessors and hold until the next. Facts of the last; null: one fails. */
async function checkRenewals(
  db: Db,
  stamps: StampCheck,
  subject: string,
  sealed: { checkpointText: string; constancia: StampColumns; renewals: readonly RenewalRow[] },
): Promise<TimeStampFacts | null> {
  const { checkpointText, constancia, renewals } = sealed;
  const problem = (detail: string) => stamps.report.problem('renewal', subject, detail);
  const hashes = [constancia, ...renewals].flatMap(({ revocation }) => revocation);
  const distinct = [...new Map(hashes.map((hash) => [toHex(hash), hash])).values()];
  const entries = renewedEntries(checkpointText, constancia, renewals, await readRevocation(db, distinct));
  let last: TimeStampFacts | null = null;
  for (const [i, renewal] of renewals.entries()) {
    if (renewal.ordinal !== i + 1) problem(`renewal ${i + 1} is missing`);
    try {
      const imprint = renewalImprint(renewedText(entries, i + 1));
      const name = `${subject} renewal ${i + 1}`;
      const at = renewals[i + 1]?.genTime;
      last = await checkStamp(stamps, name, renewal, { imprint, hashAlgorithm: 'sha512' }, at);
    } catch (error) {
      if (!(error instanceof EvidenceError)) throw error;
      problem(error.message);
      return null;
    }
  }
  return last;
}
