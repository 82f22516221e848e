import packageFacts from '../../package.json' with { type: 'json' };
import { loadConfig } from '../config/config.ts';
import type { Checks } from '../evidence/fsck/checks.ts';
import type { Accept } from '../messages/accept.ts';
import { readBuilt } from '../platform/built-file.ts';
import type { App } from '../platform/http/http.ts';
import { createHttpServer } from '../platform/http/http-server.ts';
import { collectRoutes } from '../platform/http/route-list.ts';
import { createLog } from '../platform/logger.ts';
import type { AuditedSessions } from '../surfaces/admin/deps.ts';
import { ADMIN, type Audience, MACHINE, PORTAL } from '../surfaces/reference/audiences.ts';
import { writeOpenApi } from '../surfaces/reference/document.ts';
import { llmsFullText, llmsText } from '../surfaces/reference/llms.ts';
import type { OpenApiDocument } from '../surfaces/reference/openapi.ts';
import { RUNS } from '../surfaces/reference/site/samples.ts';
import { createSite } from '../surfaces/reference/site/site.ts';
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

/** Where the site is published. */
interface Publication {
  readonly publicUrl: string;
  /** Such as `/0.1.0`; empty at a root. */
  readonly base: string;
}

/** `/docs` as static files, relative to `base`; pages are index.html. */
function staticSite(document: OpenApiDocument, { publicUrl, base }: Publication): Map<string, string> {
  const site = createSite(document, publicUrl);
  const files = new Map<string, string>();
  for (const path of site.paths)
    files.set(`${path.slice(1)}/index.html`, moved(site.page(path)!, publicUrl, base));
  files.set('404.html', moved(site.missing, publicUrl, base));
  const entries = site.entries.map((entry) => ({ ...entry, href: base + entry.href }));
  files.set('docs/search.json', JSON.stringify(entries));
  files.set('docs/page.js', readBuilt('docs-page.js'));
  files.set('docs/page.css', readBuilt('docs-page.css'));
  files.set('openapi.json', `${JSON.stringify(document, null, 2)}\n`);
  files.set('llms.txt', llmsText(document, publicUrl));
  files.set('llms-full.txt', llmsFullText(document, publicUrl));
  return files;
}

/** Service-only links are absolute. */
function moved(page: string, publicUrl: string, base: string): string {
  return page
    .replaceAll(RUNS, '')
    .replaceAll('href="/verify"', `href="${publicUrl}/verify"`)
    .replace(/(href|src)="(\/(?:docs[/#"]|openapi\.json|llms))/g, `$1="${base}$2`);
}
