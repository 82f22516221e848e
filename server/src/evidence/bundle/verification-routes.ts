import { Type } from 'typebox';
import type { Db } from '../../platform/database/db.ts';
import { closed, ID_EXAMPLE, Id, named, Timestamp } from '../../platform/http/api-schema.ts';
import { CREATED_QUERY, idRange, readCreated } from '../../platform/http/created-query.ts';
import type { Doors } from '../../platform/http/door.ts';
import { PAGE_QUERY, pageSchema, parsePage, toPage } from '../../platform/http/page.ts';
import { readId } from '../../platform/ids.ts';
import { listVerifications, type VerificationQuery } from './verification-store.ts';

/** Longest id accepted, because it is recorded. */
const MAX_ASKED_ID_CHARS = 64;

export const AskedId = Type.String({
  maxLength: MAX_ASKED_ID_CHARS,
  pattern: '^[!-~]+$',
  description: 'Id of the message.',
  examples: [ID_EXAMPLE],
});

const ActorSchema = named(
  'Actor',
  {
    kind: Type.Enum(['key', 'user', 'share'], {
      description: 'key: an API key. user: a person, in the portal. share: somebody with a shared link.',
    }),
    id: { ...Id, description: 'Id of the key, the person or the share. It may be gone since.' },
    name: Type.String({
      description: 'Its name at that time: of a share, its note.',
      examples: ['billing service'],
    }),
  },
  { description: 'Person, key or visitor that asked.' },
);

const VerificationRecord = named('VerificationRecord', {
  id: Id,
  created_at: Timestamp,
  message_id: Type.String({
    description: 'The id as given in the query.',
    examples: [ID_EXAMPLE],
  }),
  result: Type.String({
    description: 'valid, invalid, or the code of the error that was answered; opened: of a share.',
    examples: ['valid'],
  }),
  actor: ActorSchema,
  client_address: Type.String({
    description: 'IP address that asked, as this server saw it.',
    examples: ['203.0.113.7'],
  }),
});

const RESULTS = [
  'valid',
  'invalid',
  'opened',
  'not_found',
  'missing_proof_data',
  'unavailable',
  'internal_error',
] as const;

const Query = closed({
  ...PAGE_QUERY,
  message_id: Type.Optional(AskedId),
  result: Type.Optional(Type.Enum([...RESULTS], { description: 'Only entries with this result.' })),
  ...CREATED_QUERY,
});

export function verificationRoutes(doors: Doors, { db }: { db: Db }): void {
  doors.get(
    '/verifications',
    {
      config: { scopes: ['evidence:read'] },
      schema: {
        summary: 'List verifications',
        description:
          'The access log: every query of this account with POST /v1/verify, whatever its result, and every opening of a message that it shared, newest first.',
        operationId: 'listVerifications',
        querystring: Query,
        response: { 200: pageSchema(VerificationRecord) },
      },
    },
    async (request) => {
      const { tenantId } = request.principal;
      const { query } = request;
      const page = parsePage(request);
      const created = readCreated(query);
      const asked = query.message_id === undefined ? null : (readId(query.message_id) ?? query.message_id);
      const range = idRange(created, page.afterId);
      const filter = { messageId: asked, answer: query.result ?? null, ...created };
      const rows = await db.asTenant(tenantId, (tx) =>
        listVerifications(tx, tenantId, range, filter, page.fetch),
      );
      return toPage(rows, page, (row) => row.queryId, present);
    },
  );
}

function present(row: VerificationQuery) {
  return {
    id: row.queryId,
    created_at: row.occurredAt.toISOString(),
    message_id: row.messageId,
    result: row.answer,
    actor: row.actor,
    client_address: row.clientAddress,
  };
}
