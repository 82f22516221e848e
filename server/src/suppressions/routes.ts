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
} from '../platform/http/api-schema.ts';
import { CREATED_QUERY } from '../platform/http/created-query.ts';
import type { Doors } from '../platform/http/door.ts';
import { PAGE_QUERY, pageSchema, parsePage } from '../platform/http/page.ts';
import { addSuppression, readSuppressions, removeSuppression, type SuppressionDeps } from './operations.ts';
import type { Suppression } from './store.ts';

const ADDRESS_MAX_CHARS = 2_048;
const REASON_MAX_CHARS = 500;

const NewSuppression = Type.Object(
  {
    address: Type.String({ maxLength: ADDRESS_MAX_CHARS, examples: ['someone@example.com'] }),
    reason: Type.Optional(line(REASON_MAX_CHARS, { examples: ['asked by telephone'] })),
  },
  { additionalProperties: false, $id: 'NewSuppression' },
);

const SuppressionSource = Type.Enum(['manual', 'bounce', 'complaint']);

const SuppressionSchema = Type.Object(
  {
    id: Id,
    address: Type.String({
      description: 'Normalized for comparison: lower case, domain in A-labels.',
      examples: ['someone@example.com'],
    }),
    reason: Type.String({ examples: ['asked by telephone'] }),
    source: SuppressionSource,
    message_id: { ...nullable(Id), description: 'The message whose bounce or complaint put it here.' },
    created_at: Timestamp,
  },
  { additionalProperties: false, $id: 'Suppression' },
);

const tags = ['Suppressions'];

export function suppressionRoutes(doors: Doors, deps: SuppressionDeps): void {
  doors.post(
    '/suppressions',
    {
      config: { scopes: ['suppressions:write'] },
      schema: {
        summary: 'Suppress an address',
        description:
          'Sends to it are refused from now on with recipient_suppressed. An address that is already on the list answers 200 with its existing entry.',
        tags,
        operationId: 'createSuppression',
        body: NewSuppression,
        response: {
          200: SuppressionSchema,
          201: SuppressionSchema,
          ...errorAnswers(...KEYED_ERRORS, ...BODY_ERRORS, 'invalid_address', 'conflict'),
        },
      },
    },
    async (request, reply) => {
      const { created, entry } = await addSuppression(deps, request.principal.tenantId, request.body);
      return reply.code(created ? 201 : 200).send(presentSuppression(entry));
    },
  );

  doors.get(
    '/suppressions',
    {
      config: { scopes: ['evidence:read'] },
      schema: {
        summary: 'List suppressed addresses',
        description: "The account's own list, newest first. The operator's global list is not shown.",
        tags,
        operationId: 'listSuppressions',
        querystring: Type.Object(
          {
            ...PAGE_QUERY,
            address: Type.Optional(
              Type.String({
                maxLength: ADDRESS_MAX_CHARS,
                description: 'Filter by this address, in any spelling.',
              }),
            ),
            source: Type.Optional(SuppressionSource),
            ...CREATED_QUERY,
          },
          { additionalProperties: false },
        ),
        response: {
          200: pageSchema(SuppressionSchema),
          ...errorAnswers(...KEYED_ERRORS),
        },
      },
    },
    (request) =>
      readSuppressions(
        deps,
        request.principal.tenantId,
        request.query,
        parsePage(request),
        presentSuppression,
      ),
  );

  doors.delete(
    '/suppressions/:id',
    {
      config: { scopes: ['suppressions:write'] },
      schema: {
        summary: 'Allow an address again',
        description: 'Removes the entry from the list; the next send to the address is accepted.',
        tags,
        operationId: 'deleteSuppression',
        params: ID_PARAMS,
        response: { 204: NoContent, ...errorAnswers(...KEYED_ERRORS, ...BODY_ERRORS, 'not_found') },
      },
    },
    async (request, reply) => {
      await removeSuppression(deps, request.principal.tenantId, request.params.id);
      return reply.code(204).send(null);
    },
  );
}

export function presentSuppression(entry: Suppression) {
  return {
    id: entry.suppressionId,
    address: entry.address,
    reason: entry.reason,
    source: entry.source,
    message_id: entry.messageId,
    created_at: entry.createdAt.toISOString(),
  };
}
