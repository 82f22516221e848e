import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/database/db.ts';
import type { App } from '../platform/http/http.ts';
import { deliveryLogRoutes } from './delivery-routes.ts';
import { endpointRoutes } from './endpoint-routes.ts';
import type { Endpoints } from './endpoints.ts';

export interface WebhookRoutesDeps {
  db: Db;
  clock: Clock;
  endpoints: Endpoints;
  /** Told when deliveries came due. */
  wake(): void;
}

export function webhookRoutes(app: App, deps: WebhookRoutesDeps): void {
  endpointRoutes(app, deps);
  deliveryLogRoutes(app, deps);
}
