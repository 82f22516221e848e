import { equalBytes, toHex } from '@acuse/evidence/bytes';
import { SALT_BYTES } from '@acuse/evidence/commitment';
import { EvidenceError } from '@acuse/evidence/errors';
import { isMessageManifest, type MessageManifest, parseMessageManifest } from '@acuse/evidence/manifest';
import { assertOpens, openMessage } from '@acuse/evidence/openings';
import { hideToken } from '@acuse/mail/hide-token';
import type { Db } from '../../platform/database/db.ts';
import { sha256 } from '../../platform/sha256.ts';
import { columnFaults } from './fsck-columns.ts';
import { readErased } from './fsck-deletion-store.ts';
import { type FsckContent, type FsckLeafRow, readContentsToCheck, type SealTold } from './fsck-leaf-store.ts';
import { readSealsToCheck, type SealRow } from './fsck-life-store.ts';
import type { Report } from './fsck-report.ts';
import type { LogName } from './fsck-store.ts';

/** True: certainly correct, judged by the row alone. False: unknown, checkLeafContents decides. */
export function isSound(log: LogName, leaf: FsckLeafRow): boolean {
  const { kind, manifest, contentHash, content, canonicalHash } = leaf;
  return (
    kind === 'message' &&
    manifest !== null &&
    contentHash !== null &&
    content !== null &&
    leaf.archivedBytes === null &&
    !leaf.pending &&
    leaf.sealedEvents === (leaf.sealed ? 1 : 0) &&
    leaf.contentMessageId === leaf.messageId &&
    isWhole(leaf) &&
    equalBytes(contentHash, canonicalHash) &&
    equalBytes(sha256(manifest), canonicalHash) &&
    makesManifest(log, leaf, manifest, content) &&
    columnFaults(leaf, content).length === 0
  );
}

/** Content in memory at once (bytes). */
const CONTENT_BYTES_PER_READ = 16 * 1024 * 1024;

/** Manifest against hash, then rows and bytes against manifest. */
export async function checkLeafContents(
  db: Db,
  log: LogName,
  leaves: readonly FsckLeafRow[],
  report: Report,
): Promise<void> {
  for (const group of groupBySize(leaves)) {
    const messages = group.filter((leaf) => leaf.kind === 'message');
    const large = messages.filter((leaf) => leaf.content === null && leaf.contentBytes !== null);
    const rows = large.length === 0 ? [] : await readContentsToCheck(db, large);
    const contents = new Map<string, FsckContent>(rows.map((row) => [row.messageId, row]));
    // Read last, so that a concurrent erasure is recorded.
    const missing = messages.filter((leaf) => leaf.content === null && !contents.has(leaf.messageId));
    const erased = await readErased(db, missing);
    for (const leaf of group) {
      const problem = (check: string, detail: string) =>
        report.problem(check, `${log.origin} leaf ${leaf.leafIndex} (message ${leaf.messageId})`, detail);
      const read = leaf.content ?? contents.get(leaf.messageId);
      const content = read ?? (erased.has(leaf.messageId) ? 'erased' : undefined);
      checkLeaf(log, leaf, content, report, problem);
    }
  }
}

export interface ToldSeal extends SealTold {
  readonly leafIndex: number;
  readonly treeSize: number;
  readonly messageId: string;
  readonly acceptedAt: Date | null;
}

/** Adds new facts only: leaves of one checkpoint agree. Keeps the latest acceptance. */
export function noteSeal(told: ToldSeal[], leaf: FsckLeafRow): void {
  if (leaf.kind !== 'message' || leaf.sealedTold === null) return;
  const { leafIndex, treeSize, messageId, sealedTold, createdAt: acceptedAt } = leaf;
  const last = told.at(-1);
  if (
    last?.treeSize === treeSize &&
    last.stampId === sealedTold.stampId &&
    last.sealedAt === sealedTold.sealedAt &&
    last.batchId === sealedTold.batchId &&
    last.merkleRoot === sealedTold.merkleRoot &&
    last.occurredAt?.getTime() === sealedTold.occurredAt?.getTime() &&
    (acceptedAt === null || (last.acceptedAt !== null && last.acceptedAt >= acceptedAt))
  )
    return;
  told.push({ leafIndex, treeSize, messageId, acceptedAt, ...sealedTold });
}

/** Largest clock difference between machines (ms). */
export const CLOCKS_APART_MS = 5 * 60_000;

/** Each message under a constancia was notified of it: a replaced one differs. Once a checkpoint. */
export async function checkSeals(
  db: Db,
  log: LogName,
  told: readonly ToldSeal[],
  report: Report,
): Promise<void> {
  if (told.length === 0) return;
  const sizes = [...new Set(told.map((seal) => seal.treeSize))];
  const seals = new Map((await readSealsToCheck(db, log.logId, sizes)).map((row) => [row.treeSize, row]));
  const said = new Set<number>();
  for (const each of told) {
    const seal = seals.get(each.treeSize);
    if (seal === undefined || said.has(each.treeSize)) continue;
    const fault = sealFault(seal, each);
    if (fault === null) continue;
    said.add(each.treeSize);
    report.problem('constancia', `${log.origin} checkpoint ${each.treeSize}`, fault);
  }
}

