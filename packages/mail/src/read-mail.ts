/**
 * A message as people see it: the fields of its header, and its parts as they were hashed. Reads anything;
 * broken parts are shown unchanged.
 */
import { readEncodedWords } from '@acuse/evidence/encoded-words';
import { fieldText } from '@acuse/evidence/mime-header';
import { dispositionOf, field, type Leaf, leavesOf, type Part, readLeaf } from '@acuse/evidence/mime-parts';
import { splitMessage } from '@acuse/evidence/relaxed';

export interface ShownField {
  readonly name: string;
  /** Unfolded, its encoded words decoded. */
  readonly value: string;
}

/** In the order in which evidence counts parts, with the content that it hashes. */
export interface ShownPart extends Part {
  readonly disposition: 'inline' | 'attachment' | null;
  /** Without angle brackets: what a `cid:` address names. */
  readonly contentId: string | null;
}

export interface ShownMail {
  readonly header: readonly ShownField[];
  readonly parts: readonly ShownPart[];
}

/** Characters of a content id that are read. */
const CONTENT_ID_MAX_CHARS = 998;

/** CRLF line ends. Throws EvidenceError for a message beyond the limits of evidence. */
export function readMail(raw: Uint8Array): ShownMail {
  const split = splitMessage(raw);
  const header = split.headers.flatMap(({ name, raw: text }) =>
    name === '' ? [] : [{ name, value: readEncodedWords(fieldText(text)) }],
  );
  return { header, parts: leavesOf(raw, split).map(readPart) };
}

/** One part alone; null when there are not so many. Throws as readMail. */
export function readPartOf(raw: Uint8Array, index: number): ShownPart | null {
  const leaf = leavesOf(raw, splitMessage(raw))[index];
  return leaf === undefined ? null : readPart(leaf);
}

function readPart(leaf: Leaf): ShownPart {
  const { value } = dispositionOf(leaf);
  const id = (field(leaf.headers, 'content-id') ?? '').slice(0, CONTENT_ID_MAX_CHARS).replace(/^<|>$/g, '');
  return {
    ...readLeaf(leaf),
    // An unknown disposition means an attachment. RFC 2183 §2.8
    disposition: value === '' ? null : value === 'inline' ? 'inline' : 'attachment',
    contentId: id === '' ? null : id,
  };
}

/** True if mail programs show it as text of the message. */
export function isBodyText({ mediaType, filename, disposition }: ShownPart): boolean {
  return (
    (mediaType === 'text/html' || mediaType === 'text/plain') &&
    filename === null &&
    disposition !== 'attachment'
  );
}
