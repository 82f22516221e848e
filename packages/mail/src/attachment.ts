import { type HeaderText, headerText, isDeceptive } from './header-text.ts';
import { MailInputError } from './input-error.ts';
import { CONTENT_ID_MAX_CHARS, FILENAME_MAX_BYTES } from './limits.ts';
import { readStructuredField } from './structured-field.ts';

declare const attachmentBrand: unique symbol;

/** A media type in lower case with the parameters that go out with it. RFC 2045 §5.1 */
export type MediaType = {
  readonly type: string;
  readonly parameters: readonly (readonly [name: string, value: HeaderText])[];
};

/** One attachment whose names can stand in headers. Made by createAttachment. */
export type Attachment = {
  readonly [attachmentBrand]: true;
  readonly filename: HeaderText;
  readonly mediaType: MediaType;
  readonly content: Uint8Array;
  /** Without angle brackets; the html refers to it as `cid:…`. RFC 2392 §2 */
  readonly contentId?: string;
};

export type AttachmentSource = {
  filename: string;
  contentType: string;
  content: Uint8Array;
  contentId?: string | undefined;
};

/** RFC 6838 §4.2 */
const TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;
const CONTENT_ID = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.@-]+$/;

/** Parameters of one media type, and the characters of each; ours. */
const PARAMETERS_MAX = 8;
const PARAMETER_MAX_BYTES = 128;
const PARAMETER_NAME_MAX_CHARS = 30;

/** Ours to set: the boundary is not the sender's, and the name stands in Content-Disposition. */
const DROPPED_PARAMETERS = new Set(['boundary', 'name']);

const OPAQUE: MediaType = { type: 'application/octet-stream', parameters: [] };

/**
 * Proves that an attachment can be written: names free of controls and paths, a sound type. `message/*` and
 * `multipart/*` may not be encoded for transit (RFC 2045 §6.4), so they go out as application/octet-stream
 * under their name. Throws MailInputError.
 */
export function createAttachment(source: AttachmentSource, field: string): Attachment {
  const filename = filenameOf(source.filename, `${field}.filename`);
  const mediaType = mediaTypeOf(source.contentType, `${field}.content_type`);
  const attachment = { filename, mediaType, content: source.content };
  if (source.contentId === undefined) return attachment as Attachment;
  return { ...attachment, contentId: contentIdOf(source.contentId, `${field}.content_id`) } as Attachment;
}

function filenameOf(text: string, field: string): HeaderText {
  const filename = headerText(text.trim(), field, FILENAME_MAX_BYTES);
  if (filename === '' || filename === '.' || filename === '..' || /[/\\]/.test(filename)) {
    throw new MailInputError('body', field, 'filename', 'give a file name without a path');
  }
  if (isDeceptive(filename)) {
    throw new MailInputError(
      'body',
      field,
      'invisible',
      'remove invisible and direction-changing characters',
    );
  }
  return filename;
}

function mediaTypeOf(text: string, field: string): MediaType {
  const parsed = readStructuredField(text);
  if (parsed === null || !TYPE.test(parsed.value)) {
    throw new MailInputError('body', field, 'media_type', 'give a media type such as application/pdf');
  }
  if (parsed.value.startsWith('message/') || parsed.value.startsWith('multipart/')) return OPAQUE;
  const parameters = [...parsed.parameters].filter(([name]) => !DROPPED_PARAMETERS.has(name));
  if (parameters.length > PARAMETERS_MAX) {
    throw new MailInputError(
      'body',
      field,
      'media_type',
      `a media type must have at most ${PARAMETERS_MAX} parameters`,
    );
  }
  return {
    type: parsed.value,
    parameters: parameters.map(([name, value]) => parameterOf(name, value, field)),
  };
}

/** The type of a submitted part: a malformed one is opaque. */
export function readMediaType({
  type,
  parameters,
}: {
  type: string;
  parameters: readonly [string, HeaderText][];
}): MediaType {
  return TYPE.test(type) ? { type, parameters: parameters.slice(0, PARAMETERS_MAX) } : OPAQUE;
}

function parameterOf(name: string, value: string, field: string): [string, HeaderText] {
  if (name.length > PARAMETER_NAME_MAX_CHARS) {
    throw new MailInputError('body', field, 'media_type', 'the name of a parameter is too long');
  }
  return [name, headerText(value, field, PARAMETER_MAX_BYTES)];
}

function contentIdOf(text: string, field: string): string {
  const contentId = text.startsWith('<') && text.endsWith('>') ? text.slice(1, -1) : text;
  if (contentId.length <= CONTENT_ID_MAX_CHARS && CONTENT_ID.test(contentId)) return contentId;
  throw new MailInputError(
    'body',
    field,
    'content_id',
    `use 1 to ${CONTENT_ID_MAX_CHARS} letters, digits and .!#$%&'*+-/=?^_{|}~@`,
  );
}
