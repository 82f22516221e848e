import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import packageFacts from '../../package.json' with { type: 'json' };
import type { App } from '../platform/http/http.ts';
import type { DescribedRoute } from '../platform/http/route-list.ts';
import { writeOpenApi } from './document.ts';
import { llmsText } from './llms.ts';
import { renderPage } from './page.ts';

/**
 * The reference of what this process serves: `/openapi.json`, `/docs` for people, `/llms.txt` for programs
 * that read. Each is made at its first request and kept; none needs a key, a script or another host.
 */
export function referenceRoutes(
  app: App,
  deps: { routes: readonly DescribedRoute[]; publicUrl: string },
): void {
  const document = once(() => writeOpenApi(deps.routes, packageFacts.version));
  const schema = { hide: true };
  serve(
    app,
    '/openapi.json',
    'application/json; charset=utf-8',
    () => `${JSON.stringify(document(), null, 2)}\n`,
  );
  serve(app, '/docs', 'text/html; charset=utf-8', () => renderPage(document(), deps.publicUrl));
  serve(app, '/llms.txt', 'text/plain; charset=utf-8', () => llmsText(document(), deps.publicUrl));
  app.get('/', { schema }, async (_request, reply) => reply.redirect('/docs', 302));
}

/** Nothing but the page itself: no script, no other host, no frame. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const CACHE_CONTROL = 'public, max-age=300';

interface Page {
  readonly plain: Buffer;
  readonly zipped: Buffer;
  readonly etag: string;
}

function serve(app: App, path: string, type: string, write: () => string): void {
  const page = once(() => prepare(write()));
  app.get(path, { schema: { hide: true } }, async (request, reply) =>
    answer(request, reply, type, await page()),
  );
}

async function prepare(text: string): Promise<Page> {
  const plain = Buffer.from(text);
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { plain, zipped: await promisify(gzip)(plain, { level: 9 }), etag };
}

function answer(request: FastifyRequest, reply: FastifyReply, type: string, page: Page): FastifyReply {
  reply.headers({
    'Cache-Control': CACHE_CONTROL,
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'X-Content-Type-Options': 'nosniff',
    ETag: page.etag,
    Vary: 'Accept-Encoding',
  });
  if (request.headers['if-none-match'] === page.etag) return reply.code(304).send();
  const zipped = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  if (zipped) reply.header('Content-Encoding', 'gzip');
  return reply.type(type).send(zipped ? page.zipped : page.plain);
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
