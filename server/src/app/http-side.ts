import type { AddressInfo } from 'node:net';
import { createAuthenticate } from '../accounts/api-keys/authenticate.ts';
import { apiKeyRoutes } from '../accounts/api-keys/routes.ts';
import { recordChanges } from '../accounts/audit/record-changes.ts';
import { domainRoutes } from '../accounts/domains/routes.ts';
import { accountRoutes } from '../accounts/quota/routes.ts';
import { ratesRoutes } from '../accounts/rates/routes.ts';
import { senderRoutes } from '../accounts/senders/routes.ts';
import { suppressionRoutes } from '../accounts/suppressions/routes.ts';
import { templateRoutes } from '../accounts/templates/routes.ts';
import type { Config } from '../config/config-type.ts';
import type { Role } from '../config/role-duties.ts';
import { enqueue } from '../delivery/claim/enqueue-store.ts';
import { byHandRoutes } from '../delivery/operate/retry-cancel-routes.ts';
import { waitingRoutes } from '../delivery/operate/waiting-routes.ts';
import { requirementRoutes } from '../delivery/requirements/requirements-routes.ts';
import { deliveryRoutes } from '../delivery/routes.ts';
import { askRoutes } from '../evidence/bundle/ask-routes.ts';
import { evidenceRoutes } from '../evidence/bundle/routes.ts';
import { sealRoutes } from '../evidence/bundle/seal-routes.ts';
import { createLogs } from '../evidence/log/log-key.ts';
import { logRoutes } from '../evidence/log/log-routes.ts';
import type { Accept } from '../messages/accept.ts';
import { createAskPerson } from '../messages/approvals.ts';
import { resendRoutes } from '../messages/resend-routes.ts';
import { createReplyAddress } from '../messages/reverse-path.ts';
import { messageRoutes } from '../messages/routes.ts';
import { scheduleRoutes } from '../messages/schedule-routes.ts';
import { createSourceFacts } from '../operate/doctor/source-facts.ts';
import { consentRoutes } from '../people/grants/consent-routes.ts';
import { oauthRoutes } from '../people/grants/oauth-routes.ts';
import { createOwnOrigin } from '../people/sessions/own-origin.ts';
import { portalSessionRoutes } from '../people/sessions/portal-routes.ts';
import { createPortalSessions, type PortalSessions } from '../people/sessions/portal-sessions.ts';
import { createSessionDoor, type SessionDoor } from '../people/sessions/session-door.ts';
import { createSystemMail } from '../people/system-mail/system-mail.ts';
import { builtFolder } from '../platform/built-file.ts';
import { readNodes } from '../platform/database/nodes-store.ts';
import { createSharedRead } from '../platform/database/shared-read.ts';
import { behind, MACHINE_DOOR, PORTAL_DOOR, PORTAL_MIRROR, SANDBOX_DOOR } from '../platform/http/door.ts';
import type { App } from '../platform/http/http.ts';
import { createHttpMetrics } from '../platform/http/http-metrics.ts';
import { createHttpServer } from '../platform/http/http-server.ts';
import { metricsRoute } from '../platform/http/metrics-server.ts';
import { traceRequests } from '../platform/http/request-trace.ts';
import { collectRoutes, type DescribedRoute } from '../platform/http/route-list.ts';
import { mailboxPageRoutes, mailboxPartRoutes } from '../sandbox/mailbox-page-routes.ts';
import { sandboxMailboxRoutes } from '../sandbox/mailbox-routes.ts';
import { timeStampAuthorityRoutes } from '../sandbox/time-stamp-authority.ts';
import { acknowledgeRoutes } from '../surfaces/acknowledge/routes.ts';
import { createChangeFeed } from '../surfaces/portal/changes.ts';
import { portalRoutes } from '../surfaces/portal/routes.ts';
import { clientRoutes } from '../surfaces/reference/clients/routes.ts';
import { referenceRoutes } from '../surfaces/reference/routes.ts';
import { verifyPageRoutes } from '../surfaces/verify-page/routes.ts';
import { webFileRoutes } from '../surfaces/web-files/routes.ts';
import { webhookRoutes } from '../webhooks/routes.ts';
import { type Health, healthRoutes } from './health.ts';
import { LEAK_PARTS } from './leak-parts.ts';
import { publicUrlAt } from './public-url.ts';
import { refuseChanges } from './recovery.ts';
import type { Services } from './services.ts';

