import PostalMime, { type Attachment } from 'postal-mime';

/** What a mail of the test mailbox shows: its HTML with its own images in it, its attachments. */

/** Images that a page may show; SVG holds scripts, which the frame would not run, and references. */
const IMAGE = /^image\/(?:png|jpeg|gif|webp|bmp)$/;

/** The HTML body, as it came but for `cid:` references to images of the mail. '' without one. */
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

/** Null: it has no attachment with this index. */
export async function attachmentOf(raw: Uint8Array, index: number): Promise<Buffer | null> {
  const { attachments } = await PostalMime.parse(raw);
  const found = attachments[index];
  return found === undefined ? null : bytesOf(found);
}

function bytesOf({ content }: Attachment): Buffer {
  return typeof content === 'string' ? Buffer.from(content) : Buffer.from(content as ArrayBuffer);
}
