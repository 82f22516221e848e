import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import packageFacts from '../../../../package.json' with { type: 'json' };
import { localeOf } from '../../../people/sessions/mail-words.ts';
import type { App } from '../../../platform/http/http.ts';
import { REGISTRIES, type Registry, readRegistry, typeOf, WITH_ADDRESS } from './files.ts';
import { clientsPage } from './page.ts';

/**
 * `/clients/`: the client libraries of this very version, as npm, pip, go, cargo, Maven, Composer and gem ask
 * for them, and a page that says how. Reads only files that a registry's list names.
 */
export interface Clients {
  /** Folder of all registries; null: not built. Asked each time, because a checkout may build it later. */
  readonly folder: () => string | null;
  readonly publicUrl: () => string;
}

const ABSENT =
  'This installation has no client libraries: it runs from a checkout. npm run package:clients builds them ' +
  'in one or two minutes, and this address then has them.\n';
const POLICY =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const HEADERS = {
  'Cache-Control': 'public, max-age=300',
  'Content-Security-Policy': POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};
/** For people and their tools: not part of an API's document. */
const schema = { hide: true };
/** Characters of a digest in an ETag. */
const ETAG_CHARS = 32;

export function clientRoutes(app: App, clients: Clients): void {
  app.get('/clients', { schema }, async (request, reply) => page(request, reply, clients));
  app.get('/clients/*', { schema }, async (request, reply) =>
    file(request, reply, clients, (request.params as { '*': string })['*']),
  );
}

function page(request: FastifyRequest, reply: FastifyReply, clients: Clients): FastifyReply {
  const folder = clients.folder();
  const registries = new Map(
    REGISTRIES.map((name) => [name, folder === null ? null : readRegistry(folder, name)] as const).filter(
      (each): each is [(typeof REGISTRIES)[number], Registry] => each[1] !== null,
    ),
  );
  if (registries.size === 0) return absent(reply);
  const asked = (request.query as { lang?: unknown }).lang;
  const language =
    asked === 'en' || asked === 'es' ? asked : (localeOf(request.headers['accept-language']) ?? 'en');
  const text = clientsPage({ language, url: clients.publicUrl(), version: packageFacts.version, registries });
  return whole(request, reply.header('Vary', 'Accept-Language'), 'index.html', text);
}

function file(request: FastifyRequest, reply: FastifyReply, clients: Clients, path: string): FastifyReply {
  const [name, ...rest] = path.split('/');
  const folder = clients.folder();
  const registry = folder === null ? null : readRegistry(folder, name!);
  if (registry === null) return absent(reply);
  const inside = rest.filter(Boolean).join('/');
  // A folder is its index, with and without the slash at its end.
  const wanted = [inside, join(inside, 'index.html')].find((each) => Object.hasOwn(registry.files, each));
  if (wanted === undefined)
    return reply.code(404).type('text/plain; charset=utf-8').send('There is no such file.\n');
  const from = join(folder!, name!, wanted);
  if (WITH_ADDRESS.has(path)) {
    const text = readFileSync(from, 'utf8').replaceAll('{{url}}', `${clients.publicUrl()}/clients`);
    return whole(request, reply, wanted, text);
  }
  const { bytes, sha256 } = registry.files[wanted]!;
  if (isKnown(request, reply, sha256)) return reply.code(304).send();
  // A stream keeps only the part under way in memory.
  return reply
    .type(typeOf(`/${wanted}`))
    .header('Content-Length', bytes)
    .send(createReadStream(from));
}

function whole(request: FastifyRequest, reply: FastifyReply, path: string, text: string): FastifyReply {
  const digest = createHash('sha256').update(text).digest('hex');
  if (isKnown(request, reply, digest)) return reply.code(304).send();
  return reply.type(typeOf(`/${path}`)).send(text);
}

/** Sets the headers of a file. True: the caller has it already. RFC 9110 §13.1.2 */
function isKnown(request: FastifyRequest, reply: FastifyReply, digest: string): boolean {
  const etag = `"${digest.slice(0, ETAG_CHARS)}"`;
  reply.headers({ ...HEADERS, ETag: etag });
  return request.headers['if-none-match']?.includes(etag) === true;
}

function absent(reply: FastifyReply): FastifyReply {
  return reply.code(404).type('text/plain; charset=utf-8').send(ABSENT);
}
