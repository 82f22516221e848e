import PostalMime, { type Attachment } from 'postal-mime';

/** A mail's HTML with inlined images, and its attachments. */

/** No SVG, which may hold scripts and references. */
const IMAGE = /^image\/(?:png|jpeg|gif|webp|bmp)$/;

/** `cid:` images are inlined. '' without HTML. */
export async function previewOf(raw: Uint8Array): Promise<string> {
  const { html, attachments } = await PostalMime.parse(raw);
  if (html === undefined) return '';
  const images = new Map(
    attachments
      .filter(({ contentId, mimeType }) => contentId !== undefined && IMAGE.test(mimeType))
      .map((attachment) => [attachment.contentId!.replace(/^<|>$/g, ''), attachment]),
  );
  return html.replace(/\bcid:([^"'\s<>()]+)/gi, (reference, id: string) => {
    const image = images.get(id);
    return image === undefined
      ? reference
      : `data:${image.mimeType};base64,${bytesOf(image).toString('base64')}`;
  });
}

/** Null: no such attachment. */
export async function attachmentOf(raw: Uint8Array, index: number): Promise<Buffer | null> {
  const { attachments } = await PostalMime.parse(raw);
  const found = attachments[index];
  return found === undefined ? null : bytesOf(found);
}

function bytesOf({ content }: Attachment): Buffer {
  return typeof content === 'string' ? Buffer.from(content) : Buffer.from(content as ArrayBuffer);
}
