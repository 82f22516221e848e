import { Type } from 'typebox';
import { DOMAIN_COUNTED_MAX, type Nothing, QUERY_MAX_CHARS, search } from '../../messages/search/find.ts';
import type { Db } from '../../platform/database/db.ts';
import { closed, Id, named, nullable, openNamed, Timestamp } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';

const FoundSchema = named('Found', {
  kind: Type.Enum(['message', 'domain', 'sender', 'suppression', 'template', 'webhook', 'delivery'], {
    $id: 'FoundKind',
  }),
  id: Id,
  label: Type.String({ examples: ['Invoice 2026-0001 → ana@example.com'] }),
  webhook_id: Type.Optional(Id),
});

const NothingSchema = named('NothingFound', {
  address: nullable(Type.String(), 'The address that was given, as it is compared; null: none was.'),
  domain: nullable(Type.String(), 'Its domain, or the domain that was given.'),
  domain_messages: Type.Integer({
    minimum: 0,
    maximum: DOMAIN_COUNTED_MAX,
    description: `Messages to the domain, counted up to ${DOMAIN_COUNTED_MAX}.`,
  }),
  suppressed_since: nullable(Timestamp, 'When the address was suppressed; null: it is not.'),
  suppressed_by: nullable(
    Type.Enum(['manual', 'bounce', 'complaint']),
    'Origin of the suppression; null: it is not suppressed.',
  ),
  searched_to: nullable(Timestamp, 'Older messages were not looked at; null: all were.'),
});

export function searchRoutes(doors: Doors, { db }: { readonly db: Db }): void {
  doors.get(
    '/search',
    {
      config: { scopes: ['evidence:read'], costly: true },
      schema: {
        operationId: 'search',
        summary: 'Find something by what names it, or by words of it',
        description:
          'Up to 20 things of the account: by an id (of a message, its Message-ID, an event, a webhook delivery, a batch), an idempotency key, a hash (of a message, an outcome or a Merkle root) or the serial number of a constancia; else by parts of names and addresses, and by words of messages. Where no message was found, nothing says why.',
        querystring: closed({
          q: Type.String({ minLength: 1, maxLength: QUERY_MAX_CHARS, examples: ['ana@example.com'] }),
        }),
        response: {
          200: openNamed('FoundList', {
            data: Type.Array(FoundSchema),
            nothing: nullable(NothingSchema, 'Why no message was found; null: one was.'),
          }),
        },
      },
    },
    async (request) => {
      const { found, nothing } = await search(db, request.principal.tenantId, request.query.q);
      return { data: found, nothing: nothing === null ? null : presentNothing(nothing) };
    },
  );
}

function presentNothing({ address, domain, domainMessages, suppressed, searchedTo }: Nothing) {
  return {
    address,
    domain,
    domain_messages: domainMessages,
    suppressed_since: suppressed?.since.toISOString() ?? null,
    suppressed_by: suppressed?.source ?? null,
    searched_to: searchedTo?.toISOString() ?? null,
  };
}
