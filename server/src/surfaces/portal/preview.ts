import { escapeHtml, previewHtml } from '@acuse/mail/preview-html';
import { isBodyText, readMail, type ShownPart } from '@acuse/mail/read-mail';
import { apiError } from '../../errors.ts';
import { type ContentDeps, readContent, runAnywhere } from '../../messages/parts.ts';
import { utf8 } from '../../messages/parts-jobs.ts';
import type { Job } from '../../platform/threads/job.ts';
import type { Threads } from '../../platform/threads/threads.ts';

/** A message as a framed page. The frame has its own policy, so that its HTML can load and run nothing. */
type PreviewKind = 'html' | 'text';

export interface PreviewInput {
  readonly raw: Uint8Array;
  readonly kind: PreviewKind | undefined;
  readonly images: boolean;
}

/** The limit for the parts of 25 MiB (ms). */
const JOB_LIMIT_MS = 30_000;
/** Bounds inlined images, however often used. */
const INLINE_MAX_CHARS = 32 * 1024 * 1024;

export const previewJob: Job<PreviewInput, string | null> = {
  name: 'preview',
  limitMs: JOB_LIMIT_MS,
  run({ raw, kind, images }) {
    const { parts } = readMail(raw);
    const find = (mediaType: string) =>
      parts.find((part) => isBodyText(part) && part.mediaType === mediaType);
    const html = kind === 'text' ? undefined : find('text/html');
    if (html !== undefined) return page(previewHtml(utf8(html.content), { images, inline: inlineOf(parts) }));
    const text = kind === 'html' ? undefined : find('text/plain');
    return text === undefined ? null : page(`<pre>${escapeHtml(utf8(text.content))}</pre>`);
  },
};

export async function readPreview(
  deps: ContentDeps,
  of: { readonly tenantId: string; readonly messageId: string },
  shown: Omit<PreviewInput, 'raw'>,
): Promise<string> {
  const { raw } = await readContent(deps, of.tenantId, of.messageId);
  return makePreview(deps.threads, of.tenantId, { raw, ...shown });
}

export async function makePreview(
  threads: Threads,
  tenantId: string,
  input: PreviewInput & { readonly raw: Buffer },
): Promise<string> {
  const made = await runAnywhere(threads, previewJob, input, { tenantId, raw: input.raw });
  if (made === null)
    throw apiError('not_found', `The message has no ${input.kind ?? 'text or HTML'} part to show.`);
  return made;
}

interface RenderedInput {
  readonly html: string;
  readonly images: boolean;
}

export const renderedPreviewJob: Job<RenderedInput, string> = {
  name: 'rendered-preview',
  limitMs: JOB_LIMIT_MS,
  run: ({ html, images }) => page(previewHtml(html, { images, inline: () => null })),
};

/** Nothing runs; only listed images load. */
export function previewPolicy(images: boolean): string {
  const sources = images ? 'data: https:' : 'data:';
  return `sandbox; default-src 'none'; img-src ${sources}; style-src 'unsafe-inline'; form-action 'none'; frame-ancestors 'self'`;
}

const IMAGE_TYPE = /^image\/[a-z0-9.+-]{1,60}$/;

function inlineOf(parts: readonly ShownPart[]): (contentId: string) => string | null {
  const made = new Map<string, string>();
  let left = INLINE_MAX_CHARS;
  return (contentId) => {
    const known = made.get(contentId) ?? addressOf(parts, contentId);
    if (known === null || known.length > left) return null;
    made.set(contentId, known);
    left -= known.length;
    return known;
  };
}

function addressOf(parts: readonly ShownPart[], contentId: string): string | null {
  const part = parts.find((each) => each.contentId === contentId);
  if (part === undefined || !IMAGE_TYPE.test(part.mediaType)) return null;
  const { buffer, byteOffset, byteLength } = part.content;
  return `data:${part.mediaType};base64,${Buffer.from(buffer, byteOffset, byteLength).toString('base64')}`;
}

/** A white page; the mail's own styles win. */
const STYLE =
  'html{color-scheme:light;background:#fff;color:#111}body{margin:16px;font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}img{max-width:100%}pre{white-space:pre-wrap;font:14px/1.5 ui-monospace,monospace}';

function page(body: string): string {
  return `<!doctype html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><style>${STYLE}</style></head>${body}`;
}
