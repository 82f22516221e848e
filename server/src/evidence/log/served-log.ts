import { toBase64 } from '@acuse/evidence/bytes';
import type { PinnedKey } from '@acuse/evidence/policy';
import { encodeEntryBundle, parseTilePath, TILE_WIDTH } from '@acuse/evidence/tiles';
import type { FastifyReply } from 'fastify';
import { type CachedRead, createCachedRead } from '../../platform/cache.ts';
import type { DbAndClock } from '../../platform/database/db.ts';
import { findStamp } from '../bundle/evidence-store.ts';
import { presentStamp } from '../bundle/present.ts';
import { type EndedLog, listEndedLogs } from './end-store.ts';
import type { LogSigner } from './log-key.ts';
import { findCheckpoint, readEntries, readTiles } from './log-store.ts';
import { createPublishedLog } from './published.ts';
import { publishedKeys } from './published-keys.ts';

/** A log's public data (C2SP tlog-tiles, and constancias). */
export interface ServedLog {
  readonly keys: string;
  checkpoint(): Promise<string>;
  /** `path` from `tile/` on. Null: no tile path, or not covered by a published checkpoint. */
  tile(path: string): Promise<Uint8Array | null>;
  constancia(treeSize: string): Promise<object | null>;
  /** Every ended log of this database. */
  ends(): Promise<object>;
}

export interface ServedLogDeps extends DbAndClock {
  readonly log: LogSigner;
  /** The second key of an ended log, whose signer no longer has it. */
  readonly second?: PinnedKey | null;
}

/** Some 8 KiB each. */
const TILES_KEPT = 2_048;
/** Some 20 KiB each. */
const CONSTANCIAS_KEPT = 256;
/** Cache time of both (ms). */
const KEPT_MS = 60_000;
/** Logs end only while no process runs; another process's checkpoint is as old. */
const ENDS_KEPT_MS = 1_000;

/** Tiles never change, whatever their width. C2SP tlog-tiles, "Merkle Tree" */
export const FOREVER = 'public, max-age=31536000, immutable';
/** Age of the checkpoint and its dependants (s). */
export const BRIEFLY = 'public, max-age=2';
const SHARED_HEADERS = { 'Access-Control-Allow-Origin': '*', 'X-Content-Type-Options': 'nosniff' } as const;
export const NOTE_TYPE = 'text/plain; charset=utf-8';
export const JSON_TYPE = 'application/json; charset=utf-8';
export const TILE_TYPE = 'application/octet-stream';

export function createServedLog(deps: ServedLogDeps): ServedLog {
  const published = createPublishedLog(deps);
  const tiles: CachedRead<Uint8Array> = createCachedRead({
    clock: deps.clock,
    ttlMs: KEPT_MS,
    maxEntries: TILES_KEPT,
    read: async (path) => (await readTileAt(deps, parseTilePath(path)!)) ?? null,
  });
  const constancias: CachedRead<object> = createCachedRead({
    clock: deps.clock,
    ttlMs: KEPT_MS,
    maxEntries: CONSTANCIAS_KEPT,
    read: (treeSize) => readConstancia(deps, Number(treeSize)),
  });
  const ends: CachedRead<object> = createCachedRead({
    ...{ clock: deps.clock, ttlMs: ENDS_KEPT_MS, maxEntries: 1 },
    // In a transaction, for its barrier.
    read: async () => presentEnds(await deps.db.transact((tx) => listEndedLogs(tx))),
  });
  return {
    get keys() {
      return publishedKeys({ key: deps.log.key, second: deps.second ?? deps.log.second?.key ?? null });
    },
    checkpoint: async () => (await published.newest()).note,
    async tile(path) {
      const tile = parseTilePath(path);
      if (tile === undefined) return null;
      const { level, index, width } = tile;
      const leaves = (index * TILE_WIDTH + width) * (level === 'entries' ? 1 : TILE_WIDTH ** level);
      if (!Number.isSafeInteger(leaves) || !(await published.covers(leaves))) return null;
      return tiles.get(path);
    },
    async constancia(treeSize) {
      const size = Number(/^[1-9]\d{0,14}$/.exec(treeSize)?.[0] ?? 0);
      return size > 0 && (await published.covers(size)) ? constancias.get(String(size)) : null;
    },
    ends: async () => (await ends.get('all'))!,
  };
}

function presentEnds(ended: readonly EndedLog[]): object {
  return { ended: ended.map(({ origin, note }) => ({ origin, note })) };
}

/** In a transaction, for its barrier. */
async function readConstancia({ db, log }: ServedLogDeps, treeSize: number): Promise<object | null> {
  const [checkpoint, stamp] = await db.transact((tx) =>
    Promise.all([findCheckpoint(tx, log.logId, treeSize), findStamp(tx, log.logId, treeSize)]),
  );
  if (checkpoint === undefined || stamp === undefined) return null;
  return {
    tree_size: checkpoint.treeSize,
    previous_tree_size: checkpoint.previousTreeSize,
    batch_id: checkpoint.batchId,
    checkpoint: checkpoint.note,
    certificate: presentStamp(stamp, 'batch'),
    token: toBase64(stamp.token),
    policy: stamp.policy,
  };
}

async function readTileAt(
  { db, log }: ServedLogDeps,
  { level, index, width }: NonNullable<ReturnType<typeof parseTilePath>>,
): Promise<Uint8Array | undefined> {
  if (level === 'entries') {
    const from = index * TILE_WIDTH;
    const entries = await readEntries(db, log.logId, from, from + width);
    return entries.length === width ? Buffer.from(encodeEntryBundle(entries)) : undefined;
  }
  const [stored] = await readTiles(db, log.logId, [{ level, index }]);
  const sizeBytes = width * 32;
  return stored !== undefined && stored.hashes.length >= sizeBytes
    ? stored.hashes.subarray(0, sizeBytes)
    : undefined;
}

export function answer(reply: FastifyReply, cacheControl: string, type: string, body: unknown): FastifyReply {
  return reply.headers(SHARED_HEADERS).header('Cache-Control', cacheControl).type(type).send(body);
}
