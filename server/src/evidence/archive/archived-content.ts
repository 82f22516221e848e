import type { ArchivePart } from '@acuse/evidence/archive-index';
import { readPartMessages } from '@acuse/evidence/archive-verify';
import type { Bundle } from '@acuse/evidence/bundle';
import { equalBytes, type Sha256, toHex } from '@acuse/evidence/bytes';
import { EvidenceError } from '@acuse/evidence/errors';
import { parseMessageManifest } from '@acuse/evidence/manifest';
import { assertOpens, openMessage } from '@acuse/evidence/openings';
import { hideToken } from '@acuse/mail/hide-token';
import { sha256 } from '../../platform/sha256.ts';
import { type Job, ownBuffer } from '../../platform/threads/job.ts';

export interface Commitment {
  readonly messageId: string;
  readonly canonicalHash: Uint8Array;
  readonly manifest: Uint8Array;
  readonly openings: Uint8Array | null;
  readonly reversePath: string;
  readonly recipientAddress: string;
}

interface Content {
  readonly raw: Uint8Array;
  readonly submission: Uint8Array;
}

/** Throws EvidenceError for anything but the bytes that were sealed. */
export function openArchived(archived: Bundle, of: Commitment, hash: Sha256): Content {
  const [raw, submission] = [archived.get('message.eml'), archived.get('submission.bin')];
  if (raw === undefined || submission === undefined)
    throw new EvidenceError('archive', `it has no content of the message ${of.messageId}`);
  const { manifest, openings, canonicalHash } = of;
  if (openings === null) throw new EvidenceError('openings', 'what opens the commitments is gone');
  if (!equalBytes(sha256(manifest), canonicalHash))
    throw new EvidenceError('canonical_hash', 'the manifest stored is not the one of the leaf');
  const mail = { mailFrom: hideToken(of.reversePath), rcptTo: of.recipientAddress };
  const opened = openMessage(toHex(canonicalHash), { raw, submission, ...mail }, openings, hash);
  assertOpens(opened, parseMessageManifest(manifest), toHex(canonicalHash), hash);
  return { raw, submission };
}

interface ArchivedContentInput {
  readonly part: ArchivePart;
  readonly object: Uint8Array;
  readonly of: Commitment;
}

/** A damaged archive is a result. */
type ArchivedContentOutput =
  | {
      readonly kind: 'found';
      readonly raw: Uint8Array<ArrayBuffer>;
      readonly submission: Uint8Array<ArrayBuffer>;
    }
  | { readonly kind: 'damaged'; readonly check: string; readonly detail: string };

/** A part of 112 MiB takes a second on a slow machine (ms). */
const JOB_LIMIT_MS = 60_000;

export const archivedContentJob: Job<ArchivedContentInput, ArchivedContentOutput> = {
  name: 'archived-content',
  limitMs: JOB_LIMIT_MS,
  async run({ part, object, of }) {
    try {
      const { messages, sha256: hash } = await readPartMessages(async () => object, part, sha256);
      const found = messages.find(({ id }) => id === of.messageId)?.archived ?? new Map();
      const { raw, submission } = openArchived(found, of, hash);
      return { kind: 'found', raw: ownBuffer(raw), submission: ownBuffer(submission) };
    } catch (error) {
      if (!(error instanceof EvidenceError)) throw error;
      return { kind: 'damaged', check: error.check, detail: error.detail };
    }
  },
  handedOver: (output) => (output.kind === 'found' ? [output.raw.buffer, output.submission.buffer] : []),
};
