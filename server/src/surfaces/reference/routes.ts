import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import packageFacts from '../../../package.json' with { type: 'json' };
import { localeOf } from '../../people/sessions/mail-words.ts';
import { readBuilt } from '../../platform/built-file.ts';
import type { App } from '../../platform/http/http.ts';
import type { DescribedRoute } from '../../platform/http/route-list.ts';
import { writeOpenApi } from './document.ts';
import { llmsFullText, llmsText } from './llms.ts';
import { IN_SPANISH } from './site/menu.ts';
import { createSite, type Site } from './site/site.ts';

/**
 * `/openapi.json`, `/docs`, `/llms.txt` and `/llms-full.txt`, each made on first request. No key, no other
 * host.
 */
export function referenceRoutes(
  app: App,
  deps: { routes: readonly DescribedRoute[]; publicUrl: () => string },
): void {
  const document = once(() => writeOpenApi(deps.routes, packageFacts.version));
  const site = once(() => createSite(document(), deps.publicUrl()));
  serve(app, '/openapi.json', JSON_TYPE, () => `${JSON.stringify(document(), null, 2)}\n`);
  serve(app, '/llms.txt', TEXT_TYPE, () => llmsText(document(), deps.publicUrl()));
  serve(app, '/llms-full.txt', TEXT_TYPE, () => llmsFullText(document(), deps.publicUrl()));
  serve(app, '/docs/search.json', JSON_TYPE, () => JSON.stringify(site().entries));
  serve(app, '/docs/page.js', 'text/javascript; charset=utf-8', () => readBuilt('docs-page.js'));
  serve(app, '/docs/page.css', 'text/css; charset=utf-8', () => readBuilt('docs-page.css'));
  pages(app, site);
  app.get('/', { schema: { hide: true } }, async (request, reply) => {
    const language = localeOf(request.headers['accept-language']);
    return reply
      .header('Vary', 'Accept-Language')
      .redirect(language === 'es' ? IN_SPANISH['/docs']! : '/docs');
  });
}

const JSON_TYPE = 'application/json; charset=utf-8';
const TEXT_TYPE = 'text/plain; charset=utf-8';
const HTML_TYPE = 'text/html; charset=utf-8';
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'",
  "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
].join('; ');
const CACHE_CONTROL = 'public, max-age=300';

interface File {
  readonly plain: Buffer;
  readonly zipped: Buffer;
  readonly etag: string;
}

function pages(app: App, site: () => Site): void {
  const made = new Map<string, Promise<File>>();
  const fileOf = (path: string) => {
    const file = made.get(path) ?? prepare(site().page(path) ?? site().missing);
    made.set(path, file);
    return file;
  };
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split(/[?#]/, 1)[0]!.replace(/\/$/, '');
    const known = site().paths.includes(path);
    return answer(request, reply.code(known ? 200 : 404), HTML_TYPE, await fileOf(known ? path : MISSING));
  };
  for (const url of ['/docs', '/docs/*']) app.get(url, { schema: { hide: true } }, handler);
}

/** Shared by all unknown paths. */
const MISSING = '';

function serve(app: App, path: string, type: string, write: () => string): void {
  const file = once(() => prepare(write()));
  app.get(path, { schema: { hide: true } }, async (request, reply) =>
    answer(request, reply, type, await file()),
  );
}

async function prepare(text: string): Promise<File> {
  const plain = Buffer.from(text);
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { plain, zipped: await promisify(gzip)(plain, { level: 9 }), etag };
}

function answer(request: FastifyRequest, reply: FastifyReply, type: string, file: File): FastifyReply {
  reply.headers({
    'Cache-Control': CACHE_CONTROL,
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    ETag: file.etag,
    Vary: 'Accept-Encoding',
  });
  if (reply.statusCode === 200 && request.headers['if-none-match'] === file.etag)
    return reply.code(304).send();
  const zipped = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  if (zipped) reply.header('Content-Encoding', 'gzip');
  return reply.type(type).send(zipped ? file.zipped : file.plain);
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
