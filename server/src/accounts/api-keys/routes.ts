import { Type } from 'typebox';
import { apiError } from '../../errors.ts';
import {
  closed,
  errorAnswers,
  ID_PARAMS,
  Id,
  line,
  NoContent,
  named,
  nullable,
  openNamed,
  Timestamp,
} from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { type Actor, type Narrowing, READ_ONLY_PARTS, SCOPES } from '../../platform/http/http.ts';
import { PAGE_QUERY, pageSchema, parsePage } from '../../platform/http/page.ts';
import { auditSource } from '../audit/append.ts';
import { AccountEventSchema, presentAccountEvent } from '../audit/present.ts';
import { endLeakedKey, type Leak, type LeakDeps, SHOWN_MAX } from './leak.ts';
import { readNarrowing } from './narrowing.ts';
import { createApiKey, endApiKey, readApiKeys } from './operations.ts';
import type { ApiKeyRow, Maker } from './store.ts';

const NAME_MAX_CHARS = 200;
const NARROWING_MAX = 50;
const SENDER_MAX_CHARS = 320;
/** An IPv6 address in full, and its bits. */
const NETWORK_MAX_CHARS = 49;
const Scopes = Type.Array(Type.Enum([...SCOPES], { $id: 'Scope' }), {
  minItems: 1,
  uniqueItems: true,
  examples: [['messages:send', 'evidence:read']],
});

const ReadOnly = Type.Array(Type.Enum([...READ_ONLY_PARTS], { $id: 'ReadOnlyPart' }), {
  uniqueItems: true,
  description:
    'Kinds that the key may read but not change, although messages:send would let it. domains includes their senders.',
  examples: [['domains', 'webhooks']],
});
const NEEDS_APPROVAL =
  'Each send waits until a person approves it in the portal. Until then it is refused as approval_required; repeated after that, it is answered with the message.';
const SENDERS = 'Addresses, and *@domain, that the key may have in From.';
const NETWORKS = 'IP addresses and networks that the key may be used from.';
const listOf = (maxLength: number, description: string, examples: string[]) =>
  Type.Array(Type.String({ minLength: 1, maxLength }), {
    ...{ minItems: 1, maxItems: NARROWING_MAX, uniqueItems: true },
    description: `${description} All, when omitted.`,
    examples: [examples],
  });

const NewKey = named('NewApiKey', {
  name: line(NAME_MAX_CHARS, { examples: ['billing service'] }),
  scopes: Scopes,
  senders: Type.Optional(listOf(SENDER_MAX_CHARS, SENDERS, ['billing@example.com', '*@example.com'])),
  networks: Type.Optional(listOf(NETWORK_MAX_CHARS, NETWORKS, ['192.0.2.0/24', '2001:db8::/48'])),
  expires_at: Type.Optional({ ...Timestamp, description: 'When the key stops working (RFC 3339).' }),
  read_only: Type.Optional(ReadOnly),
  needs_approval: Type.Optional(Type.Boolean({ default: false, description: NEEDS_APPROVAL })),
});

/** Newer than the rest: a client may talk to a service without them. */
const NARROWED = {
  senders: Type.Optional(nullable(Type.Array(Type.String()), `${SENDERS} Null: all.`)),
  networks: Type.Optional(nullable(Type.Array(Type.String()), `${NETWORKS} Null: all.`)),
  expires_at: Type.Optional(nullable(Timestamp, 'When the key stops working. Null: never.')),
  read_only: Type.Optional(ReadOnly),
  needs_approval: Type.Optional(Type.Boolean({ description: NEEDS_APPROVAL })),
  created_by: Type.Optional(
    nullable(
      openNamed('ApiKeyMaker', {
        kind: Type.Enum(['key', 'user', 'operator', 'system'], { $id: 'AuditActorKind' }),
        id: nullable(Id, 'Null for the command line.'),
        name: Type.String({ examples: ['Ana López'] }),
      }),
      'Creator of the key. Null for keys of earlier versions.',
    ),
  ),
};

const CreatedKey = openNamed('ApiKeyWithSecret', {
  id: Id,
  name: Type.String({ examples: ['billing service'] }),
  scopes: Scopes,
  key: Type.String({
    description: 'The API key itself. It is shown only once.',
    examples: ['acuse_0…_…: 72 characters'],
  }),
  created_at: Timestamp,
  ...NARROWED,
});

export const ListedKey = openNamed('ApiKey', {
  id: Id,
  name: Type.String({ examples: ['billing service'] }),
  scopes: Scopes,
  created_at: Timestamp,
  last_used_at: { ...nullable(Timestamp), description: 'When the key was last used, to the minute.' },
  last_used_from: Type.Optional(
    nullable(Type.String({ examples: ['192.0.2.25'] }), 'The IP address that it was then used from.'),
  ),
  ...NARROWED,
  grant: Type.Optional(
    nullable(
      openNamed('ApiKeyGrant', {
        resource: Type.String({
          description: 'URL of the MCP server that the key is for.',
          examples: ['https://mcp.example.com/mcp'],
        }),
        until: {
          ...Timestamp,
          description: 'Until when the program may renew the key; expires_at is when it must next.',
        },
      }),
      "Of a key that a person gave to an agent's program. Null for other keys.",
    ),
  ),
});

