import { ADMIN_DOOR, behind } from '../platform/http/door.ts';
import type { App } from '../platform/http/http.ts';
import type { AdminDeps } from './deps.ts';
import { auditRoutes } from './routes-audit.ts';
import { billingRoutes } from './routes-billing.ts';
import { checkRoutes } from './routes-checks.ts';
import { messageRoutes } from './routes-messages.ts';
import { overviewRoutes } from './routes-overview.ts';
import { pauseRoutes } from './routes-pauses.ts';
import { bulkRoutes, queueRoutes } from './routes-queue.ts';
import { sealingRoutes } from './routes-sealing.ts';
import { settingsRoutes } from './routes-settings.ts';
import { suppressionRoutes } from './routes-suppressions.ts';
import { tenantPartRoutes } from './routes-tenant-parts.ts';
import { tenantRoutes } from './routes-tenants.ts';

/** Every operation of the admin console: the command line behind another door. */
export function operationRoutes(app: App, deps: AdminDeps): void {
  const doors = behind(app, ADMIN_DOOR);
  overviewRoutes(doors, deps);
  tenantRoutes(doors, deps);
  tenantPartRoutes(doors, deps);
  messageRoutes(doors, deps);
  queueRoutes(doors, deps);
  bulkRoutes(doors, deps);
  pauseRoutes(doors, deps);
  sealingRoutes(doors, deps);
  checkRoutes(doors, deps);
  suppressionRoutes(doors, deps);
  settingsRoutes(doors, deps);
  billingRoutes(doors, deps);
  auditRoutes(doors, deps);
}
