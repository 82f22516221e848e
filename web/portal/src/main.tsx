import '../../shared/ui/base.css';
import { startApplication } from '../../shared/app/start.tsx';
import { routes } from './routes.ts';
import { PortalOpenFrame, PortalShell } from './shell/shell.tsx';

startApplication({
  basepath: '/portal',
  apiPrefix: '/v1/portal',
  routes,
  Shell: PortalShell,
  OpenFrame: PortalOpenFrame,
});
