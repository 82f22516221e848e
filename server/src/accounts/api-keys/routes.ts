import { Type } from 'typebox';
import {
  BODY_ERRORS,
  errorAnswers,
  ID_PARAMS,
  Id,
  KEYED_ERRORS,
  line,
  NoContent,
  nullable,
  Timestamp,
} from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { SCOPES } from '../../platform/http/http.ts';
import { PAGE_QUERY, pageSchema, parsePage } from '../../platform/http/page.ts';
import { type ApiKeyDeps, createApiKey, endApiKey, readApiKeys } from './operations.ts';
import type { ApiKeyRow } from './store.ts';

const NAME_MAX_CHARS = 200;
const Scopes = Type.Array(Type.Enum([...SCOPES], { $id: 'Scope' }), {
  minItems: 1,
  uniqueItems: true,
  examples: [['messages:send', 'evidence:read']],
});

const NewKey = Type.Object(
  {
    name: line(NAME_MAX_CHARS, { examples: ['billing service'] }),
    scopes: Scopes,
  },
  { additionalProperties: false, $id: 'NewApiKey' },
);

const CreatedKey = Type.Object(
  {
    id: Id,
    name: Type.String({ examples: ['billing service'] }),
    scopes: Scopes,
    key: Type.String({
      description: 'The API key itself. It is shown only once.',
      examples: ['acuse_0…_…: 72 characters'],
    }),
    created_at: Timestamp,
  },
  { $id: 'ApiKeyWithSecret' },
);

export const ListedKey = Type.Object(
  {
    id: Id,
    name: Type.String({ examples: ['billing service'] }),
    scopes: Scopes,
    created_at: Timestamp,
    last_used_at: { ...nullable(Timestamp), description: 'When the key was last used, to the minute.' },
  },
  { $id: 'ApiKey' },
);

const config = { scopes: ['api_keys:write'] as const };
const changing = { ...config, stepUp: true };
const tags = ['API keys'];

export function apiKeyRoutes(doors: Doors, deps: ApiKeyDeps): void {
  doors.post(
    '/api-keys',
    {
      config: changing,
      schema: {
        summary: 'Create an API key',
        description: 'The key itself is shown only in this answer. A key cannot grant a scope that it lacks.',
        tags,
        operationId: 'createApiKey',
        retry: 'once',
        body: NewKey,
        response: { 201: CreatedKey, ...errorAnswers(...KEYED_ERRORS, ...BODY_ERRORS, 'conflict') },
      },
    },
    async (request, reply) => {
      const { tenantId, scopes } = request.principal;
      const made = await createApiKey(deps, tenantId, request.body, scopes);
      return reply.code(201).send({
        id: made.apiKeyId,
        name: made.name,
        scopes: made.scopes,
        key: made.key,
        created_at: made.createdAt.toISOString(),
      });
    },
  );

  doors.get(
    '/api-keys',
    {
      config,
      schema: {
        summary: 'List API keys',
        description: 'API keys that are not revoked, newest first.',
        tags,
        operationId: 'listApiKeys',
        querystring: Type.Object(PAGE_QUERY, { additionalProperties: false }),
        response: { 200: pageSchema(ListedKey), ...errorAnswers(...KEYED_ERRORS) },
      },
    },
    (request) => readApiKeys(deps, request.principal.tenantId, parsePage(request), presentKey),
  );

  doors.delete(
    '/api-keys/:id',
    {
      config: changing,
      schema: {
        summary: 'Revoke an API key',
        description:
          'Takes effect immediately and cannot be undone: the next request with the key answers 401. A key can revoke itself.',
        tags,
        operationId: 'revokeApiKey',
        params: ID_PARAMS,
        response: { 204: NoContent, ...errorAnswers(...KEYED_ERRORS, ...BODY_ERRORS, 'not_found') },
      },
    },
    async (request, reply) => {
      await endApiKey(deps, request.principal.tenantId, request.params.id);
      return reply.code(204).send(null);
    },
  );
}

export function presentKey(row: ApiKeyRow) {
  return {
    id: row.apiKeyId,
    name: row.name,
    scopes: row.scopes,
    created_at: row.createdAt.toISOString(),
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
  };
}
