import { isBodyText, readMail, readPartOf, type ShownPart } from '@acuse/mail/read-mail';
import { findReferences, type References } from '@acuse/mail/references';
import { sha256 } from '../platform/sha256.ts';
import { type Job, ownBuffer } from '../platform/threads/job.ts';

/** Jobs of a thread that show a large message. */

const JOB_LIMIT_MS = 30_000;

export interface PartFacts {
  readonly mediaType: string;
  readonly filename: string | null;
  readonly disposition: ShownPart['disposition'];
  readonly contentId: string | null;
  readonly sizeBytes: number;
  readonly sha256: Uint8Array;
}

export interface ReadParts extends References {
  readonly header: readonly { readonly name: string; readonly value: string }[];
  readonly parts: readonly PartFacts[];
}

export const readPartsJob: Job<Uint8Array, ReadParts> = {
  name: 'read-parts',
  limitMs: JOB_LIMIT_MS,
  run(raw) {
    const { header, parts } = readMail(raw);
    const texts = parts.flatMap((part, index) =>
      isBodyText(part) ? [{ index, mediaType: part.mediaType, text: utf8(part.content) }] : [],
    );
    return { header, parts: parts.map(factsOf), ...findReferences(texts) };
  },
};

export interface PartContent {
  readonly filename: string | null;
  readonly content: Uint8Array<ArrayBuffer>;
}

export const readPartJob: Job<{ readonly raw: Uint8Array; readonly index: number }, PartContent | null> = {
  name: 'read-part',
  limitMs: JOB_LIMIT_MS,
  run({ raw, index }) {
    const part = readPartOf(raw, index);
    return part && { filename: part.filename, content: ownBuffer(part.content) };
  },
  handedOver: (part) => (part === null ? [] : [part.content.buffer]),
};

function factsOf({ mediaType, filename, disposition, contentId, content }: ShownPart): PartFacts {
  return { mediaType, filename, disposition, contentId, sizeBytes: content.length, sha256: sha256(content) };
}

export function utf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
