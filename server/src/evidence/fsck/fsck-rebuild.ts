import { EvidenceError } from '@acuse/evidence/errors';
import { isMessageManifest, type MessageManifest, parseMessageManifest } from '@acuse/evidence/manifest';
import { hideToken } from '@acuse/mail/hide-token';
import { sha256 } from '../../platform/sha256.ts';
import type { FsckContent, FsckLeafRow } from './fsck-leaf-store.ts';
import type { LogName } from './fsck-store.ts';

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
export function makesManifest(
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
