import { assembleBundle } from '@acuse/evidence/assemble';
import type { Bundle } from '@acuse/evidence/bundle';
import { type DeliveryManifest, parseDeliveryManifest } from '@acuse/evidence/delivery';
import { EvidenceError } from '@acuse/evidence/errors';
import type { TrustPolicy } from '@acuse/evidence/policy';
import { inclusionProof, inclusionTiles, type TileReader } from '@acuse/evidence/tiles';
import type { TlogProof } from '@acuse/evidence/tlog-proof';
import { type VerifierKey, verifierKey } from '@acuse/evidence/verifier-key';
import { MAX_DELIVERIES } from '@acuse/evidence/verify-delivery';
import { apiError } from '../../errors.ts';
import { findContentDeletion } from '../../messages/read-store.ts';
import type { Db, Queryable } from '../../platform/database/db.ts';
import { isId } from '../../platform/ids.ts';
import { sha256 } from '../../platform/sha256.ts';
import type { LogSigner } from '../log/log-key.ts';
import { findLogKey, readTiles } from '../log/log-store.ts';
import { NO_WITNESSES, type Witnesses } from '../log/witnesses.ts';
import { readRenewals } from '../renewal/renewal-store.ts';
import { readRevocation } from '../stamp/revocation-store.ts';
import { requireSealed, type SealedProof } from './evidence.ts';
import {
  findMessageContent,
  findStamp,
  type MessageLeafRow,
  readMessageLeaves,
  readOutcomeRows,
} from './evidence-store.ts';
import { contentOf } from './outcome-contents.ts';
import { findMessageStamp } from './seal-store.ts';
import {
  distinctPolicies,
  type StoredOutcome,
  type StoredRows,
  stampsOf,
  toEvidence,
  witnessPolicy,
} from './stored-evidence.ts';

/** From the rows of a sealed message to the entries of its bundle. */
export interface ProofBundleDeps {
  readonly db: Db;
  /** The log that this process knows the key of from its own secret, whatever the tables say. */
  readonly log: LogSigner;
  /** Absent: none. */
  readonly witnesses?: Witnesses;
}

export interface ProofBundle {
  readonly proof: SealedProof;
  /** Its entries, SHA256SUMS among them. */
  readonly bundle: Bundle;
  readonly trust: TrustPolicy;
}

/** What a bundle is made of, and the trust that is stated in it. */
export interface BundleSource {
  readonly rows: StoredRows;
  readonly trust: TrustPolicy;
}

/** Throws not_found and missing_proof_data; EvidenceError when the rows do not hang together. */
export async function readProofBundle(
  deps: ProofBundleDeps,
  tenantId: string,
  messageId: string,
): Promise<ProofBundle> {
  const { rows, trust } = await readBundleSource(deps, tenantId, messageId);
  return { proof: rows.proof, trust, bundle: assembleBundle(toEvidence(rows, trust), sha256) };
}

/** As readProofBundle, for callers that make the bundle elsewhere. */
export async function readBundleSource(
  deps: ProofBundleDeps,
  tenantId: string,
  messageId: string,
): Promise<BundleSource> {
  if (!isId(messageId)) throw apiError('not_found', 'No such message. Check the id.');
  const rows = await deps.db.asTenant(tenantId, (tx) => readRows(tx, deps.log, tenantId, messageId));
  const trust: TrustPolicy = {
    logKeys: [rows.key],
    timeStamps: distinctPolicies(stampsOf(rows)),
    ...witnessPolicy(deps.witnesses ?? NO_WITNESSES, [
      rows.inclusion,
      ...rows.outcomes.map(({ inclusion }) => inclusion),
    ]),
  };
  return { rows, trust };
}

