/**
 * The body of a submitted message in its original form: its parts, their types and names, in order. Changes
 * only what cannot be sent unchanged: transfer encodings, and characters that no header may hold.
 */
import { type MediaType, readMediaType } from './attachment.ts';
import { decodeOctets, namesCharset } from './charset.ts';
import { type HeaderText, isHeaderText } from './header-text.ts';
import { shownWords } from './header-words.ts';
import { MIME_DEPTH_MAX } from './limits.ts';
import { decodeContent, isAttachment, partName, readDisposition } from './mime-leaf.ts';
import { fieldValue, type HeaderField, type MimeEntity, readMimeTree, refuse } from './mime-tree.ts';
import { isSevenBit, withCrlf } from './transit-form.ts';
import type { Warnings } from './warning.ts';

export type BodyPart = {
  readonly mediaType: MediaType;
  readonly disposition: MediaType | null;
  /** With angle brackets. */
  readonly contentId: string | null;
  /** Other fields about the content, in order. */
  readonly fields: readonly (readonly [name: string, value: HeaderText])[];
  readonly content: BodyContent;
};

export type BodyContent =
  /** Preamble and epilogue: 7-bit lines, empty for none. */
  | { kind: 'parts'; parts: readonly BodyPart[]; preamble: Uint8Array; epilogue: Uint8Array }
  /** `text`: in lines, whose ends may be written as CRLF. */
  | { kind: 'octets'; octets: Uint8Array; text: boolean }
  /** 7-bit lines that go out as they are. */
  | { kind: 'verbatim'; octets: Uint8Array }
  /** A message that has to be written in 7 bits. */
  | { kind: 'message'; header: readonly HeaderField[]; body: BodyPart };

/** A file name fit to be sent; null if that is impossible. */
export type FileName = (name: string) => HeaderText | null;

const NOTHING = new Uint8Array(0);

/** `contents` spares decoding twice. */
export type BodyReading = {
  readonly fileName: FileName;
  readonly contents: Map<MimeEntity, Uint8Array>;
  readonly warnings: Warnings;
};

