import { hash, randomBytes } from 'node:crypto';
import { OAuthError } from './oauth-error.ts';
import { isRedirectUri } from './redirect-uri.ts';
import { openText, sealText, TOKEN_MAX_CHARS } from './tokens.ts';

/**
 * A program that registered itself. Its id is all that it registered, and a MAC: nothing is stored,
 * so nobody fills a table by registering, and no registration is ever lost. RFC 7591 §A.5.2. Pure.
 */
export interface AgentClient {
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** Host of the document that describes it; null: it registered. */
  readonly describedAt: string | null;
}

export const REDIRECT_URIS_MAX = 10;
export const CLIENT_NAME_MAX_CHARS = 100;
/** Tells apart programs that register the same. */
const SALT_BYTES = 6;
/** Nothing that turns a line around, hides, or ends it. */
const NAME = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+$/u;
const REDIRECT_URIS =
  'Each of redirect_uris is https, or http at 127.0.0.1, [::1] or localhost, without a fragment or a password.';
const GRANT_TYPES = ['authorization_code', 'refresh_token'];

/** Returns the new id. Throws OAuthError. */
export function registerClient(secret: Uint8Array, metadata: unknown): { id: string; client: AgentClient } {
  const client = readMetadata(metadata);
  const content = JSON.stringify([
    randomBytes(SALT_BYTES).toString('base64url'),
    client.name,
    client.redirectUris,
  ]);
  const id = sealText(secret, 'client', Buffer.from(content));
  if (id.length > TOKEN_MAX_CHARS)
    throw new OAuthError(
      'invalid_client_metadata',
      `The name and the redirect_uris are too long together: their client_id would have ${id.length} characters, and may have ${TOKEN_MAX_CHARS}.`,
    );
  return { id, client };
}

export function readClient(secret: Uint8Array, id: string): AgentClient | null {
  const content = openText(secret, 'client', id);
  if (content === null) return null;
  const [, name, redirectUris] = JSON.parse(content.toString()) as [string, string, string[]];
  return { name, redirectUris, describedAt: null };
}

export function clientSha256(id: string): Buffer {
  return hash('sha256', id, 'buffer');
}

/** Reads the document at `url`, which is the client's id. Throws OAuthError. */
export function readDocument(url: string, document: unknown): AgentClient {
  const metadata = readObject(document);
  const { client_id: id, client_name: name, redirect_uris: uris, grant_types: grants } = metadata;
  // Letter for letter: a copy at another address does not describe this client.
  if (id !== url) throw new OAuthError('invalid_client_metadata', `client_id must be ${url}.`);
  // Whoever reads the document would know the secret.
  const { client_secret: secret, token_endpoint_auth_method: method = 'none' } = metadata;
  if (secret !== undefined || method !== 'none')
    throw new OAuthError(
      'invalid_client_metadata',
      'token_endpoint_auth_method must be none, and there is no client_secret.',
    );
  // It is for other services too, which may send a browser to places that this one does not.
  const redirectUris = Array.isArray(uris) ? uris.filter(isUsable) : [];
  if (redirectUris.length === 0)
    throw new OAuthError('invalid_redirect_uri', `redirect_uris has none that can be used. ${REDIRECT_URIS}`);
  requireCode(grants);
  const { host } = new URL(url);
  return { name: readName(name) ?? host.slice(0, CLIENT_NAME_MAX_CHARS), redirectUris, describedAt: host };
}

function readObject(metadata: unknown): Record<string, unknown> {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))
    throw new OAuthError('invalid_client_metadata', 'Send the metadata of the client as a JSON object.');
  return metadata as Record<string, unknown>;
}

function isUsable(uri: unknown): uri is string {
  return typeof uri === 'string' && isRedirectUri(uri);
}

function requireCode(grants: unknown): void {
  if (grants !== undefined && !(Array.isArray(grants) && grants.includes('authorization_code')))
    throw new OAuthError(
      'invalid_client_metadata',
      `grant_types must contain authorization_code; there are ${GRANT_TYPES.join(' and ')}.`,
    );
}

function readMetadata(metadata: unknown): AgentClient {
  const { client_name: name, redirect_uris: uris, grant_types: grants } = readObject(metadata);
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > REDIRECT_URIS_MAX)
    throw new OAuthError('invalid_redirect_uri', `redirect_uris takes 1 to ${REDIRECT_URIS_MAX} URIs.`);
  if (!uris.every(isUsable)) throw new OAuthError('invalid_redirect_uri', REDIRECT_URIS);
  requireCode(grants);
  return {
    name: readName(name) ?? new URL(uris[0]!).hostname.slice(0, CLIENT_NAME_MAX_CHARS),
    redirectUris: uris,
    describedAt: null,
  };
}

function readName(name: unknown): string | null {
  if (name === undefined || name === '') return null;
  if (
    typeof name !== 'string' ||
    name.length > CLIENT_NAME_MAX_CHARS ||
    !NAME.test(name) ||
    name.trim() === ''
  )
    throw new OAuthError(
      'invalid_client_metadata',
      `client_name has 1 to ${CLIENT_NAME_MAX_CHARS} visible characters.`,
    );
  return name.trim();
}

/** The answer to a program that registers. RFC 7591 §3.2.1 */
export function presentClient({ id, client }: { id: string; client: AgentClient }, now: Date) {
  return {
    client_id: id,
    client_id_issued_at: Math.floor(now.getTime() / 1000),
    client_name: client.name,
    redirect_uris: client.redirectUris,
    grant_types: GRANT_TYPES,
    response_types: ['code'],
    // No secret: a program on somebody's machine could keep none. RFC 8252 §8.5
    token_endpoint_auth_method: 'none',
  };
}
