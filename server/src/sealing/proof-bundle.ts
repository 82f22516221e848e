import {
  assembleBundle,
  type StoredDelivery,
  type StoredEvidence,
  type StoredStamp,
} from '@acuse/evidence/assemble';
import type { Bundle } from '@acuse/evidence/bundle';
import { equalBytes, toHex, utf8 } from '@acuse/evidence/bytes';
import { type DeliveryManifest, parseDeliveryManifest } from '@acuse/evidence/delivery';
import { EvidenceError } from '@acuse/evidence/errors';
import { parseNote } from '@acuse/evidence/note';
import { erasedOpenings, openMessage } from '@acuse/evidence/openings';
import type { TrustPolicy } from '@acuse/evidence/policy';
import { inclusionProof, inclusionTiles, type TileReader } from '@acuse/evidence/tiles';
import { readTimeStampPolicy } from '@acuse/evidence/timestamp/manifest';
import type { TimeStampPolicy } from '@acuse/evidence/timestamp/policy';
import type { TlogProof } from '@acuse/evidence/tlog-proof';
import { type VerifierKey, verifierKey } from '@acuse/evidence/verifier-key';
import { MAX_DELIVERIES } from '@acuse/evidence/verify-delivery';
import type { Db, Queryable } from '../platform/db.ts';
import { sha256 } from '../platform/sha256.ts';
import { requireSealed, type SealedProof } from './evidence.ts';
import {
  type CertificateRow,
  findCertificate,
  findMessageContent,
  type MessageContentRow,
  type MessageLeafRow,
  readMessageLeaves,
  readOutcomeContents,
} from './evidence-store.ts';
import type { LogSigner } from './log-key.ts';
import { findLogKey, readTiles } from './log-store.ts';
import { contentOf, isWhole, type OutcomeContent } from './outcome-contents.ts';
import { type RevocationRow, readRevocation } from './revocation-store.ts';
import { findMessageCertificate } from './seal-store.ts';
import type { StampColumns } from './stamp-columns.ts';
import { NO_WITNESSES, type Witnesses } from './witnesses.ts';

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

/** What is stored of one message, read in one transaction. */
interface StoredRows {
  readonly proof: SealedProof;
  readonly own: MessageLeafRow;
  readonly content: MessageContentRow | undefined;
  readonly key: VerifierKey;
  readonly inclusion: TlogProof;
  readonly outcomes: readonly StoredOutcome[];
  /** The message's own, over its canonical hash alone. */
  readonly messageCertificate: StampColumns | undefined;
  /** Of all these time-stamps. */
  readonly revocation: readonly RevocationRow[];
}

interface StoredOutcome {
  readonly leaf: MessageLeafRow;
  readonly content: OutcomeContent;
  readonly inclusion: TlogProof;
  readonly certificate: CertificateRow | undefined;
}

/** Throws not_found and missing_proof_data; EvidenceError when the rows do not hang together. */
export async function readProofBundle(
  deps: ProofBundleDeps,
  tenantId: string,
  messageId: string,
): Promise<ProofBundle> {
  const rows = await deps.db.asTenant(tenantId, (tx) => readRows(tx, deps.log, tenantId, messageId));
  const { proof, key } = rows;
  const trust: TrustPolicy = {
    logKeys: [key],
    timeStamps: distinctPolicies(stampsOf(rows)),
    ...witnessPolicy(deps.witnesses ?? NO_WITNESSES, [
      rows.inclusion,
      ...rows.outcomes.map(({ inclusion }) => inclusion),
    ]),
  };
  return { proof, trust, bundle: assembleBundle(toEvidence(rows, trust), sha256) };
}

/** Every time-stamp of the bundle. */
function stampsOf({
  proof,
  outcomes,
  messageCertificate,
}: Pick<StoredRows, 'proof' | 'outcomes' | 'messageCertificate'>): StampColumns[] {
  return [
    proof.certificate,
    ...outcomes.flatMap(({ certificate }) => certificate ?? []),
    ...(messageCertificate === undefined ? [] : [messageCertificate]),
  ];
}

