import type { FastifyReply, FastifyRequest } from 'fastify';
import { apiError } from '../../errors.ts';
import type { ChangeDeps } from '../../platform/database/changes.ts';
import type { App } from '../../platform/http/http.ts';
import { parseJson } from '../../platform/http/json-body.ts';
import type { OutboundHttp } from '../../platform/network/outbound-http.ts';
import { GRANT_SCOPES, type Issuing } from './authorization-request.ts';
import { presentClient, registerClient } from './client.ts';
import { redeemCode, renewGrant, revokeToken, type TokenForm, type Tokens } from './grants.ts';
import { OAuthError } from './oauth-error.ts';

export interface OAuthDeps extends ChangeDeps {
  /** The installation, which issues tokens; known once the process listens. */
  publicUrl(): string;
  /** Null: this installation lets no agents in. */
  readonly mcpUrl: string | null;
  readonly grantSecret: Uint8Array;
  /** Reads what describes a program. */
  readonly outbound: Pick<OutboundHttp, 'get'>;
}

const FORM = 'application/x-www-form-urlencoded';
/** No form of OAuth and no metadata of a client is longer. */
const BODY_MAX_BYTES = 16 * 1024;

/** Pages of others may ask: nothing here reads a cookie, and what counts is in the body. */
const FOR_EVERY_ORIGIN = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': 'Content-Type, Authorization, MCP-Protocol-Version',
  'Access-Control-Allow-Methods': 'GET, POST, OPTIONS',
};
const SCHEMA = { hide: true } as const;

export function issuingOf({ mcpUrl, grantSecret }: Pick<OAuthDeps, 'mcpUrl' | 'grantSecret'>): Issuing {
  if (mcpUrl === null)
    throw apiError('not_found', 'Agents cannot sign in here: the operator has not set ACUSE_MCP_URL.');
  return { secret: grantSecret, resource: mcpUrl };
}

/** The authorization server of the MCP server: docs/decisions/0068. */
export function oauthRoutes(app: App, deps: OAuthDeps): void {
  const raw = { config: { rawBody: true }, bodyLimit: BODY_MAX_BYTES, schema: SCHEMA };
  const form = { ...raw, config: { rawBody: true, mediaTypes: [FORM] } };

  // RFC 8414 §3
  open(app, '/.well-known/oauth-authorization-server');
  app.get('/.well-known/oauth-authorization-server', { schema: SCHEMA }, async (_request, reply) => {
    const { resource } = issuingOf(deps);
    return reply.headers(FOR_EVERY_ORIGIN).send(metadataOf(deps.publicUrl(), resource));
  });

  open(app, '/oauth/register');
  app.post('/oauth/register', raw, (request, reply) =>
    answering(reply, async () => {
      const { secret } = issuingOf(deps);
      const body = parseJson(bytesOf(request));
      if (!body.ok) throw new OAuthError('invalid_client_metadata', body.problem);
      reply.code(201);
      return presentClient(registerClient(secret, body.value), deps.clock.now());
    }),
  );

  open(app, '/oauth/token');
  app.post('/oauth/token', form, (request, reply) =>
    answering(reply, async () => {
      const issuing = issuingOf(deps);
      const field = readForm(request);
      const from = { address: request.ip, requestId: request.id };
      switch (field('grant_type')) {
        case 'authorization_code':
          return presentTokens(await redeemCode(deps, issuing, field, from));
        case 'refresh_token':
          return presentTokens(await renewGrant(deps, issuing, field, from));
        default:
          throw new OAuthError(
            'unsupported_grant_type',
            'grant_type must be authorization_code or refresh_token.',
          );
      }
    }),
  );

  // RFC 7009 §2
  open(app, '/oauth/revoke');
  app.post('/oauth/revoke', form, (request, reply) =>
    answering(reply, async () => {
      const issuing = issuingOf(deps);
      const token = readForm(request)('token');
      if (token === undefined) throw new OAuthError('invalid_request', 'Send the token that is to end.');
      await revokeToken(deps, issuing, token, { address: request.ip, requestId: request.id });
      return {};
    }),
  );
}

/** A browser's question before it lets a page of another origin send JSON. */
function open(app: App, path: string): void {
  app.options(path, { schema: SCHEMA }, (_request, reply) =>
    reply.code(204).headers(FOR_EVERY_ORIGIN).send(),
  );
}

function metadataOf(issuer: string, resource: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/portal/connect`,
    token_endpoint: `${issuer}/oauth/token`,
    registration_endpoint: `${issuer}/oauth/register`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    scopes_supported: GRANT_SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    // RFC 9728 §4
    protected_resources: [resource],
    service_documentation: `${issuer}/docs/agents`,
  };
}

/** RFC 6749 §5.1 */
function presentTokens({ accessToken, expiresInSeconds, refreshToken, scopes }: Tokens) {
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: expiresInSeconds,
    refresh_token: refreshToken,
    scope: scopes.join(' '),
  };
}

async function answering(reply: FastifyReply, work: () => Promise<object>): Promise<FastifyReply> {
  // Every answer, an error of the framework's own too, may be read by the page that asked.
  reply.headers({ ...FOR_EVERY_ORIGIN, 'Cache-Control': 'no-store' });
  try {
    return reply.send(await work());
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    // RFC 6749 §5.2
    return reply
      .code(error.code === 'invalid_client' ? 401 : 400)
      .send({ error: error.code, error_description: error.message });
  }
}

/** Throws OAuthError for a field that is given twice. RFC 6749 §3.2 */
function readForm(request: FastifyRequest): TokenForm {
  const form = new URLSearchParams(bytesOf(request).toString('utf8'));
  // In one pass: a form of 16 KiB has room for thousands of names.
  if (new Set(form.keys()).size < form.size)
    throw new OAuthError('invalid_request', 'A field of the form is given more than once.');
  return (name) => form.get(name) ?? undefined;
}

function bytesOf({ body }: FastifyRequest): Buffer {
  return Buffer.from((body as Uint8Array | undefined) ?? []);
}