/** Mismatch between a checkpoint's constancia and a message's event. */
function sealFault(seal: SealRow, told: ToldSeal): string | null {
  const { messageId, stampId, sealedAt, batchId, merkleRoot, occurredAt, acceptedAt } = told;
  const stored = seal.genTime.toISOString();
  if (stampId !== seal.stampId || sealedAt !== stored)
    return `gen_time ${stored} of ${seal.stampId} is not what was reported: message ${messageId} was sealed at ${sealedAt} by ${stampId}`;
  if (batchId !== seal.batchId || merkleRoot !== toHex(seal.rootHash))
    return `batch ${seal.batchId} with the root ${toHex(seal.rootHash)} is not what was reported: message ${messageId} was reported in ${batchId} with ${merkleRoot}`;
  if (occurredAt?.getTime() !== seal.stampedAt.getTime())
    return `its constancia was stored at ${seal.stampedAt.toISOString()}, and reported for message ${messageId} at ${occurredAt?.toISOString()}`;
  if (acceptedAt !== null && acceptedAt.getTime() > seal.signedAt.getTime() + CLOCKS_APART_MS)
    return `was signed at ${seal.signedAt.toISOString()}, before its message ${messageId} was accepted at ${acceptedAt.toISOString()}`;
  return null;
}

function groupBySize(leaves: readonly FsckLeafRow[]): FsckLeafRow[][] {
  const groups: FsckLeafRow[][] = [];
  let sizeBytes = Number.POSITIVE_INFINITY;
  for (const leaf of leaves) {
    if (sizeBytes > CONTENT_BYTES_PER_READ) {
      groups.push([]);
      sizeBytes = 0;
    }
    groups.at(-1)!.push(leaf);
    sizeBytes += leaf.contentBytes ?? 0;
  }
  return groups;
}

type Problem = (check: string, detail: string) => void;
/** Undefined: missing without a record. */
type FoundContent = FsckContent | 'erased' | undefined;

interface ToCheck {
  readonly log: LogName;
  readonly manifest: Uint8Array;
  readonly content: FoundContent;
}

function checkLeaf(
  log: LogName,
  leaf: FsckLeafRow,
  content: FoundContent,
  report: Report,
  problem: Problem,
): void {
  if (leaf.pending) problem('leaf', 'is in the log and still pending');
  if (leaf.manifest === null || leaf.contentHash === null) {
    problem('manifest', 'what it commits to is gone');
    return;
  }
  const hash = sha256(leaf.manifest);
  if (!equalBytes(hash, leaf.canonicalHash)) {
    problem(
      'canonical_hash',
      `the leaf is ${toHex(leaf.canonicalHash)}, the manifest hashes to ${toHex(hash)}`,
    );
  }
  if (!equalBytes(leaf.contentHash, leaf.canonicalHash)) {
    problem('canonical_hash', `is stored next to the manifest as ${toHex(leaf.contentHash)}`);
  }
  if (leaf.contentMessageId !== leaf.messageId) {
    problem('leaf', `its manifest is stored as that of message ${leaf.contentMessageId}`);
  }
  try {
    if (leaf.kind === 'message')
      checkMessage(leaf, { log, manifest: leaf.manifest, content }, report, problem);
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    problem(error.check, error.detail);
  }
}

function checkMessage(
  leaf: FsckLeafRow,
  { log, manifest: stored, content }: ToCheck,
  report: Report,
  problem: Problem,
): void {
  report.count('messages');
  const events = leaf.sealed ? 1 : 0;
  if (leaf.sealedEvents !== events)
    problem('events', `email.sealed was recorded ${leaf.sealedEvents} times, not ${events}`);
  const isThere = content !== undefined && content !== 'erased';
  if (isThere && leaf.archivedBytes !== null)
    problem('content', 'the content is recorded as archived alone, and still there');
  if (isThere && isWhole(leaf) && makesManifest(log, leaf, stored, content)) {
    for (const fault of columnFaults(leaf, content)) problem('message', fault);
    return;
  }
  const manifest = parseMessageManifest(stored);
  const facts: [string, string | null, string | null][] = [
    ['log', manifest.log, log.origin],
    ['tenant_id', manifest.tenant_id, leaf.tenantId],
    ['message_id', manifest.message_id, leaf.messageId],
    [
      'tenant_sequence',
      manifest.tenant_sequence,
      leaf.tenantSequence === null ? null : String(leaf.tenantSequence),
    ],
    ['accepted_at', manifest.accepted_at, leaf.createdAt?.toISOString() ?? null],
    ['acknowledgement', manifest.acknowledgement?.until ?? null, leaf.asked?.until.toISOString() ?? null],
    ['leaf_id', leaf.messageId, leaf.leafId],
    ['canonical_hash', toHex(leaf.canonicalHash), leaf.messageHash && toHex(leaf.messageHash)],
    ['certified', 'true', String(leaf.certified)],
  ];
  for (const [name, committed, stored] of facts) {
    if (committed !== stored)
      problem('message', `${name}: the leaf says ${committed}, the message ${stored}`);
  }
  checkContent(leaf, manifest, content, report, problem);
}

