import type { FastifyReply } from 'fastify';
import { readBuilt } from '../platform/built-file.ts';
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

export function verifyPageRoutes(app: App): void {
  const html = verifyPage();
  // For people: not part of the machine API's document.
  const schema = { hide: true };

  app.get('/verify', { schema }, async (_request, reply) => answer(reply, 'text/html; charset=utf-8', html));
  app.get('/verify/page.css', { schema }, async (_request, reply) =>
    answer(reply, 'text/css; charset=utf-8', PAGE_CSS),
  );
  app.get('/verify/page.js', { schema }, async (_request, reply) =>
    answer(reply, 'text/javascript; charset=utf-8', readBuilt('verify-page.js')),
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
