/** Resources that agents can read. */
import type { McpServer } from '@modelcontextprotocol/server';
import { ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { Refusal, refusalOf } from './refusal.ts';
import { evidenceOf } from './render/evidence.ts';
import { viewOf } from './render/message.ts';
import type { Session } from './session.ts';

const JSON_TYPE = 'application/json';
/** Of a resource that cannot be read, in what is said of it. */
const URI_SHOWN_CHARS = 200;
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
  server.registerResource(path, uri, { title, mimeType }, () =>
    contentsOf(uri, mimeType, async () => ({ text: await documentOf(session, file) })),
  );
}

function template(
  server: McpServer,
  path: string,
  about: { readonly title: string; readonly mimeType: string },
  read: (values: Values) => Promise<Content>,
): void {
  const uris = new ResourceTemplate(`acuse://${path}`, { list: undefined });
  server.registerResource(path, uris, about, (uri, values) =>
    contentsOf(uri.href, about.mimeType, () => read(values)),
  );
}

/** Errors are one line of text of our own: code, which resource, what is wrong, what to do. */
async function contentsOf(uri: string, mimeType: string, read: () => Promise<Content>) {
  try {
    return { contents: [{ uri, mimeType, ...(await read()) }] };
  } catch (error) {
    const { code, message, next } = refusalOf(error);
    const text = `${code}: ${uri.slice(0, URI_SHOWN_CHARS)}: ${message} ${next}`;
    throw code === 'not_found' ? new ResourceNotFoundError(uri, text) : new Error(text);
  }
}

/** A public document of the service; it is asked for without the key. */
async function documentOf(session: Session, file: string): Promise<string> {
  const base = session.config.baseUrl.replace(/\/$/, '');
  const signal = AbortSignal.timeout(DOCUMENT_TIMEOUT_MS);
  const answer = await fetch(`${base}/${file}`, { redirect: 'error', signal }).catch(() => null);
  const text = answer?.ok === true ? await textOf(answer).catch(() => null) : null;
  if (text === null)
    throw new Refusal('unavailable', `The service did not answer with ${file}.`, 'Try later.');
  return text;
}

/** null: longer than a document may be. */
async function textOf(answer: Response): Promise<string | null> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of answer.body ?? []) {
    bytes += part.length;
    if (bytes > DOCUMENT_MAX_BYTES) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
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
