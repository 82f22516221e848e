import type { Doors } from '../platform/http/door.ts';
import { type DeliveryLogDeps, deliveryLogRoutes } from './delivery-routes.ts';
import { endpointRoutes } from './endpoint-routes.ts';
import { eventRoutes } from './event-routes.ts';

export function webhookRoutes(doors: Doors, deps: DeliveryLogDeps): void {
  endpointRoutes(doors, deps);
  deliveryLogRoutes(doors, deps);
  eventRoutes(doors, deps);
}