const config = { scopes: ['api_keys:write'] as const };
const changing = { ...config, stepUp: true };

const LeakReport = openNamed('LeakReport', {
  revoked_keys: Type.Array(openNamed('LeakedKey', { id: Id, name: Type.String() }), {
    description: 'The key, the keys that it made, and those that these made, if they were not revoked.',
  }),
  deleted_webhooks: Type.Array(openNamed('LeakedWebhook', { id: Id, url: Type.String() }), {
    description: 'Webhooks that any of these keys registered.',
  }),
  changes: Type.Array(AccountEventSchema, {
    description: `Changes made with these keys, newest first, at most ${SHOWN_MAX}.`,
  }),
  messages: openNamed(
    'LeakedSends',
    {
      count: Type.Integer({ description: 'Among the newest 100000 messages of the account.' }),
      first_at: nullable(Timestamp),
      last_at: nullable(Timestamp),
      ids: Type.Array(Id, { description: `Newest first, at most ${SHOWN_MAX}.` }),
    },
    { description: 'Messages sent with these keys, since the service notes it.' },
  ),
});

export function apiKeyRoutes(doors: Doors, deps: LeakDeps): void {
  leakRoute(doors, deps);
  doors.post(
    '/api-keys',
    {
      config: changing,
      schema: {
        summary: 'Create an API key',
        description:
          'The key itself is shown only in this answer. A key cannot grant a scope that it lacks, and passes on what narrows it.',
        operationId: 'createApiKey',
        retry: 'once',
        body: NewKey,
        response: { 201: CreatedKey, ...errorAnswers('conflict') },
      },
    },
    async (request, reply) => {
      const { tenantId, scopes, actor, narrowing: own } = request.principal;
      const narrowing = readNarrowing(request.body, deps.clock.now(), own);
      const { name, scopes: wanted } = request.body;
      const input = { name, scopes: wanted, narrowing, maker: makerOf(actor) };
      const made = await createApiKey(deps, tenantId, input, scopes);
      return reply.code(201).send({
        id: made.apiKeyId,
        name: made.name,
        scopes: made.scopes,
        key: made.key,
        created_at: made.createdAt.toISOString(),
        ...presentNarrowing(made.narrowing, made.maker),
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
        operationId: 'listApiKeys',
        querystring: closed(PAGE_QUERY),
        response: { 200: pageSchema(ListedKey) },
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
        operationId: 'revokeApiKey',
        params: ID_PARAMS,
        response: { 204: NoContent, ...errorAnswers('not_found') },
      },
    },
    async (request, reply) => {
      await endApiKey(deps, request.principal.tenantId, request.params.id);
      return reply.code(204).send(null);
    },
  );
}

function leakRoute(doors: Doors, deps: LeakDeps): void {
  doors.post(
    '/api-keys/:id/leak',
    {
      config: changing,
      schema: {
        summary: 'Report an API key as leaked',
        description:
          'Revokes the key and every key that it made, deletes the webhooks that they registered, and lists what they did. Cannot be undone. A key that was revoked already may be reported too.',
        operationId: 'reportLeakedApiKey',
        retry: 'repeatable',
        params: ID_PARAMS,
        response: { 200: LeakReport, ...errorAnswers('not_found') },
      },
    },
    async (request) => {
      const { tenantId, actor } = request.principal;
      const { kind } = actor;
      if (kind === 'share') throw apiError('not_found');
      const source = auditSource(request, { ...actor, kind });
      return presentLeak(await endLeakedKey(deps, tenantId, request.params.id, source));
    },
  );
}

export function presentLeak({ revoked, webhooks, changes, messages }: Leak) {
  return {
    revoked_keys: revoked.map(({ apiKeyId: id, name }) => ({ id, name })),
    deleted_webhooks: webhooks.map(({ webhookId: id, url }) => ({ id, url })),
    changes: changes.map(presentAccountEvent),
    messages: {
      count: messages.count,
      first_at: messages.firstAt?.toISOString() ?? null,
      last_at: messages.lastAt?.toISOString() ?? null,
      ids: [...messages.messageIds],
    },
  };
}

export function presentKey(row: ApiKeyRow) {
  return {
    id: row.apiKeyId,
    name: row.name,
    scopes: row.scopes,
    created_at: row.createdAt.toISOString(),
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
    last_used_from: row.lastUsedFrom,
    ...presentNarrowing(row, row.createdBy),
    grant: presentGrant(row),
  };
}

function presentGrant({ resource, grantedUntil }: ApiKeyRow) {
  return resource === null || grantedUntil === null ? null : { resource, until: grantedUntil.toISOString() };
}

export function presentNarrowing(narrowing: Narrowing, createdBy: Maker | null) {
  const { senders, networks, expiresAt, readOnly, needsApproval } = narrowing;
  return {
    senders: senders === null ? null : [...senders],
    networks: networks === null ? null : [...networks],
    expires_at: expiresAt?.toISOString() ?? null,
    read_only: [...readOnly],
    needs_approval: needsApproval,
    created_by: createdBy,
  };
}

/** A share makes none. */
function makerOf({ kind, id, name }: Actor): Maker | null {
  return kind === 'share' ? null : { kind, id, name };
}
