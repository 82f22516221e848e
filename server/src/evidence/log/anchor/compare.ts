import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { assertConsistency } from '@acuse/evidence/merkle';
import { consistencyProof, consistencyTiles, type TileReader } from '@acuse/evidence/tiles';
import { type VerifierKey, verifierKey } from '@acuse/evidence/verifier-key';
import type { Db, Queryable } from '../../../platform/database/db.ts';
import { ed25519 } from '../../../platform/ed25519.ts';
import { sha256 } from '../../../platform/sha256.ts';
import { type LogRow, readTiles } from '../log-store.ts';
import { type LogHead, readHead } from '../sequence-store.ts';
import type { Anchor } from './anchor.ts';

/** How the database's log compares with a known checkpoint. */
export type Standing =
  /** The same, or a continuation. `size`: of the known checkpoint. */
  | { readonly kind: 'same' | 'continues'; readonly size: number; readonly databaseSize: number }
  /** An empty log that is not in the anchor. */
  | { readonly kind: 'new'; readonly databaseSize: 0 }
  /** A log with leaves that is not in the anchor. */
  | { readonly kind: 'unanchored'; readonly databaseSize: number }
  /** The database is older: it was restored to an earlier point. */
  | { readonly kind: 'behind'; readonly size: number; readonly databaseSize: number }
  /** A contradiction, or another key. */
  | { readonly kind: 'fork'; readonly reason: string; readonly databaseSize: number };

export type HeldLog = Pick<LogRow, 'logId' | 'origin' | 'publicKey'>;

export interface Held {
  readonly standing: Standing;
  readonly head: LogHead;
  readonly anchored: string | null;
}

export async function compareWithAnchor(db: Db, anchor: Anchor, log: HeldLog): Promise<Held> {
  const held = await lookAt(db, anchor, log);
  // The first batch may come between both reads, after the log's entry in the anchor.
  return held.standing.kind === 'unanchored' ? lookAt(db, anchor, log) : held;
}

async function lookAt(db: Db, anchor: Anchor, log: HeldLog): Promise<Held> {
  // In this order: the anchor's note was in the database before.
  const anchored = await anchor.read(log.origin);
  const head = await db.transact((tx) => readHead(tx, log.logId));
  if (head === undefined) throw new Error(`log ${log.origin} is not in the database`);
  return { standing: await compareWithNote(db, log, head, anchored), head, anchored };
}

/** `known`: a signed note seen outside. */
export async function compareWithNote(
  q: Queryable,
  log: HeldLog,
  head: LogHead,
  known: string | null,
): Promise<Standing> {
  const databaseSize = head.treeSize;
  if (known === null)
    return databaseSize === 0 ? { kind: 'new', databaseSize } : { kind: 'unanchored', databaseSize };
  const key = verifierKey(log.origin, log.publicKey, sha256);
  const outside = open(known, key);
  if (outside === null)
    return { kind: 'fork', reason: 'it is not a checkpoint signed by the key of this log', databaseSize };
  const { size } = outside;
  if (size > databaseSize) return { kind: 'behind', size, databaseSize };
  if (size === 0) return { kind: databaseSize === 0 ? 'same' : 'continues', size, databaseSize };
  const own = head.note === null ? null : open(head.note, key);
  if (own === null)
    return { kind: 'fork', reason: `no checkpoint of its ${databaseSize} leaves is stored`, databaseSize };
  // Outside of the try: a read that fails proves no fork.
  const isSame = size === databaseSize;
  const readTile = isSame ? null : await readProofTiles(q, log.logId, size, databaseSize);
  try {
    const path = readTile === null ? [] : consistencyProof(size, databaseSize, readTile, sha256);
    assertConsistency(
      { oldSize: size, oldRoot: outside.rootHash, newSize: databaseSize, newRoot: own.rootHash, path },
      sha256,
    );
  } catch {
    return { kind: 'fork', reason: `its root over ${size} leaves is another one`, databaseSize };
  }
  return { kind: isSame ? 'same' : 'continues', size, databaseSize };
}

function open(note: string, key: VerifierKey): { size: number; rootHash: Uint8Array } | null {
  try {
    const { checkpoint } = openCheckpoint(note, [key], ed25519);
    return checkpoint.origin === key.name ? checkpoint : null;
  } catch {
    return null;
  }
}

/** A consistency proof from stored tiles. RFC 6962 §2.1.2 */
export async function prove(
  q: Queryable,
  logId: string,
  oldSize: number,
  newSize: number,
): Promise<Uint8Array[]> {
  return consistencyProof(oldSize, newSize, await readProofTiles(q, logId, oldSize, newSize), sha256);
}

async function readProofTiles(
  q: Queryable,
  logId: string,
  oldSize: number,
  newSize: number,
): Promise<TileReader> {
  const tiles = await readTiles(q, logId, consistencyTiles(oldSize, newSize));
  return (level, index) =>
    tiles.find((tile) => tile.level === level && tile.index === index)?.hashes ?? new Uint8Array(0);
}
