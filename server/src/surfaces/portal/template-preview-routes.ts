import { Type } from 'typebox';
import { DRAFT_BODY_LIMIT_BYTES } from '../../accounts/templates/routes.ts';
import { DraftBody } from '../../accounts/templates/schemas.ts';
import type { Templates } from '../../accounts/templates/templates.ts';
import { LARGE_BYTES } from '../../messages/large-bodies.ts';
import { errorAnswers, named, nullable } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import type { Threads } from '../../platform/threads/threads.ts';
import { renderedPreviewJob } from './preview.ts';

export interface TemplatePreviewDeps {
  readonly templates: Templates;
  readonly threads: Threads;
}

const PreviewBody = named(
  'TemplatePreviewRequest',
  {
    ...DraftBody.properties,
    images: Type.Optional(
      Type.Boolean({ description: 'true: images at https addresses stay in the page.', examples: [false] }),
    ),
  },
  {
    documented: { not: { properties: { text: { maxLength: 0 }, html: { maxLength: 0 } } } },
    description: 'At least one of text and html is required.',
    examples: [
      {
        subject: 'Invoice {{ number }}',
        html: '<p>Hello {{ name }}</p>',
        variables: { number: '7', name: 'Ana' },
      },
    ],
  },
);
const Preview = named('TemplatePreview', {
  subject: Type.String({ examples: ['Invoice 7'] }),
  text: nullable(Type.String({ examples: [null] })),
  html: nullable(
    Type.String({ examples: ['<!doctype html><html><head></head><p>Hello Ana</p>'] }),
    'The page of the frame: the HTML, rewritten so that it can only be looked at.',
  ),
});

export function templatePreviewRoutes(doors: Doors, { templates, threads }: TemplatePreviewDeps): void {
  doors.post(
    '/templates/preview',
    {
      // Read-only: readers may preview.
      config: { scopes: ['messages:send', 'evidence:read'], costly: true },
      bodyLimit: DRAFT_BODY_LIMIT_BYTES,
      schema: {
        operationId: 'previewTemplateDraft',
        summary: 'Show a template in a frame',
        description:
          'Renders the given content with these variables; nothing is saved or sent. The HTML comes as a page that shows it and does nothing else.',
        body: PreviewBody,
        response: { 200: Preview, ...errorAnswers('template_render_error') },
      },
    },
    async (request) => {
      const { subject, text = null, html = null, variables = {}, images = false } = request.body;
      const { tenantId } = request.principal;
      const made = await templates.renderDraft(tenantId, { subject, text, html }, variables);
      return {
        subject: made.subject,
        text: made.text,
        html: made.html === null ? null : await pageOf(threads, tenantId, { html: made.html, images }),
      };
    },
  );
}

async function pageOf(
  threads: Threads,
  tenantId: string,
  input: { readonly html: string; readonly images: boolean },
): Promise<string> {
  const bytes = input.html.length;
  return bytes < LARGE_BYTES
    ? renderedPreviewJob.run(input)
    : threads.run(renderedPreviewJob, input, { tenantId, bytes });
}
