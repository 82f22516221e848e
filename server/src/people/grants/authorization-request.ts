import { apiError } from '../../errors.ts';
import type { OutboundHttp } from '../../platform/network/outbound-http.ts';
import { type AgentClient, readClient } from './client.ts';
import { fetchClient, isDocumentUrl } from './client-document.ts';
import { OAuthError } from './oauth-error.ts';
import { answerUrl, isRegistered } from './redirect-uri.ts';

/** Rights that agents may be given. No more keys: those would outlive the grant. */
export const GRANT_SCOPES = ['messages:send', 'evidence:read'] as const;
export type GrantScope = (typeof GRANT_SCOPES)[number];

/** As the program sent it with the person's browser. RFC 6749 §4.1.1, RFC 7636 §4.3, RFC 8707 §2.1 */
export interface AskedFor {
  readonly client_id?: string | undefined;
  readonly redirect_uri?: string | undefined;
  readonly response_type?: string | undefined;
  readonly scope?: string | undefined;
  readonly state?: string | undefined;
  readonly resource?: string | undefined;
  readonly code_challenge?: string | undefined;
  readonly code_challenge_method?: string | undefined;
}

/** Where an answer may go, whatever else is wrong. */
export interface Asker {
  readonly clientId: string;
  readonly client: AgentClient;
  readonly redirectUri: string;
  readonly state: string | null;
}

export interface Authorization extends Asker {
  readonly scopes: readonly GrantScope[];
  readonly codeChallenge: string;
}

export interface Issuing {
  readonly secret: Uint8Array;
  readonly resource: string;
}

const S256 = /^[A-Za-z0-9_-]{43}$/;

/** Throws invalid_parameter: nobody is redirected for an unknown client or address. */
export async function readAsker(
  { secret }: Issuing,
  asked: AskedFor,
  outbound: Pick<OutboundHttp, 'get'>,
): Promise<Asker> {
  const { client_id: clientId = '', redirect_uri: redirectUri = '', state = null } = asked;
  const client = isDocumentUrl(clientId)
    ? await fetchClient(outbound, clientId)
    : readClient(secret, clientId);
  if (client === null)
    throw apiError(
      'invalid_parameter',
      'client_id is not of a program that registered here: remove the connection in the program, and connect again.',
    );
  if (!isRegistered(client.redirectUris, redirectUri))
    throw apiError(
      'invalid_parameter',
      'redirect_uri is not one that this program registered: report it to whoever makes the program.',
    );
  return { clientId, client, redirectUri, state };
}

/** Throws OAuthError, which the program may see. */
export function readAuthorization(issuing: Issuing, asked: AskedFor, asker: Asker): Authorization {
  if (asked.response_type !== 'code')
    throw new OAuthError('unsupported_response_type', 'response_type must be code.');
  // RFC 7636 §4.4.1: without it a stolen code would be enough.
  if (asked.code_challenge_method !== 'S256' || !S256.test(asked.code_challenge ?? ''))
    throw new OAuthError(
      'invalid_request',
      'Send a code_challenge with code_challenge_method=S256: PKCE is required, and plain is not enough.',
    );
  assertResource(issuing, asked.resource);
  const wanted = asked.scope === undefined || asked.scope === '' ? null : asked.scope.split(' ');
  const scopes = GRANT_SCOPES.filter((scope) => wanted === null || wanted.includes(scope));
  if (scopes.length === 0)
    throw new OAuthError('invalid_scope', `scope must name one of ${GRANT_SCOPES.join(', ')}.`);
  return { ...asker, scopes, codeChallenge: asked.code_challenge! };
}

/** Throws OAuthError. If it is left out, the only resource is meant. RFC 8707 §2 */
export function assertResource({ resource }: Issuing, asked: string | undefined): void {
  if (asked !== undefined && sameResource(asked) !== sameResource(resource))
    throw new OAuthError('invalid_target', `resource must be ${resource}: no other MCP server belongs here.`);
}

/** Case of scheme and host, and a slash behind a bare host, mean nothing. */
function sameResource(text: string): string {
  return URL.canParse(text) && !text.includes('#') ? new URL(text).href : text;
}

export function refusalUrl(asker: Asker, issuer: string, { code, message }: OAuthError): string {
  return answerUrl(
    asker.redirectUri,
    { error: code, error_description: message },
    { state: asker.state, issuer },
  );
}
