import { assembleBundle } from '@acuse/evidence/assemble';
import type { Bundle } from '@acuse/evidence/bundle';
import { parseDeliveryManifest } from '@acuse/evidence/delivery';
import { EvidenceError } from '@acuse/evidence/errors';
import { formatHistory, historySizes } from '@acuse/evidence/history';
import type { TrustPolicy } from '@acuse/evidence/policy';
import {
  consistencyProof,
  consistencyTiles,
  inclusionProof,
  inclusionTiles,
  type TileReader,
  type TileRef,
} from '@acuse/evidence/tiles';
import type { TlogProof } from '@acuse/evidence/tlog-proof';
import { apiError } from '../../errors.ts';
import type { ArchivedContents } from '../../messages/archived-contents.ts';
import { findContentDeletion } from '../../messages/read-store.ts';
import type { DbAndClock, Queryable } from '../../platform/database/db.ts';
import { isId } from '../../platform/ids.ts';
import { sha256 } from '../../platform/sha256.ts';
import { readTiles } from '../log/log-store.ts';
import { NO_WITNESSES, type Witnesses } from '../log/witnesses.ts';
import { readRenewals } from '../renewal/renewal-store.ts';
import { readIssued } from '../stamp/issued-store.ts';
import { readRevocation } from '../stamp/revocation-store.ts';
import { type CountDeps, countOutcomes, placedOutcomes, readLogKey } from './count-outcomes.ts';
import { requireSealed, type SealedProof } from './evidence.ts';
import {
  findMessageContent,
  findStamp,
  type MessageLeafRow,
  type OutcomeRows,
  readMessageLeaves,
  readOutcomeRows,
} from './evidence-store.ts';
import { contentOf, quoting } from './outcome-contents.ts';
import { findMessageStamp } from './seal-store.ts';
import {
  distinctPolicies,
  type StoredOutcome,
  type StoredRows,
  stampsOf,
  toEvidence,
  witnessPolicy,
} from './stored-evidence.ts';

export interface ProofBundleDeps extends DbAndClock, CountDeps {
  readonly archived: ArchivedContents;
  readonly witnesses?: Witnesses;
}

export interface ProofBundle {
  readonly proof: SealedProof;
  readonly bundle: Bundle;
  readonly trust: TrustPolicy;
}

export interface BundleSource {
  readonly rows: StoredRows;
  readonly trust: TrustPolicy;
  /** Before anything was read. */
  readonly now: Date;
}

/** Throws not_found, missing_proof_data; EvidenceError for inconsistent rows. */
export async function readProofBundle(
  deps: ProofBundleDeps,
  tenantId: string,
  messageId: string,
): Promise<ProofBundle> {
  const { rows, trust } = await readBundleSource(deps, tenantId, messageId);
  return { proof: rows.proof, trust, bundle: assembleBundle(toEvidence(rows, trust), sha256) };
}

/** For callers that build the bundle elsewhere. `countedAt`: as an earlier bundle has its count. */
export async function readBundleSource(
  deps: ProofBundleDeps,
  tenantId: string,
  messageId: string,
  countedAt?: Date,
): Promise<BundleSource> {
  if (!isId(messageId)) throw apiError('not_found', 'No such message. Check the id.');
  const now = deps.clock.now();
  const stored = await deps.db.asTenant(tenantId, (tx) =>
    readRows(tx, { ...deps, now: countedAt ?? now }, tenantId, messageId),
  );
  const rows = await withArchived(deps, tenantId, messageId, stored);
  const trust: TrustPolicy = {
    logKeys: [rows.key],
    ...(rows.secondKeys.length > 0 && { mldsa44Keys: rows.secondKeys }),
    timeStamps: distinctPolicies(stampsOf(rows)),
    ...witnessPolicy(deps.witnesses ?? NO_WITNESSES, [
      rows.inclusion,
      ...rows.outcomes.map(({ inclusion }) => inclusion),
    ]),
  };
  return { rows, trust, now };
}

interface ReadRows extends StoredRows {
  readonly outcomeRows: OutcomeRows;
}

