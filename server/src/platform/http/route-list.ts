import type { FastifySchema, RouteOptions } from 'fastify';
import type { Deprecation } from './deprecation.ts';
import type { Admits, App, DoorName, OperatorRole, Scope } from './http.ts';

/** A route as it was registered: what the API's reference is made of. */
export interface DescribedRoute {
  /** Upper case. */
  readonly method: string;
  /** As Fastify writes paths: `/v1/messages/:id`. */
  readonly url: string;
  readonly schema: FastifySchema;
  /** In no document. */
  readonly hidden: boolean;
  /** Any one of these lets a caller in; undefined: none is asked for. */
  readonly scopes: readonly Scope[] | undefined;
  readonly door: DoorName | undefined;
  readonly admits: Admits | undefined;
  readonly stepUp: boolean;
  readonly operator: OperatorRole | undefined;
  readonly deprecation: Deprecation | undefined;
}

/** Gathers every route registered from now on, but for the HEAD that comes with each GET. */
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
