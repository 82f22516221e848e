import '../../shared/ui/base.css';
import { startApplication } from '../../shared/app/start.tsx';
import { routes } from './routes.ts';

startApplication({
  basepath: '/portal',
  apiPrefix: '/v1/portal',
  routes,
  shell: () => import('./shell/shell.tsx'),
  openFrame: () => import('./shell/open-frame.tsx'),
});