async function readRows(
  q: Queryable,
  deps: CountDeps & { readonly now: Date },
  tenantId: string,
  messageId: string,
): Promise<ReadRows> {
  // Independent statements travel together: round trips dominate the cost.
  const [proof, leaves, content, messageStamp] = await Promise.all([
    requireSealed(q, tenantId, messageId),
    readMessageLeaves(q, tenantId, messageId),
    findMessageContent(q, tenantId, messageId),
    findMessageStamp(q, tenantId, messageId),
  ]);
  const own = leaves.find((leaf) => leaf.kind === 'message');
  if (own === undefined) throw new EvidenceError('manifest', 'what the leaf commits to is not stored');
  const { logId, leafIndex, treeSize, note } = proof;
  const [{ key, logEnd, secondKeys }, renewals, inclusion, { outcomes, outcomeRows }] = await Promise.all([
    readLogKey(q, deps.log, logId),
    readRenewals(q, [proof]),
    proveInclusion(q, { logId, leafIndex, treeSize, note }),
    readOutcomes(q, tenantId, messageId, leaves),
  ]);
  const stamps = stampsOf({ proof, outcomes, messageStamp, renewals });
  const { now } = deps;
  const counting = { now, logId, leaves, key, logEnd, ownStampAt: messageStamp?.genTime };
  const sizes = [treeSize, ...outcomes.map(({ leaf }) => leaf.treeSize!)];
  const [counted, history, revocation, issued, deletion] = await Promise.all([
    countOutcomes(deps, { ...counting, canonicalHash: proof.canonicalHash }),
    proveHistory(q, logId, sizes),
    readRevocation(
      q,
      stamps.flatMap(({ revocation }) => revocation),
    ),
    readIssued(
      q,
      stamps.map(({ token }) => token),
    ),
    // Read last, so that an erasure during the read is seen.
    findContentDeletion(q, tenantId, messageId),
  ]);
  return {
    proof,
    own,
    erased: deletion?.cause === 'erasure',
    content,
    key,
    logEnd,
    secondKeys,
    inclusion,
    outcomes,
    outcomeRows,
    messageStamp,
    renewals,
    revocation,
    issued,
    history,
    outcomesNote: counted?.note ?? null,
  };
}

/** Reads archived content from the archive, with no transaction open. */
async function withArchived(
  { db, archived }: Pick<ProofBundleDeps, 'db' | 'archived'>,
  tenantId: string,
  messageId: string,
  { outcomeRows, ...rows }: ReadRows,
): Promise<StoredRows> {
  if (rows.content !== undefined || rows.erased) return rows;
  const content = await archived.read(tenantId, messageId);
  if (content === null) {
    const deletion = await db.asTenant(tenantId, (tx) => findContentDeletion(tx, tenantId, messageId));
    return { ...rows, erased: deletion?.cause === 'erasure' };
  }
  const quoted = quoting(outcomeRows, content.raw);
  const outcomes = rows.outcomes.map((outcome) => ({
    ...outcome,
    content: contentOf(parseDeliveryManifest(outcome.leaf.manifest), messageId, quoted),
  }));
  return { ...rows, content, outcomes };
}

interface LeafPlace {
  readonly logId: string;
  readonly leafIndex: number;
  readonly treeSize: number;
  readonly note: string;
}

function placeOf({ logId, leafIndex, treeSize, note }: MessageLeafRow): LeafPlace {
  if (logId === null || leafIndex === null || treeSize === null || note === null)
    throw new EvidenceError('inclusion', 'an outcome is in no checkpoint');
  return { logId, leafIndex, treeSize, note };
}

/** Reads one or two tiles per level, whatever the log's size. */
async function proveInclusion(
  q: Queryable,
  { logId, leafIndex, treeSize, note }: LeafPlace,
): Promise<TlogProof> {
  const readTile = await tileReader(q, logId, inclusionTiles(leafIndex, treeSize));
  return {
    index: leafIndex,
    path: inclusionProof(leafIndex, treeSize, readTile, sha256),
    checkpointNote: note,
  };
}

async function tileReader(q: Queryable, logId: string, refs: readonly TileRef[]): Promise<TileReader> {
  const tiles = await readTiles(q, logId, refs);
  return (level, index) =>
    tiles.find((tile) => tile.level === level && tile.index === index)?.hashes ?? new Uint8Array(0);
}

/** history.txt; null for a single tree. */
async function proveHistory(q: Queryable, logId: string, sizes: readonly number[]): Promise<string | null> {
  const steps = historySizes(sizes).map(async ({ size, next }) => {
    const readTile = await tileReader(q, logId, consistencyTiles(size, next));
    return { size, next, path: consistencyProof(size, next, readTile, sha256) };
  });
  return steps.length === 0 ? null : formatHistory(await Promise.all(steps));
}

async function readOutcomes(
  q: Queryable,
  tenantId: string,
  messageId: string,
  leaves: readonly MessageLeafRow[],
): Promise<{ outcomes: StoredOutcome[]; outcomeRows: OutcomeRows }> {
  const placed = placedOutcomes(leaves).map((leaf) => ({
    leaf,
    place: placeOf(leaf),
    manifest: parseDeliveryManifest(leaf.manifest),
  }));
  if (placed.length === 0) return { outcomes: [], outcomeRows: { attempts: [], reports: [] } };
  const attempts = placed.map(({ manifest }) => manifest.attempt);
  const [outcomeRows, ...proven] = await Promise.all([
    readOutcomeRows(q, tenantId, messageId, attempts),
    ...placed.map(({ place }) =>
      Promise.all([proveInclusion(q, place), findStamp(q, place.logId, place.treeSize)]),
    ),
  ]);
  const outcomes = placed.map(({ leaf, manifest }, i) => {
    const [inclusion, stamp] = proven[i]!;
    return { leaf, content: contentOf(manifest, messageId, outcomeRows), inclusion, stamp };
  });
  return { outcomes, outcomeRows };
}
