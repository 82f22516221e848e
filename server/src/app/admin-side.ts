import type { AddressInfo } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { apiError } from '../errors.ts';
import { type Checks, createChecks } from '../evidence/fsck/checks.ts';
import { createOperatorSessions } from '../people/operators/operator-sessions.ts';
import { firstLink } from '../people/operators/operators.ts';
import { hasOperators } from '../people/operators/operators-store.ts';
import type { App } from '../platform/http/http.ts';
import { createHttpServer } from '../platform/http/http-server.ts';
import { createRateLimit } from '../platform/http/rate-limit.ts';
import { collectRoutes, type DescribedRoute } from '../platform/http/route-list.ts';
import { networkOf } from '../platform/network/network.ts';
import { createAudit } from '../surfaces/admin/audit.ts';
import type { AdminDeps, AuditedSessions } from '../surfaces/admin/deps.ts';
import { createAdminDoor } from '../surfaces/admin/door.ts';
import { adminRoutes } from '../surfaces/admin/routes.ts';
import { webFileRoutes } from '../surfaces/web-files/routes.ts';
import { loopbackOf } from './public-url.ts';
import { refuseChanges } from './recovery.ts';
import type { Services } from './services.ts';

export interface OpenAdmin {
  readonly url: string;
  readonly signIn: string | null;
  readonly hasNobody: boolean;
}

export interface AdminSide {
  readonly app: App;
  readonly routes: readonly DescribedRoute[];
  readonly sessions: AuditedSessions;
  readonly checks: Checks;
  start(): Promise<OpenAdmin>;
  close(graceMs: number): Promise<void>;
}

/** `portalUrl`: for links to customers. */
export function createAdminSide(services: Services, portalUrl = services.config.publicUrl): AdminSide {
  const { config, log } = services;
  const checks = createChecks(services);
  const audit = createAudit(services);
  const sessions = { ...createOperatorSessions(services, adminUrl, services.passwordCost), audit };
  const door = createAdminDoor(sessions);
  const app = createHttpServer({
    log,
    authenticate: createAuthenticate(services, door.authenticate),
    trustProxy: config.trustProxy,
  });
  const { recovery } = services;
  if (recovery !== null) refuseChanges(app, isSignIn);
  const routes = collectRoutes(app);
  registerAdminRoutes(app, services, { sessions, checks, portalUrl });

  /** With port 0, the port taken. */
  function adminUrl(): string {
    const { port } = (app.server.address() ?? { port: config.adminPort }) as AddressInfo;
    return config.adminPort === 0 ? `http://${loopbackOf(config.adminHost)}:${port}` : config.adminUrl;
  }

  return {
    ...{ app, routes, sessions, checks },
    async start() {
      await app.listen({ host: config.adminHost, port: config.adminPort });
      const url = adminUrl();
      // Logs are widely readable: the link would leak there.
      if (config.delivery !== 'sandbox')
        return { url, signIn: null, hasNobody: !(await services.db.asSessions(hasOperators)) };
      const link = await firstLink(sessions);
      return { url, signIn: link?.url ?? null, hasNobody: link !== null };
    },
    async close(graceMs) {
      const cut = setTimeout(() => app.server.closeAllConnections(), graceMs);
      await Promise.all([app.close(), checks.stop()]);
      clearTimeout(cut);
    },
  };
}

/** Operators must be able to sign in during recovery. */
const isSignIn = (url: string) => url.startsWith('/v1/admin/session');

/** Only registers routes. */
export function registerAdminRoutes(
  app: App,
  services: Services,
  side: Pick<AdminSide, 'sessions' | 'checks'> & Pick<AdminDeps, 'portalUrl'>,
): void {
  const { sessions, checks, portalUrl } = side;
  adminRoutes(app, { ...services, checks, portalUrl, audit: sessions.audit }, sessions);
  webFileRoutes(app, { application: 'admin', prefix: '', publicUrl: services.config.adminUrl });
}

function createAuthenticate(
  { config, clock }: Services,
  authenticate: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
) {
  const { keylessRate: perSecond, keylessBurst: burst } = config;
  const requestsFrom = perSecond === 0 ? null : createRateLimit({ clock, perSecond, burst });
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const verdict = requestsFrom?.take(networkOf(request.ip));
    if (verdict?.ok === false)
      throw apiError('rate_limited', undefined, { retryAfterSeconds: verdict.retryAfterSeconds });
    if (request.routeOptions.config.door === 'admin') await authenticate(request, reply);
  };
}
