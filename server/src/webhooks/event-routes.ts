import { type Static, Type } from 'typebox';
import type { Db } from '../platform/database/db.ts';
import {
  closed,
  ID_EXAMPLE,
  Id,
  named,
  nullable,
  openNamed,
  Timestamp,
} from '../platform/http/api-schema.ts';
import { CREATED_QUERY, readCreated } from '../platform/http/created-query.ts';
import type { Doors } from '../platform/http/door.ts';
import { PAGE_QUERY, pageSchema, parsePage } from '../platform/http/page.ts';
import { readIdParameter } from '../platform/http/url-parameters.ts';
import { readEvents } from './event-list.ts';
import { RecordedEventName } from './event-schemas.ts';
import type { EventFilter, RecordedEventRow } from './event-store.ts';

const AccountEvent = named(
  'AccountEvent',
  {
    type: RecordedEventName,
    created_at: Timestamp,
    data: openNamed(
      'AccountEventData',
      { message_id: Id, event_id: Id },
      {
        additionalProperties: true,
        description:
          'The ids and the fields of the type; after an erasure, without addresses, subject and replies.',
      },
    ),
  },
  {
    examples: [
      {
        type: 'email.bounced',
        created_at: '2026-11-20T09:30:00.000Z',
        data: {
          message_id: ID_EXAMPLE,
          event_id: '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a13',
          to: 'ana@example.com',
          bounce_type: 'hard',
          bounce: { type: 'hard', reason: 'mailbox_unknown', source: 'reply' },
          reply_code: 550,
          enhanced: '5.1.1',
          reply: 'no such user',
          asynchronous: false,
        },
      },
    ],
  },
);

const EventsQuery = closed({
  ...PAGE_QUERY,
  order: Type.Optional(
    Type.Enum(['asc', 'desc'], {
      default: 'desc',
      description: 'desc: newest first; asc: oldest first, to follow what happens.',
      $id: 'EventOrder',
    }),
  ),
  type: Type.Optional(
    Type.Array(RecordedEventName, {
      minItems: 1,
      description: 'Events of these types: repeat it, or separate them by commas.',
      examples: [['email.bounced', 'email.complained']],
    }),
  ),
  message_id: Type.Optional(
    Type.String({ maxLength: 36, description: 'Events of this message.', examples: [ID_EXAMPLE] }),
  ),
  ...CREATED_QUERY,
});

const ScannedList = pageSchema(AccountEvent, {
  scanned_to: nullable(
    Timestamp,
    'On a page that is short because matches are rare: created_at of the last event read. Continue with next_cursor. null: the page is full, or it is the last.',
  ),
});

export function eventRoutes(doors: Doors, { db }: { readonly db: Db }): void {
  doors.get(
    '/events',
    {
      config: { scopes: ['evidence:read'], costly: true },
      schema: {
        operationId: 'listEvents',
        summary: "List the account's events",
        description:
          'Events of all messages of the account, newest first, in the form in which webhooks carry it, and for as long as the messages are kept. To follow it, ask with order=asc and a created_after some 30 seconds back, and leave out each data.event_id that you have seen: events that happen at the same time are not committed in the order of their times. A page with a filter reads up to 10,000 events, so that it may be short or empty before the last page: continue while next_cursor is not null. acuse webhooks listen does all of this.',
        querystring: EventsQuery,
        response: { 200: ScannedList },
      },
    },
    (request) => {
      const { order = 'desc' } = request.query;
      const asked = { order, filter: readFilter(request.query), page: parsePage(request) };
      return readEvents(db, request.principal.tenantId, asked, present);
    },
  );
}

function readFilter(query: Static<typeof EventsQuery>): EventFilter {
  return {
    types: query.type ?? null,
    messageId: query.message_id === undefined ? null : readIdParameter('message_id', query.message_id),
    ...readCreated(query),
  };
}

function present(row: RecordedEventRow) {
  return {
    type: row.type,
    created_at: row.occurred_at.toISOString(),
    data: { message_id: row.message_id, event_id: row.event_id, ...row.data },
  };
}
