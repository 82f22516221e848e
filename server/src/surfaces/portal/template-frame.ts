import { Type } from 'typebox';
import { readBuilt } from '../../platform/built-file.ts';
import { closed } from '../../platform/http/api-schema.ts';
import type { App } from '../../platform/http/http.ts';

/** `GET /portal/frame`: previews drafts, which have no URL. Only its own script runs. */

const SCRIPT_PATH = '/portal/frame.js';
const CACHE = 'public, max-age=300';
const HIDDEN = { hide: true };
const Query = closed({ images: Type.Optional(Type.Enum(['0', '1'])) });

/** Without `allow-same-origin`: no access to the session. */
function framePolicy(images: boolean): string {
  return [
    `sandbox allow-scripts; default-src 'none'; script-src 'self'; img-src ${images ? 'data: https:' : 'data:'}`,
    "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  ].join('; ');
}

export function frameRoutes(app: App): void {
  app.get('/portal/frame', { schema: { ...HIDDEN, querystring: Query } }, async (request, reply) =>
    reply
      .headers({
        'Content-Security-Policy': framePolicy(request.query.images === '1'),
        'Referrer-Policy': 'no-referrer',
        'X-Content-Type-Options': 'nosniff',
        'X-DNS-Prefetch-Control': 'off',
        'Cache-Control': CACHE,
      })
      .type('text/html; charset=utf-8')
      .send(readBuilt('frame-page.html')),
  );
  app.get(SCRIPT_PATH, { schema: HIDDEN }, async (_request, reply) =>
    reply
      .headers({ 'X-Content-Type-Options': 'nosniff', 'Cache-Control': CACHE })
      .type('text/javascript; charset=utf-8')
      .send(readBuilt('frame-page.js')),
  );
}
