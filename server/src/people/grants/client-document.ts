import { apiError } from '../../errors.ts';
import { parseJson } from '../../platform/http/json-body.ts';
import { RequestFailed } from '../../platform/network/capped-request.ts';
import type { OutboundHttp } from '../../platform/network/outbound-http.ts';
import { type AgentClient, readDocument } from './client.ts';
import { OAuthError } from './oauth-error.ts';

/**
 * Programs whose client_id is an https address with a document that describes them: OAuth Client ID Metadata
 * Document, in MCP since 2025-11-25; docs/decisions/0072.
 */

/** The draft's recommended limit. */
export const DOCUMENT_MAX_BYTES = 5 * 1024;
/** From the first look-up to the last byte (ms): a person waits for the page. */
export const DOCUMENT_TIMEOUT_MS = 5_000;
export const DOCUMENT_URL_MAX_CHARS = 500;
const JSON_TYPE = /^application\/(?:json|[!#$&^_.+\w-]+\+json)$/;

/** As a URL parser writes it: no dot segments, no default port, nothing that another would read otherwise. */
export function isDocumentUrl(id: string): boolean {
  if (!id.startsWith('https://') || id.length > DOCUMENT_URL_MAX_CHARS) return false;
  if (id.includes('#') || !URL.canParse(id)) return false;
  const url = new URL(id);
  return url.href === id && url.username === '' && url.password === '';
}

/** Asks each time, and keeps nothing: a person connects a program seldom. Throws invalid_parameter. */
export async function fetchClient(outbound: Pick<OutboundHttp, 'get'>, url: string): Promise<AgentClient> {
  const { host } = new URL(url);
  const body = parseJson(await bytesAt(outbound, url));
  try {
    // The parser's message would quote the document.
    if (!body.ok) throw new OAuthError('invalid_client_metadata', 'It is not valid JSON.');
    return readDocument(url, body.value);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    throw apiError(
      'invalid_parameter',
      `client_id: the document at ${host} does not describe a program that can connect here. ${error.message}`,
      { cause: error },
    );
  }
}

async function bytesAt(outbound: Pick<OutboundHttp, 'get'>, url: string): Promise<Uint8Array> {
  const limits = { maxBytes: DOCUMENT_MAX_BYTES, timeoutMs: DOCUMENT_TIMEOUT_MS };
  try {
    const { status, mediaType, bytes } = await outbound.get(url, { accept: 'application/json', ...limits });
    if (status === 200 && JSON_TYPE.test(mediaType)) return bytes;
  } catch (error) {
    if (!(error instanceof RequestFailed)) throw error;
  }
  // Not why: nobody is to learn from us what answers where.
  throw apiError(
    'invalid_parameter',
    `client_id: ${new URL(url).host} gives no document about the program: try again, or report it to whoever makes the program.`,
  );
}
