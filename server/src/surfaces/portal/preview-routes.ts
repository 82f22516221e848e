import { Type } from 'typebox';
import type { ContentDeps } from '../../messages/parts.ts';
import { errorAnswers, ID_PARAMS, KEYED_ERRORS, otherContent } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { previewPolicy, readPreview } from './preview.ts';

export const PreviewQuery = Type.Object(
  {
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
  },
  { additionalProperties: false },
);

export function previewRoutes(doors: Doors, deps: ContentDeps): void {
  doors.get(
    '/messages/:id/preview',
    {
      config: { scopes: ['evidence:read'], costly: true },
      schema: {
        operationId: 'previewMessage',
        tags: ['Messages'],
        summary: 'Show a message in a frame',
        description:
          'A page for `<iframe sandbox="">`: nothing in it runs, sends a form, follows a link or loads anything, but for images at https addresses with images=1. Images of the message itself are shown. Answers 404 after its content was deleted.',
        params: ID_PARAMS,
        querystring: PreviewQuery,
        response: {
          200: otherContent('text/html', 'The page.'),
          ...errorAnswers(...KEYED_ERRORS, 'not_found'),
        },
      },
    },
    async (request, reply) => {
      const { tenantId } = request.principal;
      const { part: kind, images: asked = '0' } = request.query;
      const images = asked === '1';
      const page = await readPreview(deps, { tenantId, messageId: request.params.id }, { kind, images });
      return reply
        .type('text/html; charset=utf-8')
        .headers({
          'Content-Security-Policy': previewPolicy(images),
          'Referrer-Policy': 'no-referrer',
          'X-DNS-Prefetch-Control': 'off',
          'Cross-Origin-Resource-Policy': 'same-origin',
        })
        .send(page as never);
    },
  );
}
