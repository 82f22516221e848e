import { Type } from 'typebox';
import type { Db } from '../../platform/database/db.ts';
import { errorAnswers, Id, KEYED_ERRORS } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { QUERY_MAX_CHARS, search } from './search.ts';

const FoundSchema = Type.Object(
  {
    kind: Type.Enum(['message', 'domain', 'sender', 'suppression', 'template', 'webhook'], {
      $id: 'FoundKind',
    }),
    id: Id,
    label: Type.String({ examples: ['Invoice 2026-0001 → ana@example.com'] }),
  },
  { additionalProperties: false, $id: 'Found' },
);

/** `GET /v1/portal/search`. */
export function searchRoutes(doors: Doors, { db }: { readonly db: Db }): void {
  doors.get(
    '/search',
    {
      config: { scopes: ['evidence:read'], costly: true },
      schema: {
        operationId: 'search',
        tags: ['Account'],
        summary: 'Find something by what names it',
        description:
          'Up to 20 things of the account by an exact id, idempotency key, address, name, hash (of a message, an outcome or a Merkle root), batch, or serial number of a constancia.',
        querystring: Type.Object(
          { q: Type.String({ minLength: 1, maxLength: QUERY_MAX_CHARS, examples: ['ana@example.com'] }) },
          { additionalProperties: false },
        ),
        response: {
          200: Type.Object({ data: Type.Array(FoundSchema) }, { $id: 'FoundList' }),
          ...errorAnswers(...KEYED_ERRORS),
        },
      },
    },
    async (request) => ({ data: await search(db, request.principal.tenantId, request.query.q) }),
  );
}
