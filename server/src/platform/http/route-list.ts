import type { FastifySchema, RouteOptions } from 'fastify';
import type { Admits, App, DoorName, OperatorRole, Scope } from './http.ts';

/** A route as it was registered: what the API's reference is made of. */
export interface DescribedRoute {
  /** Upper case. */
  readonly method: string;
  /** As Fastify writes paths: `/v1/messages/:id`. */
  readonly url: string;
  readonly schema: FastifySchema;
  /** Any one of these lets a caller in; undefined: none is asked for. */
  readonly scopes: readonly Scope[] | undefined;
  readonly door: DoorName | undefined;
  readonly admits: Admits | undefined;
  readonly stepUp: boolean;
  readonly operator: OperatorRole | undefined;
}

/** Gathers every route registered from now on, but for hidden ones and the HEAD that comes with each GET. */
export function collectRoutes(app: App): readonly DescribedRoute[] {
  const routes: DescribedRoute[] = [];
  app.addHook('onRoute', (route: RouteOptions) => {
    if (route.schema === undefined || route.schema.hide === true) return;
    for (const method of [route.method].flat()) {
      if (method === 'HEAD') continue;
      const { scopes, door, admits, operator, stepUp = false } = route.config ?? {};
      routes.push({ method, url: route.url, schema: route.schema, scopes, door, admits, operator, stepUp });
    }
  });
  return routes;
}
