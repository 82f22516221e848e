import { behind, PORTAL_DOOR } from '../platform/http/door.ts';
import type { App } from '../platform/http/http.ts';
import { memberRoutes } from './member-routes.ts';
import type { PortalSessions } from './portal-sessions.ts';
import type { SessionDoor } from './session-door.ts';
import { sessionRoutes } from './session-routes.ts';
import { userRoutes } from './user-routes.ts';

/** Everything that only people do, behind the portal's door. */
export function portalSessionRoutes(app: App, sessions: PortalSessions, door: SessionDoor): void {
  const doors = behind(app, PORTAL_DOOR);
  sessionRoutes(doors, sessions, door);
  userRoutes(doors, sessions);
  memberRoutes(doors, sessions);
}
