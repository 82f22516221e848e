import type { FastifySchema, RouteOptions } from 'fastify';
import type { Deprecation } from './deprecation.ts';
import type { Admits, App, DoorName, OperatorRole, Scope } from './http.ts';

export interface DescribedRoute {
  readonly method: string;
  readonly url: string;
  readonly schema: FastifySchema;
  readonly hidden: boolean;
  /** Any of these is enough; undefined: none is needed. */
  readonly scopes: readonly Scope[] | undefined;
  readonly door: DoorName | undefined;
  readonly admits: Admits | undefined;
  readonly stepUp: boolean;
  readonly operator: OperatorRole | undefined;
  readonly deprecation: Deprecation | undefined;
}

/** Collects all routes registered from now on, except the HEAD of each GET. */
export function collectRoutes(app: App): readonly DescribedRoute[] {
  const routes: DescribedRoute[] = [];
  app.addHook('onRoute', ({ url, method: methods, schema = { hide: true }, config = {} }: RouteOptions) => {
    const { scopes, door, admits, operator, deprecation, stepUp = false } = config;
    const hidden = schema.hide === true;
    for (const method of [methods].flat())
      if (method !== 'HEAD')
        routes.push({ method, url, schema, hidden, scopes, door, admits, operator, stepUp, deprecation });
  });
  return routes;
}