export interface HttpSide {
  readonly app: App;
  readonly routes: readonly DescribedRoute[];
  readonly health: Health;
  readonly portal: Portal;
  /** Finishes current requests, up to `graceMs`. */
  close(graceMs?: number): Promise<void>;
}

/** A stalled client must not delay a stop. */
const CLOSE_GRACE_MS = 4_000;

interface HttpSideDeps {
  services: Services;
  accept: Accept | null;
  wakeDelivery(): void;
  wakeWebhooks(): void;
}

export function createHttpSide(deps: HttpSideDeps): HttpSide {
  const { config, clock, keyCheck, log, metrics, tracing } = deps.services;
  const portal = createPortal(deps.services, deps.accept, () => publicUrlAt(config, portOf(app)));
  const app = createHttpServer({
    log,
    authenticate: createAuthenticate({
      keyCheck,
      burst: config.keyBurst,
      addresses: {
        clock,
        keyed: { perSecond: config.addressRate, burst: config.addressBurst },
        keyless: { perSecond: config.keylessRate, burst: config.keylessBurst },
      },
      doors: { portal: portal.door.authenticate },
    }),
    trustProxy: config.trustProxy,
    onAnswered: createHttpMetrics(metrics),
    metrics,
    ...(deps.accept !== null && { waitedMs: deps.accept.waitedMs }),
  });
  if (tracing !== null) traceRequests(app, tracing, clock);
  const { recovery } = deps.services;
  if (recovery !== null) refuseChanges(app);
  const routes = collectRoutes(app);
  recordChanges(app, deps.services);
  // While stopping, connections are closed after each answer.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (health.isRetired()) reply.header('Connection', 'close');
    done();
  });
  const health: Health = registerRoutes(app, { ...deps, portal });
  if (config.metricsPort === null) metricsRoute(app, metrics);
  if (serves(config, 'api')) {
    const { publicUrl } = portal.sessions;
    referenceRoutes(app, { routes, publicUrl });
    clientRoutes(app, { folder: () => builtFolder('clients'), publicUrl });
  }
  return {
    ...{ app, routes, health, portal },
    async close(graceMs = CLOSE_GRACE_MS) {
      const cut = setTimeout(() => app.server.closeAllConnections(), graceMs);
      await app.close();
      clearTimeout(cut);
    },
  };
}

export interface Portal {
  readonly sessions: PortalSessions;
  readonly door: SessionDoor;
}

/** `publicUrl`: known once the process listens. */
export function createPortal(
  services: Services,
  accept: Accept | null,
  publicUrl: () => string = () => services.config.publicUrl,
): Portal {
  const { config, db, clock, log, secrets, domains } = services;
  const { systemSender: sender } = config;
  const sandbox = config.delivery === 'sandbox';
  const mail =
    sender === null || accept === null
      ? null
      : createSystemMail({ ...domains, secrets, log, accept, sandbox, sender });
  const sessions = createPortalSessions(
    { ...{ db, clock, log, secrets, publicUrl, mail, sandbox }, own: createOwnOrigin(config.publicUrl) },
    services.passwordCost,
  );
  return { sessions, door: createSessionDoor(sessions) };
}

function portOf(app: App): number {
  return (app.server.address() as AddressInfo | null)?.port ?? 0;
}

function serves({ roles }: Config, role: Role): boolean {
  return roles.includes(role);
}

