import { openRoute, type PageRoute, route } from '../../shared/routing/page.ts';

/** Every page of the console, each a part of its own that is loaded when somebody comes to it. */
export const routes: readonly PageRoute[] = [
  openRoute('/sign-in', () => import('./pages/sign-in/page.tsx')),
  openRoute('/link', () => import('../../shared/app/pages/link.tsx')),
  openRoute('/password', () => import('../../shared/app/pages/password.tsx')),

  route('/', () => import('./pages/overview/page.tsx')),
  route('/queue', () => import('./pages/queue/page.tsx')),
  route('/messages', () => import('./pages/messages/page.tsx')),
  route('/messages/$id', () => import('./pages/message/page.tsx')),
  route('/sealing', () => import('./pages/sealing/page.tsx')),
  route('/sealing/$tab', () => import('./pages/sealing/page.tsx')),
  route('/suppressions', () => import('./pages/suppressions/page.tsx')),
  route('/role-mail', () => import('./pages/role-mail/page.tsx')),
  route('/you', () => import('./pages/you/page.tsx')),
  route('/retention', () => import('./pages/retention/page.tsx')),
  route('/billing', () => import('./pages/billing/page.tsx')),
  route('/operators', () => import('./pages/operators/page.tsx')),
  route('/audit', () => import('./pages/audit/page.tsx')),
  route('/configuration', () => import('./pages/configuration/page.tsx')),
  route('/tenants', () => import('./pages/accounts/page.tsx')),
  route('/tenants/$id', () => import('./pages/account/page.tsx')),
  route('/tenants/$id/$tab', () => import('./pages/account/page.tsx')),
];
