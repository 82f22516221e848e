import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { apiError } from '../../errors.ts';
import type { App } from '../../platform/http/http.ts';
import { sha256 } from '../../platform/sha256.ts';
import { FILE_PLACES, readBuildState } from './build-state.ts';

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

/** Same-origin only. One Trusted Types policy, for our worker's URL. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
  "font-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types acuse";

/** Without subdomains: they may be somebody else's. */
const HSTS = 'max-age=31536000';

function webHeaders(publicUrl: string): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    ...(publicUrl.startsWith('https:') && { 'Strict-Transport-Security': HSTS }),
  };
}

/** In memory, plain and compressed. */
interface WebFile {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly encoded: Readonly<Partial<Record<Encoding, Buffer>>>;
}

const ENCODINGS = ['br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number];

const EXTENSIONS: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' };

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

const ETAG_CHARS = 32;

/** By path, such as `index.html`. Null: not built. */
function readWebFiles(application: string): ReadonlyMap<string, WebFile> | null {
  const folder = FILE_PLACES.map((place) =>
    fileURLToPath(new URL(place + application, import.meta.url)),
  ).find((place) => existsSync(join(place, 'index.html')));
  if (folder === undefined) return null;
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const served = names.filter((name) => TYPES[extname(name)] !== undefined);
  return new Map(served.map((name) => [name.replaceAll('\\', '/'), readWebFile(folder, name)]));
}

function readWebFile(folder: string, name: string): WebFile {
  const path = join(folder, name);
  const plain = readFileSync(path);
  const encoded: Partial<Record<Encoding, Buffer>> = {};
  for (const encoding of ENCODINGS)
    if (existsSync(path + EXTENSIONS[encoding]))
      encoded[encoding] = readFileSync(path + EXTENSIONS[encoding]);
  const etag = `"${Buffer.from(sha256(plain)).toString('hex').slice(0, ETAG_CHARS)}"`;
  return { type: TYPES[extname(name)]!, etag, plain, encoded };
}

/** Null: plain. RFC 9110 §12.5.3 */
function chooseEncoding(file: WebFile, accepted: string | undefined): Encoding | null {
  const given = new Set(
    (accepted ?? '').split(',').flatMap((item) => {
      const [name, ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
      return parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) ? [] : [name!];
    }),
  );
  return ENCODINGS.find((each) => given.has(each) && file.encoded[each] !== undefined) ?? null;
}
