import '../../shared/ui/base.css';
import { startApplication } from '../../shared/app/start.tsx';
import { routes } from './routes.ts';
import { AdminOpenFrame, AdminShell } from './shell/shell.tsx';

startApplication({
  basepath: '/',
  apiPrefix: '/v1/admin',
  routes,
  Shell: AdminShell,
  OpenFrame: AdminOpenFrame,
});
