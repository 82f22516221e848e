import type { App } from '../platform/http/http.ts';
import { type DeliveryLogDeps, deliveryLogRoutes } from './delivery-routes.ts';
import { endpointRoutes } from './endpoint-routes.ts';
import { eventRoutes } from './event-routes.ts';

export function webhookRoutes(app: App, deps: DeliveryLogDeps): void {
  endpointRoutes(app, deps);
  deliveryLogRoutes(app, deps);
  eventRoutes(app, deps);
}
