import { ADMIN_DOOR, behind } from '../platform/http/door.ts';
import type { App } from '../platform/http/http.ts';
import type { AdminDeps } from './deps.ts';
import { isStillOpen } from './door.ts';
import type { OperatorSessions } from './operator-sessions.ts';
import { auditRoutes } from './routes-audit.ts';
import { billingRoutes } from './routes-billing.ts';
import { changesRoutes } from './routes-changes.ts';
import { checkRoutes } from './routes-checks.ts';
import { contentRoutes } from './routes-content.ts';
import { messageRoutes } from './routes-messages.ts';
import { operatorRoutes } from './routes-operators.ts';
import { overviewRoutes } from './routes-overview.ts';
import { passkeyRoutes } from './routes-passkeys.ts';
import { pauseRoutes } from './routes-pauses.ts';
import { peopleRoutes } from './routes-people.ts';
import { bulkRoutes, queueRoutes } from './routes-queue.ts';
import { sealingRoutes } from './routes-sealing.ts';
import { selfRoutes } from './routes-self.ts';
import { sessionRoutes } from './routes-session.ts';
import { settingsRoutes } from './routes-settings.ts';
import { suppressionRoutes } from './routes-suppressions.ts';
import { tenantPartRoutes } from './routes-tenant-parts.ts';
import { tenantRoutes } from './routes-tenants.ts';

/** Everything that the admin console asks: the command line behind another door, and who may come in. */
export function adminRoutes(app: App, deps: AdminDeps, sessions: OperatorSessions): void {
  const doors = behind(app, ADMIN_DOOR);
  sessionRoutes(doors, sessions);
  selfRoutes(doors, sessions);
  passkeyRoutes(doors, sessions);
  operatorRoutes(doors, sessions);
  overviewRoutes(doors, deps);
  tenantRoutes(doors, deps);
  tenantPartRoutes(doors, deps);
  peopleRoutes(doors, deps);
  messageRoutes(doors, deps);
  contentRoutes(doors, deps);
  queueRoutes(doors, deps);
  bulkRoutes(doors, deps);
  pauseRoutes(doors, deps);
  sealingRoutes(doors, deps);
  checkRoutes(doors, deps);
  suppressionRoutes(doors, deps);
  settingsRoutes(doors, deps);
  changesRoutes(app, doors, deps, (request) => isStillOpen(sessions, request));
  billingRoutes(doors, deps);
  auditRoutes(doors, deps);
}
