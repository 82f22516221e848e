import { type Static, Type } from 'typebox';
import { auditSource } from '../../accounts/audit/append.ts';
import { apiError } from '../../errors.ts';
import {
  closed,
  errorAnswers,
  named,
  nullable,
  openNamed,
  Timestamp,
} from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { nameOf } from '../sessions/record.ts';
import { GRANT_SCOPES, readAsker, readAuthorization, refusalUrl } from './authorization-request.ts';
import { approveGrant, GRANT_MS } from './grants.ts';
import { OAuthError } from './oauth-error.ts';
import { issuingOf, type OAuthDeps } from './oauth-routes.ts';
import { answerUrl, isLoopback, REDIRECT_URI_MAX_CHARS } from './redirect-uri.ts';
import { TOKEN_MAX_CHARS } from './tokens.ts';

/** `state` is the program's own; longer ones do not fit an address. */
export const STATE_MAX_CHARS = 2_000;
const FIELD_MAX_CHARS = 500;

const field = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ maxLength, description }));
const ASKED = {
  client_id: field(
    TOKEN_MAX_CHARS,
    'As the program was given it when it registered, or the https address of a document that describes it.',
  ),
  redirect_uri: field(REDIRECT_URI_MAX_CHARS, 'Where the answer goes: an address that it registered.'),
  response_type: field(FIELD_MAX_CHARS, 'code.'),
  scope: field(FIELD_MAX_CHARS, 'Scopes, with spaces between; all that there are, when omitted.'),
  state: field(STATE_MAX_CHARS, 'Goes back to the program as it is.'),
  resource: field(FIELD_MAX_CHARS, 'URL of the MCP server that the program wants to use.'),
  code_challenge: field(FIELD_MAX_CHARS, 'SHA-256 of the verifier that the program keeps, as base64url.'),
  code_challenge_method: field(FIELD_MAX_CHARS, 'S256.'),
};

const grantScopes = (minItems: number, description: string) =>
  Type.Array(Type.Enum([...GRANT_SCOPES], { $id: 'GrantScope' }), {
    ...{ minItems, uniqueItems: true, description },
    examples: [['messages:send', 'evidence:read']],
  });

const GrantRequest = openNamed('GrantRequest', {
  program: Type.String({ description: 'The name that the program gave itself.', examples: ['Claude'] }),
  described_at: nullable(
    Type.String({ examples: ['claude.example'] }),
    'Host of the document that describes the program; null: it registered here.',
  ),
  returns_to: Type.String({
    description: 'Host that the answer goes to.',
    examples: ['claude.example'],
  }),
  is_local: Type.Boolean({ description: 'True: a program on the machine of the browser.' }),
  resource: Type.String({
    description: 'URL of the MCP server that the grant is for.',
    examples: ['https://mcp.example.com/mcp'],
  }),
  scopes: grantScopes(0, 'What the program asks for. Empty with a problem.'),
  until: { ...Timestamp, description: 'When a grant that is made now ends.' },
  problem: nullable(
    Type.String({ examples: ['response_type must be code.'] }),
    'Why the request cannot be granted; null: it can.',
  ),
  back_url: Type.String({ description: 'Tells the program that nothing was granted.' }),
});

const Approval = named('NewGrant', {
  scopes: grantScopes(1, 'What the person approves, of what the program asks for.'),
  needs_approval: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Each send of the program waits until a person approves it in the portal.',
    }),
  ),
  request: named('NewGrantRequest', ASKED, { description: 'What the program asked for, field by field.' }),
});
const Approved = openNamed('Grant', {
  redirect_to: Type.String({ description: 'Takes the code to the program.' }),
});

/** Where a person lets an agent's program act. Roles that may make keys may do so: a grant is a key. */
export function consentRoutes(doors: Doors, deps: OAuthDeps): void {
  doors.get(
    '/grants/request',
    {
      config: { admits: 'owner' as const },
      schema: {
        summary: 'Read what a program asks for',
        description:
          'What the person is asked to approve. 400 for a program or an address that did not register: nobody is sent there.',
        operationId: 'readGrantRequest',
        querystring: closed(ASKED),
        response: { 200: GrantRequest, ...errorAnswers('not_found') },
      },
    },
    async (request) => {
      const issuing = issuingOf(deps);
      const asker = await readAsker(issuing, request.query, deps.outbound);
      const url = new URL(asker.redirectUri);
      const facts = {
        program: asker.client.name,
        described_at: asker.client.describedAt,
        returns_to: url.host,
        is_local: isLoopback(url),
        resource: issuing.resource,
        until: new Date(deps.clock.now().getTime() + GRANT_MS).toISOString(),
      };
      const back = (error: OAuthError) => refusalUrl(asker, deps.publicUrl(), error);
      try {
        const { scopes } = readAuthorization(issuing, request.query, asker);
        const denied = new OAuthError('access_denied', 'The person did not approve.');
        return { ...facts, scopes: [...scopes], problem: null, back_url: back(denied) };
      } catch (error) {
        if (!(error instanceof OAuthError)) throw error;
        return { ...facts, scopes: [], problem: error.message, back_url: back(error) };
      }
    },
  );

  doors.post(
    '/grants',
    {
      config: { admits: 'owner' as const, stepUp: true },
      schema: {
        summary: 'Let a program act for the account',
        description:
          'Approves what the person saw, or less. The program gets an API key with these scopes, which it renews for 90 days; it is listed with the keys, and revoked there.',
        operationId: 'approveGrant',
        retry: 'once',
        body: Approval,
        response: { 201: Approved, ...errorAnswers('conflict', 'not_found') },
      },
    },
    async (request, reply) => {
      const issuing = issuingOf(deps);
      const {
        request: asked,
        scopes,
        needs_approval: needsApproval = false,
      } = request.body as Static<typeof Approval>;
      const authorization = await readApproved(deps, asked);
      const beyond = scopes.filter((scope) => !authorization.scopes.includes(scope));
      if (beyond.length > 0)
        throw apiError('invalid_body', `scopes: the program did not ask for ${beyond.join(', ')}.`);
      const { portalSession: person, principal } = request;
      const code = await approveGrant(deps, issuing, {
        ...{ tenantId: principal.tenantId, userId: person.personId, userName: nameOf(person) },
        ...{ authorization, scopes: GRANT_SCOPES.filter((scope) => scopes.includes(scope)) },
        needsApproval,
        source: auditSource(request, { kind: 'user', id: person.personId, name: nameOf(person) }),
      });
      const { redirectUri, state } = authorization;
      const redirectTo = answerUrl(redirectUri, { code }, { state, issuer: deps.publicUrl() });
      return reply.code(201).send({ redirect_to: redirectTo });
    },
  );
}

/** Throws invalid_parameter, invalid_body. */
async function readApproved(deps: OAuthDeps, asked: Static<typeof Approval>['request']) {
  const issuing = issuingOf(deps);
  try {
    return readAuthorization(issuing, asked, await readAsker(issuing, asked, deps.outbound));
  } catch (error) {
    if (error instanceof OAuthError) throw apiError('invalid_body', error.message);
    throw error;
  }
}
