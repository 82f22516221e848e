import type { FastifyReply, FastifyRequest } from 'fastify';
import { apiError } from '../../errors.ts';
import type { App } from '../../platform/http/http.ts';
import { readBuildState } from './build-state.ts';
import { chooseEncoding, readWebFiles, type WebFile } from './files.ts';
import { webHeaders } from './policy.ts';

/**
 * Serves an application from memory: hashed assets are immutable, every other path is `index.html`, for the
 * client-side router.
 */
interface WebApplication {
  readonly application: 'portal' | 'admin';
  /** `/portal`, or '' for the root, after all other routes. */
  readonly prefix: string;
  readonly publicUrl: string;
}

/** Names of assets hold a hash of their content. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
const ASSETS = 'assets/';
const INDEX = 'index.html';
/** Unknown machine paths are no pages. */
const MACHINE = /^(?:v1|sandbox|health|log)(?:\/|$)/;
const BUILD_SECONDS = 3;

export function webFileRoutes(app: App, { application, prefix, publicUrl }: WebApplication): void {
  const headers = webHeaders(publicUrl);
  // For people: not part of an API's document.
  const schema = { hide: true };
  let files: ReadonlyMap<string, WebFile> | null = null;

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    reply.headers(headers);
    const path = (request.params as { '*'?: string })['*'] ?? '';
    if (prefix === '' && MACHINE.test(path)) throw apiError('not_found');
    files ??= readBuildState().kind === 'done' ? readWebFiles(application) : null;
    if (files === null) return answerUnbuilt(reply);
    const isAsset = path.startsWith(ASSETS);
    const file = files.get(isAsset ? path : INDEX);
    if (file === undefined) throw apiError('not_found');
    return answerFile(request, reply, file, isAsset ? IMMUTABLE : 'no-cache');
  }

  app.get(prefix === '' ? '/' : prefix, { schema }, answer);
  app.get(`${prefix}/*`, { schema }, answer);
}

function answerFile(request: FastifyRequest, reply: FastifyReply, file: WebFile, cache: string): unknown {
  reply.headers({ 'Cache-Control': cache, ETag: file.etag, Vary: 'Accept-Encoding' });
  if (request.headers['if-none-match']?.includes(file.etag) === true) return reply.code(304).send();
  const encoding = chooseEncoding(file, request.headers['accept-encoding']);
  if (encoding !== null) reply.header('Content-Encoding', encoding);
  return reply.type(file.type).send(encoding === null ? file.plain : file.encoded[encoding]);
}

function answerUnbuilt(reply: FastifyReply): unknown {
  const state = readBuildState();
  reply.code(503).type('text/plain; charset=utf-8');
  if (state.kind === 'building')
    return reply
      .header('Retry-After', BUILD_SECONDS)
      .send('The page is being built: reload in a few seconds.');
  const reason = state.kind === 'failed' ? `its build failed: ${state.reason}` : 'it was not built';
  return reply.send(`There is no page here because ${reason}. Run npm run build.`);
}
