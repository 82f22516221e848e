import { type Static, Type } from 'typebox';
import type { ContentDeps } from '../../messages/parts.ts';
import { closed, errorAnswers, ID_PARAMS, otherContent } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { previewPolicy, readPreview } from './preview.ts';

export const PreviewQuery = closed({
  part: Type.Optional(
    Type.Enum(['html', 'text'], {
      description: 'Part of the message to show; without it HTML, or text where there is none.',
      $id: 'PreviewPart',
    }),
  ),
  images: Type.Optional(
    Type.Enum(['0', '1'], {
      default: '0',
      description: '1: images at https addresses are loaded, and their hosts see the reader.',
      $id: 'PreviewImages',
    }),
  ),
});

/** The view that a PreviewQuery asks for. */
export function shownBy({ part: kind, images = '0' }: Static<typeof PreviewQuery>) {
  return { kind, images: images === '1' };
}

/** For a page that a message was made into. */
export function frameHeaders({ images }: { readonly images: boolean }) {
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': previewPolicy(images),
    'Referrer-Policy': 'no-referrer',
    'X-DNS-Prefetch-Control': 'off',
    'Cross-Origin-Resource-Policy': 'same-origin',
  };
}

export function previewRoutes(doors: Doors, deps: ContentDeps): void {
  doors.get(
    '/messages/:id/preview',
    {
      config: { scopes: ['evidence:read'], costly: true },
      schema: {
        operationId: 'previewMessage',
        summary: 'Show a message in a frame',
        description:
          'A page for `<iframe sandbox="">`: nothing in it runs, sends a form, follows a link or loads anything, but for images at https addresses with images=1. Images of the message itself are shown. Answers 404 after its content was deleted.',
        params: ID_PARAMS,
        querystring: PreviewQuery,
        response: { 200: otherContent('text/html', 'The page.'), ...errorAnswers('not_found') },
      },
    },
    async (request, reply) => {
      const { tenantId } = request.principal;
      const shown = shownBy(request.query);
      const page = await readPreview(deps, { tenantId, messageId: request.params.id }, shown);
      return reply.headers(frameHeaders(shown)).send(page as never);
    },
  );
}
