import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { readBuilt } from '../../platform/built-file.ts';
import type { App } from '../../platform/http/http.ts';

/**
 * `GET /verify`: verification in the browser, and `GET /prove/{id}` for shared links, both built from
 * web/verify. The first's policy forbids all connections; the second may fetch the bundle.
 */
const POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'",
  "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
].join('; ');
const PROVE_POLICY = `${POLICY}; connect-src 'self'`;
const CACHE = 'public, max-age=300';

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

interface Page {
  readonly type: string;
  readonly file: string;
  readonly policy: string;
}

const PAGES: Readonly<Record<string, Page>> = {
  '/verify': { type: HTML, file: 'verify-page.html', policy: POLICY },
  '/verify/page.css': { type: 'text/css; charset=utf-8', file: 'verify-page.css', policy: POLICY },
  '/verify/page.js': { type: SCRIPT, file: 'verify-page.js', policy: POLICY },
  '/verify/mldsa44.js': { type: SCRIPT, file: 'mldsa44-page.js', policy: POLICY },
  '/verify/prove.js': { type: SCRIPT, file: 'prove-page.js', policy: PROVE_POLICY },
};

/** Embedded data, so that the page needs no request: signed ends of logs, and this server's policy. */
interface PageFacts {
  readonly logEnds: readonly string[];
  readonly ownPolicy: string;
}

const HIDDEN = { hide: true };

export function verifyPageRoutes(app: App, facts: () => PageFacts): void {
  for (const [path, page] of Object.entries(PAGES))
    app.get(path, { schema: HIDDEN }, async (_request, reply) => answer(reply, page, facts()));
  // The page is the same for every id; POST opens a share.
  app.get(
    '/prove/:id',
    { schema: { ...HIDDEN, params: Type.Object({ id: Type.String() }) } },
    async (_request, reply) => {
      const page = { type: HTML, file: 'prove-page.html', policy: PROVE_POLICY };
      return answer(reply, page, facts());
    },
  );
}

function answer(reply: FastifyReply, { type, file, policy }: Page, facts: PageFacts): FastifyReply {
  return reply
    .header('Content-Security-Policy', policy)
    .header('Cache-Control', CACHE)
    .header('X-Content-Type-Options', 'nosniff')
    .header('Referrer-Policy', 'no-referrer')
    .type(type)
    .send(type === HTML ? withFacts(readBuilt(file), facts) : readBuilt(file));
}

function withFacts(html: string, { logEnds, ownPolicy }: PageFacts): string {
  const metas = [meta('acuse-log-ends', JSON.stringify(logEnds)), meta('acuse-policy', ownPolicy)];
  return html.replace('</head>', () => `${metas.join('')}</head>`);
}

function meta(name: string, json: string): string {
  const content = json.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return `<meta name="${name}" content="${content}">\n`;
}
