import type { FastifyRequest, FastifySchema } from 'fastify';
import type { App, DoorName } from './http.ts';

/**
 * The same routes behind several doors: the machine API's (an API key, /v1), the portal's (a person's
 * session, /v1/portal). What a route takes and answers is written once; a door says where it is, and by the
 * door's name authentication knows who may come in.
 */
export interface Door {
  /** Absent: the machine API's. */
  readonly name?: DoorName;
  readonly prefix: `/v1${string}` | '/sandbox';
  /** Its routes are those of the machine API: cursors and refusals call them by its paths. */
  readonly mirrors?: true;
  /** Its routes are in no document. */
  readonly undocumented?: true;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The path by which cursors and refusals call the route: the same behind every door that mirrors it. */
    knownAs?: string;
  }
}

const MACHINE_PREFIX = '/v1';
const PORTAL_PREFIX = '/v1/portal';

export const MACHINE_DOOR: Door = { prefix: MACHINE_PREFIX };
/** Of the portal's own routes, and of those that it has of the machine API. */
export const PORTAL_DOOR: Door = { name: 'portal', prefix: PORTAL_PREFIX };
export const PORTAL_MIRROR: Door = { ...PORTAL_DOOR, mirrors: true };
export const ADMIN_DOOR: Door = { name: 'admin', prefix: '/v1/admin' };

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Of what only the sandbox has, for programs with its key: no part of the machine API or its document. */
export const SANDBOX_DOOR: Door = { prefix: '/sandbox', undocumented: true };

/** What registers routes behind doors. Paths begin where the doors' prefixes end: `/messages/:id`. */
export type Doors = Pick<App, (typeof METHODS)[number]>;

/** Each route that is registered with what this returns is behind each of the doors. */
export function behind(app: App, ...doors: readonly Door[]): Doors {
  const registering =
    (method: (typeof METHODS)[number]) =>
    (path: string, options: { config?: object; schema?: FastifySchema }, handler: never) => {
      for (const { name, prefix, mirrors, undocumented } of doors) {
        const config = {
          ...options.config,
          ...(name !== undefined && { door: name }),
          knownAs: (mirrors === true ? MACHINE_PREFIX : prefix) + path,
        };
        const schema = { ...options.schema, ...(undocumented && { hide: true }) };
        app[method](prefix + path, { ...options, config, schema }, handler);
      }
      return app;
    };
  return Object.fromEntries(METHODS.map((method) => [method, registering(method)])) as unknown as Doors;
}

/** Where something is, through the door that the request came through. */
export function locationOf({ url }: Pick<FastifyRequest, 'url'>, path: string): string {
  return (url.startsWith(`${PORTAL_PREFIX}/`) ? PORTAL_PREFIX : MACHINE_PREFIX) + path;
}
