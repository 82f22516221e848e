import { looksLikeCase } from '@acuse/evidence/case-file';
import { Type } from 'typebox';
import { prefersJson } from '../../../evidence/bundle/accept-header.ts';
import { BundleAnswer } from '../../../evidence/bundle/routes.ts';
import { BODY_ERRORS, errorAnswers, ID_PARAMS, named } from '../../../platform/http/api-schema.ts';
import { whenGone } from '../../../platform/http/connections.ts';
import type { App } from '../../../platform/http/http.ts';
import type { CaseDeps } from './cases.ts';
import { createOpenShare } from './open-share.ts';

const SECRET_MAX_CHARS = 128;

export function proveRoutes(app: App, deps: CaseDeps): void {
  const openShare = createOpenShare(deps);
  app.post(
    '/prove/:id',
    {
      schema: {
        operationId: 'openShare',
        retry: 'repeatable',
        tags: ['Evidence'],
        summary: 'Open a shared proof',
        description:
          'Content of a shared link: a proof bundle that shows what its owner disclosed, as a ZIP, or with `Accept: application/json` as one JSON document. A link to a case file opens a ZIP of bundles with an index to print, whatever is accepted. The link is `/prove/{id}#{secret}`. A link that is wrong, has expired or was revoked answers 404, each alike. Every opening is in the access log of the account.',
        params: ID_PARAMS,
        body: named('OpenShare', {
          secret: Type.String({
            maxLength: SECRET_MAX_CHARS,
            description: 'Text after # in the link.',
            examples: ['c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I'],
          }),
        }),
        response: {
          200: BundleAnswer,
          ...errorAnswers(
            ...BODY_ERRORS,
            'invalid_parameter',
            'not_found',
            'rate_limited',
            'internal_error',
            'unavailable',
          ),
        },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const form = prefersJson(request.headers.accept) ? 'json' : 'zip';
      const { secret } = request.body;
      const opening = { shareId: id, secret, clientAddress: request.ip, gone: whenGone(request) };
      const bytes = await openShare(opening, form);
      reply.header('Vary', 'Accept');
      if (form === 'json' && !looksLikeCase(bytes))
        return reply.type('application/json; charset=utf-8').send(bytes as never);
      return reply
        .type('application/zip')
        .header('Content-Disposition', `attachment; filename="acuse-${id}.zip"`)
        .send(bytes);
    },
  );
}