const CONTENT_ID = /^<[A-Za-z0-9!#$%&'*+/=?^_`{|}~.@-]{1,200}>$/;
const KEPT_FIELDS = ['content-description', 'content-language', 'content-location', 'content-duration'];
const READ_FIELDS: ReadonlySet<string> = new Set([
  ...['content-type', 'content-transfer-encoding', 'content-disposition', 'content-id'],
  ...KEPT_FIELDS,
]);
/** Longest name of a dropped field in a warning; ours. */
const FIELD_NAME_MAX_CHARS = 60;
/** Octets of such a field, of a parameter and of its name; parameters of a disposition; ours. */
const FIELD_MAX_BYTES = 500;
const PARAMETER_MAX_BYTES = 255;
const PARAMETER_NAME_MAX_CHARS = 30;
const DISPOSITION_PARAMETERS_MAX = 8;
const NOT_ASCII = /[^\x20-\x7e]/;
const NAMES = new Set(['name', 'filename']);
const ASCII_OR_NONE = new Set(['', 'us-ascii', 'ascii', 'ansi_x3.4-1968']);

/**
 * The tree of a message that was read. `fileName` makes a name fit, or gives null. Throws MailInputError
 * about `body` for signed or encrypted MIME that cannot go out as it is.
 */
export function keepBody(root: MimeEntity, reading: BodyReading): BodyPart {
  return keepPart(root, reading, 0);
}

function keepPart(entity: MimeEntity, reading: BodyReading, depth: number): BodyPart {
  const contentId = fieldValue(entity, 'content-id') ?? '';
  const disposition = readDisposition(entity);
  const kept = {
    mediaType: readMediaType({
      type: entity.type.value,
      parameters: parametersOf(entity.type, reading),
    }),
    disposition: dispositionOf(disposition, reading),
    contentId: CONTENT_ID.test(contentId) ? contentId : null,
    fields: fieldsOf(entity),
  };
  return withContent(kept, entity, reading, depth);
}

function withContent(
  kept: Omit<BodyPart, 'content'>,
  entity: MimeEntity,
  reading: BodyReading,
  depth: number,
): BodyPart {
  const type = entity.type.value;
  if (type === 'multipart/signed' || type === 'multipart/encrypted') return sealed(kept, entity);
  if (type.startsWith('multipart/')) {
    if (kept.mediaType.type !== type) throw refuse('content_type', 'the Content-Type is malformed');
    const parts = entity.children.map((child) => {
      warnOfDropped(child, reading);
      return keepPart(child, reading, depth);
    });
    const preamble = betweenParts(entity.preamble);
    return { ...kept, content: { kind: 'parts', parts, preamble, epilogue: betweenParts(entity.epilogue) } };
  }
  const octets = reading.contents.get(entity) ?? decodeContent(entity);
  if (type.startsWith('message/') && !type.startsWith('message/global'))
    return message(kept, octets, reading, depth);
  const isFile = kept.disposition?.type === 'attachment' || nameIn(kept) !== null;
  const text = type.startsWith('text/') && !isFile && !octets.includes(0);
  return {
    ...kept,
    mediaType: text ? labelled(kept.mediaType, entity, octets, reading) : kept.mediaType,
    content: { kind: 'octets', octets, text },
  };
}

/** Signatures are over the bytes: those go out untouched, or not at all. RFC 1847 §2.1 */
function sealed(kept: Omit<BodyPart, 'content'>, entity: MimeEntity): BodyPart {
  const octets = withCrlf(entity.body);
  const boundary = entity.type.parameters.get('boundary') ?? '';
  if (
    !isSevenBit(octets) ||
    !/^[A-Za-z0-9'()+_,./:=? -]{1,70}$/.test(boundary) ||
    /=\?|'.*'/.test(boundary)
  ) {
    throw refuse(
      'signed_or_encrypted',
      'signed or encrypted MIME must be 7-bit, with lines of at most 998 characters',
    );
  }
  const { type, parameters } = kept.mediaType;
  const mediaType = { type, parameters: [...parameters, ['boundary', boundary as HeaderText] as const] };
  return { ...kept, mediaType, content: { kind: 'verbatim', octets } };
}

/**
 * `message/*` may not be encoded (RFC 2046 §5.2.1): as it is in 7 bits, else its parts are; what cannot be
 * read goes as a file.
 */
function message(
  kept: Omit<BodyPart, 'content'>,
  octets: Uint8Array,
  reading: BodyReading,
  depth: number,
): BodyPart {
  const lines = withCrlf(octets);
  if (isSevenBit(lines)) return { ...kept, content: { kind: 'verbatim', octets: lines } };
  if (kept.mediaType.type === 'message/rfc822' && depth < MIME_DEPTH_MAX) {
    try {
      const root = readMimeTree(octets, reading.warnings);
      const header = root.fields.filter(({ key }) => !key.startsWith('content-') && key !== 'mime-version');
      const body = keepPart(root, { ...reading, contents: new Map() }, depth + 1);
      return { ...kept, content: { kind: 'message', header, body } };
    } catch {
      // Others may read what we cannot: as a file it loses nothing.
    }
  }
  return asFile(kept, octets);
}

function asFile(kept: Omit<BodyPart, 'content'>, octets: Uint8Array): BodyPart {
  const filename = nameIn(kept) ?? ('message.eml' as HeaderText);
  return {
    ...kept,
    mediaType: { type: 'application/octet-stream', parameters: [] },
    disposition: { type: 'attachment', parameters: [['filename', filename]] },
    content: { kind: 'octets', octets, text: false },
  };
}

function nameIn({ mediaType, disposition }: Omit<BodyPart, 'content'>): HeaderText | null {
  const named = [...(disposition?.parameters ?? []), ...mediaType.parameters].find(([name]) =>
    NAMES.has(name),
  );
  return named?.[1] ?? null;
}

/** With the charset that the octets are in: programs label as ASCII, as nothing or by a word of their own. */
function labelled(
  mediaType: MediaType,
  entity: MimeEntity,
  octets: Uint8Array,
  { warnings }: BodyReading,
): MediaType {
  const label = entity.type.parameters.get('charset') ?? '';
  if (namesCharset(label)) return mediaType;
  const decoded = decodeOctets(octets, label);
  // A body like this was refused earlier; any other mislabelled part stays as it is.
  if (decoded === 'invalid' || decoded === 'unreadable') return mediaType;
  const { charset, guessed } = decoded;
  if (guessed) {
    const message = `The ${partName(entity, octets)} names no charset that there is; it was taken as ${charset}: name it in Content-Type.`;
    warnings.add({ code: 'charset_guessed', field: 'body', message });
  }
  // Seven bits under such a label are what they say.
  if (charset === 'us-ascii' && ASCII_OR_NONE.has(label.trim().toLowerCase())) return mediaType;
  const others = mediaType.parameters.filter(([name]) => name !== 'charset');
  return { ...mediaType, parameters: [['charset', charset as HeaderText], ...others] };
}

function dispositionOf(field: MimeEntity['type'], reading: BodyReading): MediaType | null {
  if (field.value === '' && field.parameters.size === 0) return null;
  const value = isAttachment(field) ? 'attachment' : 'inline';
  return { type: value, parameters: parametersOf(field, reading).slice(0, DISPOSITION_PARAMETERS_MAX) };
}

/** The boundary is ours to set; a name is made fit; what no header can hold is left out. */
function parametersOf(field: MimeEntity['type'], { fileName }: BodyReading): [string, HeaderText][] {
  return [...field.parameters].flatMap(([name, value]): [string, HeaderText][] => {
    if (name === 'boundary') return [];
    const kept = NAMES.has(name) ? fileName(value) : value;
    const fits = kept !== null && isHeaderText(kept) && Buffer.byteLength(kept) <= PARAMETER_MAX_BYTES;
    return fits && name.length <= PARAMETER_NAME_MAX_CHARS ? [[name, kept]] : [];
  });
}

/** Other fields of a part mean nothing. RFC 2045 §9 */
function warnOfDropped({ fields }: MimeEntity, { warnings }: BodyReading): void {
  for (const { name, key, value } of fields) {
    if (!key.startsWith('content-') || value === '' || READ_FIELDS.has(key)) continue;
    const shown = name.slice(0, FIELD_NAME_MAX_CHARS);
    const message = `The header ${shown} of a part was not sent: docs/submitted-messages.md lists those that are.`;
    warnings.add({ code: 'header_dropped', field: shown, message });
  }
}

function fieldsOf(entity: MimeEntity): [string, HeaderText][] {
  return entity.fields.flatMap(({ name, key, value }): [string, HeaderText][] => {
    if (!KEPT_FIELDS.includes(key) || value === '') return [];
    const text = key === 'content-description' ? shownWords(value.replaceAll('\t', ' ')) : value;
    const fits = isHeaderText(text) && Buffer.byteLength(text) <= FIELD_MAX_BYTES;
    return fits && (key === 'content-description' || !NOT_ASCII.test(text)) ? [[name, text]] : [];
  });
}

/** No mail program shows it, but somebody wrote it; only 7-bit text may be there. */
function betweenParts(octets: Uint8Array): Uint8Array {
  const isBlank = octets.every((octet) => octet === 0x20 || (octet >= 0x09 && octet <= 0x0d));
  const lines = isBlank ? NOTHING : withCrlf(octets);
  return isSevenBit(lines) ? lines : NOTHING;
}
