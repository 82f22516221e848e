/**
 * The layers in which a message is hashed, so that one changed by mail systems still matches in part: L0 its
 * bytes, L1 its header and body in DKIM's relaxed form, L2 its parts decoded.
 */
import { type Sha256, toHex, utf8 } from './bytes.ts';
import { jcs } from './jcs.ts';
import { leafParts, type Part } from './mime-parts.ts';
import { relaxedBody, relaxedHeaders, splitMessage } from './relaxed.ts';

/** The fields of L1, each as often as the message has it. Absent ones add nothing. */
export const L1_HEADERS = [
  'From',
  'To',
  'Cc',
  'Subject',
  'Date',
  'Message-ID',
  'Reply-To',
  'In-Reply-To',
  'References',
  'MIME-Version',
  'Content-Type',
  'Content-Transfer-Encoding',
  'Service-Evidence',
] as const;

/**
 * The content of a part's commitment, as canonical JSON. `sha256`: of the part's content, hex; `size`: its
 * bytes.
 */
export type PartFacts = { filename: string | null; media_type: string; sha256: string; size: number };

/** SHA-256 of each layer. */
export type MessageLayers = { raw: Uint8Array; header: Uint8Array; body: Uint8Array; parts: PartFacts[] };

export type LayerContents = { raw: Uint8Array; header: Uint8Array; body: Uint8Array; parts: readonly Part[] };

/** Throws EvidenceError `message` or `parts` for a message beyond the limits. CRLF line ends. */
export function messageLayers(raw: Uint8Array, sha256: Sha256): MessageLayers {
  return hashLayers(layerContents(raw), sha256);
}

/** Throws as `messageLayers`. */
export function layerContents(raw: Uint8Array): LayerContents {
  const split = splitMessage(raw);
  const { headers, body } = split;
  return {
    raw,
    header: relaxedHeaders(headers, L1_HEADERS),
    body: relaxedBody(body),
    parts: leafParts(raw, split),
  };
}

export function hashLayers({ raw, header, body, parts }: LayerContents, sha256: Sha256): MessageLayers {
  return {
    raw: sha256(raw),
    header: sha256(header),
    body: sha256(body),
    parts: parts.map((part) => partFacts(part, sha256)),
  };
}

export function partFacts({ filename, mediaType, content }: Part, sha256: Sha256): PartFacts {
  return { filename, media_type: mediaType, sha256: toHex(sha256(content)), size: content.length };
}

/** Over their canonical JSON. */
export function partFactsHash(
  { filename, media_type, sha256: hash, size }: PartFacts,
  sha256: Sha256,
): Uint8Array {
  // The names in order, so that nothing is sorted for each part. RFC 8785 §3.2.3
  const names = `{"filename":${jcs(filename)},"media_type":${jcs(media_type)},`;
  return sha256(utf8(`${names}"sha256":${jcs(hash)},"size":${jcs(size)}}`));
}