export function registerRoutes(
  app: App,
  { services, accept, portal, ...wake }: HttpSideDeps & { portal: Portal },
): Health {
  const nodes = createSharedRead({ ...services, read: readNodes });
  const health = healthRoutes(app, { ...services, nodes });
  // Anybody may have a hash signed: acceptable in a sandbox only.
  const { authorities, delivery } = services.config;
  if (authorities === null && delivery === 'sandbox') timeStampAuthorityRoutes(app, services.authority);
  if (accept === null) return health;
  const { publicUrl } = portal.sessions;
  apiRoutes(app, services, accept, { ...wake, publicUrl });
  const replyAddressOf = createReplyAddress(services.returnPathSecret, services.returnPathHost);
  acknowledgeRoutes(app, { ...services, mail: portal.sessions.mail, publicUrl, replyAddressOf, ...wake });
  if (serves(services.config, 'portal')) {
    const { changes } = services;
    portalSessionRoutes(app, { ...portal.sessions, changes }, portal.door);
    const grants = { ...services, mcpUrl: services.config.mcpUrl, publicUrl };
    consentRoutes(behind(app, PORTAL_DOOR)('API keys'), grants);
    oauthRoutes(app, grants);
    const { stillOpen } = portal.door;
    const feed = createChangeFeed(services);
    const evidence = { log: services.logSigner, logOf: createLogs(services) };
    portalRoutes(app, { ...services, ...evidence, accept, publicUrl, stillOpen, feed });
  }
  return health;
}

type Wake = Pick<HttpSideDeps, 'wakeDelivery' | 'wakeWebhooks'>;

function apiRoutes(
  app: App,
  services: Services,
  accept: Accept,
  { publicUrl, ...wake }: Wake & { publicUrl: () => string },
): void {
  const { config, logSigner: log } = services;
  const api = serves(config, 'api');
  const about = behind(
    app,
    ...(api ? [MACHINE_DOOR] : []),
    ...(serves(config, 'portal') ? [PORTAL_MIRROR] : []),
  );
  const deps = { ...services, ...wake, accept, enqueue, hostname: config.hostname };
  const evidence = { ...services, log, logOf: createLogs(services) };
  messageRoutes(about('Messages'), { ...deps, askPerson: createAskPerson({ ...deps, publicUrl }) });
  resendRoutes(about('Messages'), deps);
  deliveryRoutes(about('Messages'), deps);
  byHandRoutes(about('Messages'), deps);
  waitingRoutes(about('Messages'), deps);
  scheduleRoutes(about('Messages'), deps);
  sealRoutes(about('Evidence'), evidence);
  evidenceRoutes(about('Evidence'), { ...evidence, verifyUrl: () => `${publicUrl()}/verify` });
  templateRoutes(about('Templates'), deps);
  domainRoutes(about('Domains'), services.domains);
  const lookAtSources = createSourceFacts(config, services.clock);
  requirementRoutes(about('Domains'), { ...services.domains, lookAtSources });
  senderRoutes(about('Senders'), deps);
  suppressionRoutes(about('Suppressions'), deps);
  webhookRoutes(about('Webhooks'), { ...services, wake: wake.wakeWebhooks });
  ratesRoutes(about('Account'), deps);
  accountRoutes(about('Account'), deps);
  apiKeyRoutes(about('API keys'), { ...deps, ...LEAK_PARTS });
  if (serves(config, 'portal'))
    webFileRoutes(app, { application: 'portal', prefix: '/portal', publicUrl: config.publicUrl });
  if (!api) return;
  verifyPageRoutes(app, () => services);
  askRoutes(app, evidence);
  logRoutes(app, { ...evidence, ownPolicy: () => services.ownPolicy });
  if (config.delivery === 'sandbox') {
    const open = behind(
      app,
      SANDBOX_DOOR,
      ...(serves(config, 'portal') ? [PORTAL_DOOR] : []),
    )('Test mailbox');
    sandboxMailboxRoutes(open, services);
    mailboxPartRoutes(open, services);
    mailboxPageRoutes(app, services);
  }
}
