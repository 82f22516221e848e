import '../../shared/ui/base.css';
import { startApplication } from '../../shared/app/start.tsx';
import { routes } from './routes.ts';

startApplication({
  basepath: '/',
  apiPrefix: '/v1/admin',
  routes,
  shell: () => import('./shell/shell.tsx'),
  openFrame: () => import('./shell/open-frame.tsx'),
});
