import { EvidenceError } from '@acuse/evidence/errors';
import { isMessageManifest, type MessageManifest, parseMessageManifest } from '@acuse/evidence/manifest';
import { hideToken } from '@acuse/mail/hide-token';
import { sha256 } from '../../platform/sha256.ts';
import type { FsckContent, FsckLeafRow } from './fsck-leaf-store.ts';
import type { LogName } from './fsck-store.ts';

type DkimFacts = MessageManifest['dkim'];

/** What manifests say of keys, by their text: a domain's are the same for months. */
const known = new Map<string, DkimFacts>();
/** All are forgotten when there are as many. */
const KNOWN_MAX = 256;
/** Those of the message before, as bytes: its neighbours are mostly of the same sender. */
let latest: { readonly bytes: Buffer; readonly dkim: DkimFacts } | undefined;

/**
 * True when the rows and bytes of a message make exactly the manifest that its leaf commits to: then each
 * field of it is theirs, and every commitment opens. Half the work of reading it and opening each. False says
 * nothing yet: reading it tells what is wrong, if anything is.
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
  const ids = { log: log.origin, messageId, tenantId, acceptedAt: createdAt };
  try {
    // The only field that is in no row.
    const dkim = keysOf(manifest);
    const input = { ...ids, raw, submission, ...envelope, dkim, secret };
    return isMessageManifest(manifest, input, BigInt(tenantSequence), sha256);
  } catch (error) {
    if (error instanceof EvidenceError) return false;
    throw error;
  }
}

/** Of a manifest that is read whole where its text is a new one. Throws EvidenceError. */
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

/** The first two fields have this form; of bytes that have not, no text is known. */
const DKIM_FROM = '{"accepted_at":"2026-01-01T00:00:00.000Z","dkim":'.length;
const DKIM_TO = ',"envelope":';

function dkimText({ buffer, byteOffset, length }: Uint8Array): string {
  const bytes = Buffer.from(buffer, byteOffset, length);
  return bytes.toString('latin1', DKIM_FROM, Math.max(DKIM_FROM, bytes.indexOf(DKIM_TO, DKIM_FROM)));
}
