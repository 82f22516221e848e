import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { apiError } from '../../errors.ts';
import type { App } from './http.ts';

interface KnownPath {
  /** Split at slashes; `:name` matches one part, a final `*` the rest. */
  readonly parts: readonly string[];
  /** How general it is: the most specific match wins. */
  readonly open: number;
  readonly methods: Set<string>;
  readonly instead: Map<string, string>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For methods that people try and that do not exist: what to do instead. */
    instead?: Readonly<Record<string, string>>;
  }
}

const WILDCARD_OPEN = 100;

/**
 * A known path with another method answers 405 with Allow, OPTIONS 204; everything else 404 not_found, before
 * the body is read. RFC 9110 §15.5
 */
export function addUnknownPaths(app: App): void {
  const known = new Map<string, KnownPath>();

  app.addHook('onRoute', (route: RouteOptions) => {
    const path = known.get(route.url) ?? describePath(route.url);
    for (const method of [route.method].flat()) path.methods.add(method);
    for (const [method, advice] of Object.entries(route.config?.instead ?? {}))
      path.instead.set(method, advice);
    known.set(route.url, path);
    if (path.open > 0) route.onRequest = [route.onRequest ?? [], refuseNamedOtherwise].flat();
  });

  /** `GET /v1/messages/batch` must not read a message with the id batch. */
  function refuseNamedOtherwise(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
    const named = known.get(pathOf(request.url));
    if (named !== undefined && !named.methods.has(request.method)) throw notAllowed(named, request, reply);
    done();
  }

  function answerUnknown(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
    if (!request.is404) return void done();
    const asked = pathOf(request.url).split('/');
    const [meant] = [...known.values()]
      .filter((path) => matches(path, asked))
      .sort((a, b) => a.open - b.open);
    if (meant === undefined) throw apiError('not_found');
    if (request.method !== 'OPTIONS') throw notAllowed(meant, request, reply);
    reply.code(204).header('Allow', allowOf(meant)).send();
  }
  app.addHook('onRequest', answerUnknown);
}

function notAllowed(path: KnownPath, { method }: FastifyRequest, reply: FastifyReply) {
  reply.header('Allow', allowOf(path));
  const advice = path.instead.get(method);
  const text = `This path supports ${allowOf(path)}.`;
  return apiError('method_not_allowed', advice === undefined ? text : `${text} ${advice}`);
}

function allowOf({ methods }: KnownPath): string {
  return [...methods, 'OPTIONS'].sort().join(', ');
}

/** Without query and trailing slash, as routes accept it. */
function pathOf(url: string): string {
  const path = url.split('?', 1)[0]!;
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

function describePath(url: string): KnownPath {
  const parts = url.split('/');
  const open = parts.filter((part) => part.startsWith(':')).length + (url.endsWith('*') ? WILDCARD_OPEN : 0);
  return { parts, open, methods: new Set(), instead: new Map() };
}

function matches({ parts }: KnownPath, asked: readonly string[]): boolean {
  const wild = parts.at(-1) === '*';
  if (wild ? asked.length < parts.length : asked.length !== parts.length) return false;
  return parts.every(
    (part, at) =>
      (wild && at === parts.length - 1) || (part.startsWith(':') ? asked[at] !== '' : part === asked[at]),
  );
}