async function readRows(
  q: Queryable,
  log: LogSigner,
  tenantId: string,
  messageId: string,
): Promise<StoredRows> {
  const proof = await requireSealed(q, tenantId, messageId);
  const [leaves, content, messageCertificate] = await Promise.all([
    readMessageLeaves(q, tenantId, messageId),
    findMessageContent(q, tenantId, messageId),
    findMessageCertificate(q, tenantId, messageId),
  ]);
  const own = leaves.find((leaf) => leaf.kind === 'message');
  if (own === undefined) throw new EvidenceError('manifest', 'what the leaf commits to is not stored');
  const key = proof.logId === log.logId ? log.key : await readKey(q, proof.logId);
  const { logId, leafIndex, treeSize, note } = proof;
  const outcomes = await readOutcomes(q, tenantId, messageId, leaves);
  const stamps = stampsOf({ proof, outcomes, messageCertificate });
  return {
    proof,
    own,
    content,
    key,
    inclusion: await proveInclusion(q, { logId, leafIndex, treeSize, note }),
    outcomes,
    messageCertificate,
    revocation: await readRevocation(
      q,
      stamps.flatMap(({ revocation }) => revocation),
    ),
  };
}

/**
 * Every known witness, and as quorum what every checkpoint in the bundle has reached of it. A witness that was down makes a bundle say less,
 * not nothing: whoever asks for more pins a policy of their own.
 */
function witnessPolicy(
  { list, quorum }: Witnesses,
  proofs: readonly TlogProof[],
): Pick<TrustPolicy, 'witnessKeys' | 'witnessQuorum'> {
  const reached = proofs.map(({ checkpointNote }) => {
    const { signatures } = parseNote(utf8(checkpointNote));
    return list.filter(({ key }) =>
      signatures.some(({ name, keyId }) => name === key.name && equalBytes(keyId, key.keyId)),
    ).length;
  });
  return { witnessKeys: list.map(({ key }) => key), witnessQuorum: Math.min(quorum, ...reached) };
}

async function readKey(q: Queryable, logId: string): Promise<VerifierKey> {
  const row = await findLogKey(q, logId);
  if (row === undefined) throw new EvidenceError('checkpoint', 'the log that the leaf is in is not stored');
  return verifierKey(row.origin, row.publicKey, sha256);
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

/** Outcomes up to the first that no checkpoint covers yet: each names the one before, so that none can stand without it. */
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
  const contents = await readOutcomeContents(q, tenantId, messageId, attempts);
  return Promise.all(
    placed.map(async ({ leaf, place, manifest }) => ({
      leaf,
      content: contentOf(manifest, contents),
      inclusion: await proveInclusion(q, place),
      certificate: await findCertificate(q, place.logId, place.treeSize),
    })),
  );
}

function toEvidence(rows: StoredRows, policy: TrustPolicy): StoredEvidence {
  const { proof, own, content, inclusion, outcomes, messageCertificate } = rows;
  const canonicalHash = toHex(sha256(own.manifest));
  const secret = own.openings;
  const mail = { mailFrom: proof.reversePath, rcptTo: proof.recipientAddress };
  const opened = content !== undefined && secret !== null;
  return {
    manifest: own.manifest,
    // Content and secret are erased together; what is left of one alone opens nothing and is not shown.
    openings: opened
      ? openMessage(canonicalHash, { ...content, ...mail }, secret, sha256)
      : erasedOpenings(canonicalHash),
    ...(opened && { message: content.raw, submission: content.submission }),
    proof: inclusion,
    constancia: toStamp(proof.certificate),
    ...(messageCertificate !== undefined && { messageConstancia: toStamp(messageCertificate) }),
    deliveries: outcomes.map(toDelivery),
    revocation: new Map(rows.revocation.map((row) => [revocationName(row), row.content])),
    policy,
  };
}

/** Salts and contents are erased together; what is left of one alone opens nothing, and the leaf is shown closed. */
function toDelivery({ leaf, content, inclusion, certificate }: StoredOutcome): StoredDelivery {
  const { openings } = leaf;
  const { transcript, dsn } = content;
  return {
    manifest: leaf.manifest,
    proof: inclusion,
    ...(openings !== null &&
      isWhole(content) && { openings, ...(transcript && { transcript }), ...(dsn && { dsn }) }),
    ...(certificate !== undefined && { constancia: toStamp(certificate) }),
  };
}

/** The same in every bundle, for renewals list it. */
function revocationName({ sha256: hash, kind }: RevocationRow): string {
  return `${toHex(hash)}.${kind}`;
}

function toStamp({ token, policy, profile, genTime, chain }: StampColumns): StoredStamp {
  return {
    token,
    facts: {
      profile: readTimeStampPolicy(policy).profile,
      development: profile === 'development',
      genTime: genTime.toISOString(),
      certificates: chain,
    },
  };
}

function distinctPolicies(certificates: readonly StampColumns[]): TimeStampPolicy[] {
  const policies = certificates.map(({ policy }) => readTimeStampPolicy(policy));
  return [...new Map(policies.map((policy) => [JSON.stringify(policy), policy])).values()];
}
