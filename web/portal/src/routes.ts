import { openRoute, type PageRoute, route } from '../../shared/routing/page.ts';

/** Every page of the portal, each a part of its own that is loaded when somebody comes to it. */
export const routes: readonly PageRoute[] = [
  openRoute('/sign-in', () => import('../../shared/app/pages/sign-in.tsx')),
  openRoute('/link', () => import('../../shared/app/pages/link.tsx')),
  openRoute('/reset', () => import('../../shared/app/pages/reset.tsx')),
  openRoute('/password', () => import('../../shared/app/pages/password.tsx')),

  route('/', () => import('./pages/home/page.tsx')),
  route('/messages', () => import('./pages/messages/page.tsx')),
  route('/messages/$id', () => import('./pages/message/page.tsx')),
  route('/messages/$id/$tab', () => import('./pages/message/page.tsx')),
  route('/verify', () => import('./pages/verify/page.tsx')),
  route('/verify/log', () => import('./pages/verify-log/page.tsx')),
  route('/domains', () => import('./pages/domains/page.tsx')),
  route('/domains/$id', () => import('./pages/domain/page.tsx')),
  route('/senders', () => import('./pages/senders/page.tsx')),
  route('/suppressions', () => import('./pages/suppressions/page.tsx')),
  route('/templates', () => import('./pages/templates/page.tsx')),
  route('/templates/new', () => import('./pages/template/new.tsx')),
  route('/templates/$id', () => import('./pages/template/page.tsx')),
  route('/webhooks', () => import('./pages/webhooks/page.tsx')),
  route('/webhooks/$id', () => import('./pages/webhook/page.tsx')),
  route('/webhooks/$id/$tab', () => import('./pages/webhook/page.tsx')),
  route('/webhooks/$id/$tab/$delivery', () => import('./pages/webhook/page.tsx')),
  route('/keys', () => import('./pages/keys/page.tsx')),
  route('/rates', () => import('./pages/rates/page.tsx')),
  route('/usage', () => import('./pages/usage/page.tsx')),
  route('/people', () => import('./pages/people/page.tsx')),
  route('/audit', () => import('./pages/audit/page.tsx')),
  route('/account', () => import('./pages/account/page.tsx')),
  route('/you', () => import('./pages/you/page.tsx')),
];
