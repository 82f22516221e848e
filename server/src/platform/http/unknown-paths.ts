import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { apiError } from '../../errors.ts';
import type { App } from './http.ts';

/** A path that routes are registered under. */
interface KnownPath {
  /** Between slashes: `:name` is any one part, a `*` at the end whatever follows. */
  readonly parts: readonly string[];
  /** How much of it may be anything: of two paths that match, the one with less is meant. */
  readonly open: number;
  readonly methods: Set<string>;
  /** What to do instead, by a method that it does not have. */
  readonly instead: Map<string, string>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For methods that people try here and that do not exist: the sentence that says what to do. */
    instead?: Readonly<Record<string, string>>;
  }
}

/** A wildcard matches whatever parameters may. */
const WILDCARD_OPEN = 100;

/**
 * Paths that exist under another method answer 405 with Allow, and OPTIONS 204 with it; all else that is
 * unknown is 404 not_found. Before a byte of a body is read: there is nothing here that could take it. RFC
 * 9110 §15.5
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

  /** `GET /v1/messages/batch` is not a message whose id is batch. */
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

/** Without its query and a slash at its end, which every route is reached with as well. */
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
