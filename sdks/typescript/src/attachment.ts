/** Attachments from files and bytes. */
import { mediaTypeOf } from './media-types.ts';
import type { Attachment as AttachmentFields } from './types-generated.ts';

/** The options of an attachment. */
export interface AttachmentOptions {
  /** Shown to the recipient. Default: the file's own name. */
  readonly filename?: string | undefined;
  /** Default: by the extension, else application/octet-stream. */
  readonly contentType?: string | undefined;
  /** Makes it an inline part that html refers to as `cid:<contentId>`. */
  readonly contentId?: string | undefined;
}

/** An attachment of a send. */
export type Attachment = AttachmentFields;

export const Attachment = {
  /** Reads a file. Node only. */
  async fromFile(path: string, options: AttachmentOptions = {}): Promise<Attachment> {
    const [{ readFile }, { basename }] = await Promise.all([import('node:fs/promises'), import('node:path')]);
    return Attachment.fromBytes(await readFile(path), options.filename ?? basename(path), options);
  },

  fromBytes(
    bytes: Uint8Array,
    filename: string,
    options: Omit<AttachmentOptions, 'filename'> = {},
  ): Attachment {
    return {
      filename,
      content_type: options.contentType ?? mediaTypeOf(filename),
      content: base64(bytes),
      ...(options.contentId !== undefined && { content_id: options.contentId }),
    };
  },
};

/** Bytes that are turned into text at a time: fromCharCode takes them as arguments. */
const CHUNK = 0x8000;

function base64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK)
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(binary);
}
