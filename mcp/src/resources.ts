/** What agents can read besides calling tools. */
import type { McpServer } from '@modelcontextprotocol/server';
import { ResourceTemplate } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { Refusal, refusalOf } from './refusal.ts';
import { evidenceOf } from './render/evidence.ts';
import { viewOf } from './render/message.ts';
import type { Session } from './session.ts';

const JSON_TYPE = 'application/json';
/** Longest document that is handed on. */
const DOCUMENT_MAX_BYTES = 4 * 2 ** 20;
/** Largest proof bundle that fits an answer, in base64 within a client's usual 10 MB. */
const BUNDLE_MAX_BYTES = 6 * 2 ** 20;
const DOCUMENT_TIMEOUT_MS = 15_000;

type Values = Readonly<Record<string, string | string[]>>;
type Content = { readonly text: string } | { readonly blob: string };

export function registerResources(server: McpServer, session: Session): void {
  fixed(server, session, { path: 'openapi', file: 'openapi.json', mimeType: JSON_TYPE, title: 'OpenAPI' });
  fixed(server, session, { path: 'llms', file: 'llms.txt', mimeType: 'text/plain', title: 'API in short' });
  template(server, 'errors/{code}', { title: 'An error code', mimeType: 'text/plain' }, async ({ code }) => ({
    text: errorOf(await documentOf(session, 'llms.txt'), String(code)),
  }));
  template(server, 'messages/{id}', { title: 'A message', mimeType: JSON_TYPE }, async ({ id }) => ({
    text: json(viewOf(await session.acuse.messages.get(idOf(id)))),
  }));
  template(server, 'messages/{id}/evidence', { title: 'Evidence', mimeType: JSON_TYPE }, async ({ id }) => ({
    text: json(evidenceOf(await session.acuse.evidence.get(idOf(id)))),
  }));
  const bundle = { title: 'Proof bundle', mimeType: 'application/zip' };
  template(server, 'messages/{id}/proof-bundle', bundle, async ({ id }) => {
    const bytes = await session.acuse.evidence.getBundle(idOf(id));
    if (bytes.length > BUNDLE_MAX_BYTES)
      throw new Refusal('payload_too_large', 'The bundle is too large for an answer.', 'Use the API itself.');
    return { blob: Buffer.from(bytes).toString('base64') };
  });
}

interface Fixed {
  readonly path: string;
  readonly file: string;
  readonly mimeType: string;
  readonly title: string;
}

function fixed(server: McpServer, session: Session, { path, file, mimeType, title }: Fixed): void {
  const uri = `acuse://${path}`;
  server.registerResource(path, uri, { title, mimeType }, async () => ({
    contents: [{ uri, mimeType, text: await documentOf(session, file) }],
  }));
}

function template(
  server: McpServer,
  path: string,
  about: { readonly title: string; readonly mimeType: string },
  read: (values: Values) => Promise<Content>,
): void {
  const uris = new ResourceTemplate(`acuse://${path}`, { list: undefined });
  server.registerResource(path, uris, about, async (uri, values) => {
    try {
      return { contents: [{ uri: uri.href, mimeType: about.mimeType, ...(await read(values)) }] };
    } catch (error) {
      const { code, message, next } = refusalOf(error);
      throw new Error(`${code}: ${message} ${next}`);
    }
  });
}

/** A public document of the service; it is asked for without the key. */
async function documentOf(session: Session, file: string): Promise<string> {
  const base = session.config.baseUrl.replace(/\/$/, '');
  const answer = await fetch(`${base}/${file}`, {
    redirect: 'error',
    signal: AbortSignal.timeout(DOCUMENT_TIMEOUT_MS),
  });
  if (!answer.ok)
    throw new Refusal('unavailable', 'The service did not answer with the document.', 'Try later.');
  const text = await answer.text();
  return text.slice(0, DOCUMENT_MAX_BYTES);
}

/** The line of a code in the API's short text: `- 401 unauthorized: …`. */
function errorOf(llms: string, code: string): string {
  const found = llms.split('\n').find((line) => line.startsWith('- ') && line.split(' ')[2] === `${code}:`);
  if (found === undefined)
    throw new Refusal('not_found', 'There is no such error code.', 'acuse://llms lists them all.');
  return found.slice(2);
}

function idOf(value: string | string[] | undefined): string {
  const id = z.uuid().safeParse(value);
  if (!id.success) throw new Refusal('not_found', 'This is not the id of a message.', 'Call list_messages.');
  return id.data;
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 1);
}
