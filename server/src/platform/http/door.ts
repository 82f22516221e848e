import type { FastifyContextConfig, FastifyRequest, FastifySchema } from 'fastify';
import type { ApiErrorCode } from '../../errors.ts';
import { type Answers, BODY_ERRORS, KEYED_ERRORS, withRefusals } from './api-schema.ts';
import type { App, DoorName } from './http.ts';

/**
 * The same routes behind several doors: the machine API (an API key, /v1) and the portal (a session,
 * /v1/portal). A route is written once; its door decides the prefix and the authentication.
 */
export interface Door {
  /** Absent: the machine API's. */
  readonly name?: DoorName;
  readonly prefix: `/v1${string}` | '/sandbox';
  /** Mirrors the machine API: cursors and error messages use its paths. */
  readonly mirrors?: true;
  /** Not in any document. */
  readonly undocumented?: true;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The path in cursors and error messages, the same behind every mirroring door. */
    knownAs?: string;
  }
}

const MACHINE_PREFIX = '/v1';
const PORTAL_PREFIX = '/v1/portal';

export const MACHINE_DOOR: Door = { prefix: MACHINE_PREFIX };
export const PORTAL_DOOR: Door = { name: 'portal', prefix: PORTAL_PREFIX };
export const PORTAL_MIRROR: Door = { ...PORTAL_DOOR, mirrors: true };
export const ADMIN_DOOR: Door = { name: 'admin', prefix: '/v1/admin' };

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Sandbox-only routes, for programs with its key; not part of the machine API. */
export const SANDBOX_DOOR: Door = { prefix: '/sandbox', undocumented: true };

/** Registers routes behind doors. Paths omit the prefix: `/messages/:id`. */
export type Doors = Pick<App, (typeof METHODS)[number]>;

/** `tag`: subject of the routes, unless they name their own. */
export function behind(app: App, ...doors: readonly Door[]): (tag: string) => Doors {
  const registering =
    (method: (typeof METHODS)[number], tag: string) =>
    (path: string, options: { config?: FastifyContextConfig; schema?: FastifySchema }, handler: never) => {
      const answers = (options.schema?.response ?? {}) as Answers;
      const response = withRefusals(answers, refusalsOf(method, options.config));
      for (const { name, prefix, mirrors, undocumented } of doors) {
        const config = {
          ...options.config,
          ...(name !== undefined && { door: name }),
          knownAs: (mirrors === true ? MACHINE_PREFIX : prefix) + path,
        };
        const schema = { tags: [tag], ...options.schema, response, ...(undocumented && { hide: true }) };
        app[method](prefix + path, { ...options, config, schema }, handler);
      }
      return app;
    };
  return (tag) =>
    Object.fromEntries(METHODS.map((method) => [method, registering(method, tag)])) as unknown as Doors;
}

/** Refusals that all routes share, by whom the route admits and by method. */
function refusalsOf(
  method: (typeof METHODS)[number],
  { scopes, admits, operator }: FastifyContextConfig = {},
): ApiErrorCode[] {
  const isOfAccount = scopes !== undefined || admits === 'owner';
  const concerns = (code: ApiErrorCode) =>
    isOfAccount || (code === 'insufficient_scope' ? operator !== undefined : !code.startsWith('tenant_'));
  return [...KEYED_ERRORS.filter(concerns), ...(method === 'get' ? [] : BODY_ERRORS)];
}

/** The URL of something through the request's own door. */
export function locationOf({ url }: Pick<FastifyRequest, 'url'>, path: string): string {
  return (url.startsWith(`${PORTAL_PREFIX}/`) ? PORTAL_PREFIX : MACHINE_PREFIX) + path;
}