/** Consistency of the message's record beyond the manifest. */
function isWhole({ leafId, messageId, messageHash, canonicalHash, certified }: FsckLeafRow): boolean {
  return (
    leafId === messageId &&
    messageHash !== null &&
    equalBytes(messageHash, canonicalHash) &&
    certified === true
  );
}

function checkContent(
  leaf: FsckLeafRow,
  manifest: ReturnType<typeof parseMessageManifest>,
  content: FoundContent,
  report: Report,
  problem: Problem,
): void {
  if (content === 'erased') {
    report.count('erased');
    return;
  }
  // Content and openings are erased together and recorded, or not at all.
  const isArchived = content === undefined && leaf.archivedBytes !== null;
  if (content === undefined && !isArchived) {
    problem('content', 'the content is gone, and no erasure is on record');
    return;
  }
  if (leaf.openings === null) {
    problem('content', 'what opens the commitments is gone');
    return;
  }
  if (leaf.openings.length !== SALT_BYTES) {
    problem('openings', `what opens the commitments has ${leaf.openings.length} bytes`);
    return;
  }
  // acuse verify --archive checks it, and every read does.
  if (content === undefined) {
    report.count('archived');
    return;
  }
  const { raw, submission } = content;
  const opened = openMessage(
    toHex(leaf.canonicalHash),
    { raw, submission, mailFrom: hideToken(leaf.reversePath ?? ''), rcptTo: leaf.recipientAddress ?? '' },
    leaf.openings,
    sha256,
  );
  assertOpens(opened, manifest, toHex(leaf.canonicalHash), sha256);
  for (const fault of columnFaults(leaf, content)) problem('message', fault);
}

type DkimFacts = MessageManifest['dkim'];

/** Cached DKIM facts: a domain's keys stay for months. */
const known = new Map<string, DkimFacts>();
/** Cleared when full. */
const KNOWN_MAX = 256;
/** Neighbouring messages mostly share a sender. */
let latest: { readonly bytes: Buffer; readonly dkim: DkimFacts } | undefined;

/**
 * True: rows and bytes reproduce the manifest exactly, so that everything matches at half the cost. False:
 * unknown, the full check decides.
 */
function makesManifest(
  log: LogName,
  leaf: FsckLeafRow,
  manifest: Uint8Array,
  { raw, submission }: FsckContent,
): boolean {
  const { openings: secret, tenantSequence, createdAt, messageId, tenantId } = leaf;
  if (secret === null || tenantSequence === null || createdAt === null) return false;
  const envelope = { mailFrom: hideToken(leaf.reversePath ?? ''), rcptTo: leaf.recipientAddress ?? '' };
  const asked = leaf.asked && { acknowledgeUntil: leaf.asked.until };
  const ids = { log: log.origin, messageId, tenantId, acceptedAt: createdAt, ...asked };
  try {
    // The only field without a row.
    const dkim = keysOf(manifest);
    const input = { ...ids, raw, submission, ...envelope, dkim, secret };
    return isMessageManifest(manifest, input, BigInt(tenantSequence), sha256);
  } catch (error) {
    if (error instanceof EvidenceError) return false;
    throw error;
  }
}

/** Parses the whole manifest for a new text. Throws EvidenceError. */
function keysOf(manifest: Uint8Array): DkimFacts {
  if (latest !== undefined) {
    const { bytes } = latest;
    const there = manifest.subarray(DKIM_FROM, DKIM_FROM + bytes.length);
    if (Buffer.compare(there, bytes) === 0) return latest.dkim;
  }
  const text = dkimText(manifest);
  const dkim = known.get(text) ?? parseMessageManifest(manifest).dkim;
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(text, dkim);
  latest = { bytes: Buffer.from(`${text}${DKIM_TO}`, 'latin1'), dkim };
  return dkim;
}

/** The first two fields have this form, otherwise nothing is cached. */
const DKIM_FROM = '{"accepted_at":"2026-01-01T00:00:00.000Z","dkim":'.length;
const DKIM_TO = ',"envelope":';

function dkimText({ buffer, byteOffset, length }: Uint8Array): string {
  const bytes = Buffer.from(buffer, byteOffset, length);
  return bytes.toString('latin1', DKIM_FROM, Math.max(DKIM_FROM, bytes.indexOf(DKIM_TO, DKIM_FROM)));
}