async function readRows(
  q: Queryable,
  log: LogSigner,
  tenantId: string,
  messageId: string,
): Promise<StoredRows> {
  // Statements that need nothing of each other travel together: what a bundle costs is mostly the way to
  // PostgreSQL and back.
  const [proof, leaves, content, messageStamp] = await Promise.all([
    requireSealed(q, tenantId, messageId),
    readMessageLeaves(q, tenantId, messageId),
    findMessageContent(q, tenantId, messageId),
    findMessageStamp(q, tenantId, messageId),
  ]);
  const own = leaves.find((leaf) => leaf.kind === 'message');
  if (own === undefined) throw new EvidenceError('manifest', 'what the leaf commits to is not stored');
  const { logId, leafIndex, treeSize, note } = proof;
  const [{ key, logEnd }, renewals, inclusion, outcomes] = await Promise.all([
    // This process knows that its own goes on: a log is ended while none runs.
    logId === log.logId ? { key: log.key, logEnd: null } : readKey(q, logId),
    readRenewals(q, [proof]),
    proveInclusion(q, { logId, leafIndex, treeSize, note }),
    readOutcomes(q, tenantId, messageId, leaves),
  ]);
  const stamps = stampsOf({ proof, outcomes, messageStamp, renewals });
  const [revocation, deletion] = await Promise.all([
    readRevocation(
      q,
      stamps.flatMap(({ revocation }) => revocation),
    ),
    // Looked up last: what is erased while we read is then erased in all that we read.
    findContentDeletion(q, tenantId, messageId),
  ]);
  return {
    proof,
    own,
    erased: deletion?.cause === 'erasure',
    content,
    key,
    logEnd,
    inclusion,
    outcomes,
    messageStamp,
    renewals,
    revocation,
  };
}

async function readKey(q: Queryable, logId: string): Promise<{ key: VerifierKey; logEnd: string | null }> {
  const row = await findLogKey(q, logId);
  if (row === undefined) throw new EvidenceError('checkpoint', 'the log that the leaf is in is not stored');
  return { key: verifierKey(row.origin, row.publicKey, sha256), logEnd: row.endNote };
}

interface LeafPlace {
  readonly logId: string;
  readonly leafIndex: number;
  readonly treeSize: number;
  readonly note: string;
}

function placeOf({ logId, leafIndex, treeSize, note }: MessageLeafRow): LeafPlace | null {
  if (logId === null || leafIndex === null || treeSize === null || note === null) return null;
  return { logId, leafIndex, treeSize, note };
}

/** From tiles, of which it takes one or two a level: the size of the log hardly matters. */
async function proveInclusion(
  q: Queryable,
  { logId, leafIndex, treeSize, note }: LeafPlace,
): Promise<TlogProof> {
  const tiles = await readTiles(q, logId, inclusionTiles(leafIndex, treeSize));
  const readTile: TileReader = (level, index) =>
    tiles.find((tile) => tile.level === level && tile.index === index)?.hashes ?? new Uint8Array(0);
  return {
    index: leafIndex,
    path: inclusionProof(leafIndex, treeSize, readTile, sha256),
    checkpointNote: note,
  };
}

/**
 * Outcomes up to the first that no checkpoint covers yet: each names the one before, so that none is valid
 * without it.
 */
async function readOutcomes(
  q: Queryable,
  tenantId: string,
  messageId: string,
  leaves: readonly MessageLeafRow[],
): Promise<StoredOutcome[]> {
  const placed: { leaf: MessageLeafRow; place: LeafPlace; manifest: DeliveryManifest }[] = [];
  for (const leaf of leaves.filter(({ kind }) => kind === 'delivery').slice(0, MAX_DELIVERIES)) {
    const place = placeOf(leaf);
    if (place === null) break;
    placed.push({ leaf, place, manifest: parseDeliveryManifest(leaf.manifest) });
  }
  if (placed.length === 0) return [];
  const attempts = placed.map(({ manifest }) => manifest.attempt);
  const [contents, ...proven] = await Promise.all([
    readOutcomeRows(q, tenantId, messageId, attempts),
    ...placed.map(({ place }) =>
      Promise.all([proveInclusion(q, place), findStamp(q, place.logId, place.treeSize)]),
    ),
  ]);
  return placed.map(({ leaf, manifest }, i) => {
    const [inclusion, stamp] = proven[i]!;
    return { leaf, content: contentOf(manifest, messageId, contents), inclusion, stamp };
  });
}
