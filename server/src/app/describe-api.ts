import packageFacts from '../../package.json' with { type: 'json' };
import { loadConfig } from '../config/config.ts';
import type { Checks } from '../evidence/fsck/checks.ts';
import type { Accept } from '../messages/accept.ts';
import type { App } from '../platform/http/http.ts';
import { createHttpServer } from '../platform/http/http-server.ts';
import { collectRoutes } from '../platform/http/route-list.ts';
import { createLog } from '../platform/logger.ts';
import type { AuditedSessions } from '../surfaces/admin/deps.ts';
import { ADMIN, type Audience, MACHINE, PORTAL } from '../surfaces/reference/audiences.ts';
import { writeOpenApi } from '../surfaces/reference/document.ts';
import type { OpenApiDocument } from '../surfaces/reference/openapi.ts';
import { type Publication, staticSite } from '../surfaces/reference/static-site.ts';
import { registerAdminRoutes } from './admin-side.ts';
import { createPortal, registerRoutes } from './http-side.ts';
import type { Services } from './services.ts';

/**
 * Describes the API without a database: routes are registered, never called. Source of the documents in
 * `contract/`.
 */
export function describeApi(audience: Audience = MACHINE): OpenApiDocument {
  const app = createHttpServer({ log: createLog('silent'), authenticate: async () => {}, trustProxy: null });
  const routes = collectRoutes(app);
  const services = absent<Services>({ config: loadConfig({}).config });
  if (audience === ADMIN) describeAdmin(app, services);
  else
    registerRoutes(app, {
      services,
      portal: createPortal(services, null),
      accept: absent<Accept>({}),
      wakeDelivery() {},
      wakeWebhooks() {},
    });
  return writeOpenApi(routes, packageFacts.version, audience);
}

/** A separate listener. */
function describeAdmin(app: App, services: Services): void {
  const [sessions, checks] = [absent<AuditedSessions>({}), absent<Checks>({})];
  registerAdminRoutes(app, services, { sessions, checks, portalUrl: services.config.publicUrl });
}

export function openApiText(document: OpenApiDocument = describeApi()): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

export function contractTexts(): Record<string, string> {
  return {
    'openapi.json': openApiText(),
    'portal.json': openApiText(describeApi(PORTAL)),
    'admin.json': openApiText(describeApi(ADMIN)),
  };
}

export function siteFiles(publication: Publication): Map<string, string> {
  return staticSite(describeApi(), publication);
}

/** Nested property access works, use throws. */
function absent<T>(known: Partial<T>): T {
  return new Proxy(known as object, {
    get: (target, name) => (name in target ? Reflect.get(target, name) : absent<object>({})),
  }) as T;
}
