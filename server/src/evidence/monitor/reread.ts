import { equalBytes, SHA256_BYTES } from '@acuse/evidence/bytes';
import { leafHash, perfectRoot } from '@acuse/evidence/merkle';
import { TILE_WIDTH, tilePath } from '@acuse/evidence/tiles';
import { sha256 } from '../../platform/sha256.ts';
import { type Alerts, createAlerts } from './alert.ts';
import { type Edge, mapSome, NOTHING, readOn, rootOf, tileKey } from './follow.ts';
import type { LogClient } from './log-client.ts';

/**
 * Re-reads old entries: a log that changed them broke its own signature. A sample per pass, checked against
 * the kept right edge; or all.
 */
export interface Rereading {
  readonly full: boolean;
  random(): number;
}

const SAMPLE_BUNDLES = 8;

export interface Known {
  readonly size: number;
  readonly root: Uint8Array;
  readonly edge: Edge;
  readonly note: string;
}

/** Reports changed `entries` or `tile`. Throws LogUnavailable, and EvidenceError for missing ones. */
export async function reread(
  client: LogClient,
  known: Known,
  { full, random }: Rereading,
  alerts: Alerts,
): Promise<void> {
  if (full) {
    // Tile alerts count only once the root matches.
    const tiles = createAlerts();
    const again = await readOn({ client, alerts: tiles }, NOTHING, known.size);
    if (!equalBytes(rootOf(again), known.root)) tell(alerts, `all ${known.size} entries`, known);
    else for (const { code, detail } of tiles.list) alerts.add(code, detail);
    return;
  }
  await mapSome(sample(Math.ceil(known.size / TILE_WIDTH), random), (index) =>
    rereadBundle(client, known, index, alerts),
  );
}

function sample(bundles: number, random: () => number): number[] {
  if (bundles <= SAMPLE_BUNDLES) return Array.from({ length: bundles }, (_, index) => index);
  const chosen = new Set<number>();
  while (chosen.size < SAMPLE_BUNDLES) chosen.add(Math.floor(random() * bundles));
  return [...chosen];
}

/** Climbs from the entries to a kept tile, which was the log's when its root was signed. */
async function rereadBundle(client: LogClient, known: Known, index: number, alerts: Alerts): Promise<void> {
  const width = Math.min(TILE_WIDTH, known.size - index * TILE_WIDTH);
  const entries = await client.entries(index, width);
  let hashes = leafHashes(entries);
  for (let level = 0, at = index; ; level++, at = Math.floor(at / TILE_WIDTH)) {
    const kept = known.edge.get(tileKey({ level, index: at }));
    if (kept !== undefined && !equalBytes(kept, hashes)) {
      tell(alerts, tilePath('entries', index, width), known);
      return;
    }
    if (kept !== undefined) return;
    // A full tile is one hash of its parent.
    const root = perfectRoot(hashes, sha256);
    const over = Math.floor(at / TILE_WIDTH);
    const position = (at % TILE_WIDTH) * SHA256_BYTES;
    const parent =
      known.edge.get(tileKey({ level: level + 1, index: over })) ??
      (await wholeTile(client, level + 1, over));
    if (!equalBytes(parent.subarray(position, position + SHA256_BYTES), root)) {
      tell(alerts, tilePath('entries', index, width), known);
      return;
    }
    hashes = parent;
  }
}

async function wholeTile(client: LogClient, level: number, index: number): Promise<Uint8Array> {
  return client.tile({ level, index, width: TILE_WIDTH });
}

function leafHashes(entries: Uint8Array): Uint8Array {
  const hashes = new Uint8Array(entries.length);
  for (let at = 0; at < entries.length; at += SHA256_BYTES)
    hashes.set(leafHash(entries.subarray(at, at + SHA256_BYTES), sha256), at);
  return hashes;
}

function tell(alerts: Alerts, what: string, { size, note }: Known): void {
  alerts.add('entries', `${what}: not what was shown when the tree of ${size} leaves was read`, [note]);
}
