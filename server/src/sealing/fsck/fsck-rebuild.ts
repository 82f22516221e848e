import { equalBytes } from '@acuse/evidence/bytes';
import { EvidenceError } from '@acuse/evidence/errors';
import { draftMessageManifest, finishManifest, type MessageManifest } from '@acuse/evidence/manifest';
import { hideToken } from '@acuse/mail/hide-token';
import { sha256 } from '../../platform/sha256.ts';
import type { FsckContent, FsckLeafRow } from './fsck-leaf-store.ts';
import type { LogName } from './fsck-store.ts';

type DkimFacts = MessageManifest['dkim'];

/** What manifests that were read and hold say of keys, by their text: a domain's are the same for months. */
const known = new Map<string, DkimFacts>();
/** All are forgotten when there are as many. */
const KNOWN_MAX = 256;

/**
 * True when the rows and bytes of a message make exactly the manifest that its leaf commits to: then each
 * field of it is theirs, and every commitment opens. Half the work of reading it and opening each. False says
 * nothing yet: reading it tells what is wrong, if anything is.
 */
export function makesManifest(
  log: LogName,
  leaf: FsckLeafRow,
  manifest: { readonly bytes: Uint8Array; readonly hash: Uint8Array },
  { raw, submission }: FsckContent,
): boolean {
  const { openings: secret, tenantSequence, createdAt, messageId, tenantId } = leaf;
  if (secret === null || tenantSequence === null || createdAt === null) return false;
  // The only field that is in no row; what it says was read once.
  const dkim = known.get(dkimText(manifest.bytes));
  if (dkim === undefined) return false;
  const envelope = { mailFrom: hideToken(leaf.reversePath ?? ''), rcptTo: leaf.recipientAddress ?? '' };
  const ids = { log: log.origin, messageId, tenantId, acceptedAt: createdAt };
  try {
    const draft = draftMessageManifest({ ...ids, raw, submission, ...envelope, dkim, secret }, sha256);
    return equalBytes(finishManifest(draft, BigInt(tenantSequence), sha256).canonicalHash, manifest.hash);
  } catch (error) {
    if (error instanceof EvidenceError) return false;
    throw error;
  }
}

/** Of a manifest that was read whole and holds. */
export function rememberKeys(bytes: Uint8Array, { dkim }: MessageManifest): void {
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(dkimText(bytes), dkim);
}

/** The first two fields have this form; of bytes that have not, no text is known. */
const DKIM_FROM = '{"accepted_at":"2026-01-01T00:00:00.000Z","dkim":'.length;

function dkimText({ buffer, byteOffset, length }: Uint8Array): string {
  const bytes = Buffer.from(buffer, byteOffset, length);
  return bytes.toString('latin1', DKIM_FROM, Math.max(DKIM_FROM, bytes.indexOf(',"envelope":', DKIM_FROM)));
}
