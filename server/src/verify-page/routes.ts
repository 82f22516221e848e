import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyReply } from 'fastify';
import type { App } from '../platform/http/http.ts';
import { PAGE_CSS, verifyPage } from './html.ts';

/**
 * `GET /verify`: verification in the visitor's browser. The page may load its own program and style and talk
 * to nobody: its content security policy forbids every connection, so that "nothing is sent anywhere" is held
 * by the browser.
 */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const CACHE = 'public, max-age=300';

/** Where the build puts the page's program: next to the bundle, or, run from the sources, in dist. */
const PROGRAM_PLACES = ['./verify-page.js', '../../dist/verify-page.js'];

export function verifyPageRoutes(app: App): void {
  const html = verifyPage();
  const program = readProgram();
  // For people: not part of the machine API's document.
  const schema = { hide: true };

  app.get('/verify', { schema }, async (_request, reply) => answer(reply, 'text/html; charset=utf-8', html));
  app.get('/verify/page.css', { schema }, async (_request, reply) =>
    answer(reply, 'text/css; charset=utf-8', PAGE_CSS),
  );
  app.get('/verify/page.js', { schema }, async (_request, reply) =>
    answer(reply, 'text/javascript; charset=utf-8', program()),
  );
}

function answer(reply: FastifyReply, type: string, body: string): never {
  return reply
    .header('Content-Security-Policy', POLICY)
    .header('Cache-Control', CACHE)
    .header('X-Content-Type-Options', 'nosniff')
    .header('Referrer-Policy', 'no-referrer')
    .type(type)
    .send(body) as never;
}

/** Read once, at the first visit. */
function readProgram(): () => string {
  let known: string | undefined;
  return () => {
    known ??= PROGRAM_PLACES.map(readIfThere).find((text) => text !== undefined);
    if (known === undefined) throw new Error('verify-page.js is missing: run npm run build');
    return known;
  };
}

function readIfThere(place: string): string | undefined {
  try {
    return readFileSync(fileURLToPath(new URL(place, import.meta.url)), 'utf8');
  } catch {
    return undefined;
  }
}
