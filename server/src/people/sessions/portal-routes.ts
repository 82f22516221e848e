import { behind, PORTAL_DOOR } from '../../platform/http/door.ts';
import type { App } from '../../platform/http/http.ts';
import { memberRoutes } from './member-routes.ts';
import type { SessionDoor } from './session-door.ts';
import { sessionRoutes } from './session-routes.ts';
import { type SettingsDeps, settingsRoutes } from './settings-routes.ts';
import { userRoutes } from './user-routes.ts';

export function portalSessionRoutes(app: App, deps: SettingsDeps, door: SessionDoor): void {
  const about = behind(app, PORTAL_DOOR);
  sessionRoutes(about('Sign-in'), deps, door);
  userRoutes(about('Sign-in'), deps);
  memberRoutes(about('People'), deps);
  settingsRoutes(about('People'), deps);
}
