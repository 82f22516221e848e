import { Type } from 'typebox';
import { apiError } from '../errors.ts';
import type { Db } from '../platform/database/db.ts';
import {
  closed,
  errorAnswers,
  ID_PARAMS,
  Id,
  mapOf,
  named,
  nullable,
  otherContent,
  Timestamp,
} from '../platform/http/api-schema.ts';
import { CSV, sendCsv } from '../platform/http/csv.ts';
import type { Doors } from '../platform/http/door.ts';
import { requireById } from '../platform/http/own-rows.ts';
import { PAGE_QUERY, pageSchema, parsePage, toPage } from '../platform/http/page.ts';
import { isId } from '../platform/ids.ts';
import { readMessageEvents } from '../webhooks/event-list.ts';
import { RecordedEventName } from '../webhooks/event-schemas.ts';
import { ARCHIVED_NOTE, type ArchivedContents, sourceHeader } from './archived-contents.ts';
import { exportMessages, MESSAGE_COLUMNS } from './export.ts';
import { readMessages } from './list.ts';
import { ExportQuery, ListQuery, readMessageFilter } from './list-filter.ts';
import { readContent } from './parts.ts';
import { partsRoutes } from './parts-routes.ts';
import { MessageRecord, type PromiseOf, presentMessage } from './present.ts';
import { findMessage } from './read-store.ts';
import { batchRoute, type SendRoutesDeps, sendRoute } from './send-routes.ts';

interface MessageRoutesDeps extends SendRoutesDeps {
  db: Db;
  promiseOf: PromiseOf;
  archived: ArchivedContents;
}
const CSV_EXAMPLE = `${Object.keys(MESSAGE_COLUMNS).join(',')}\r\n`;
const RFC822 = 'message/rfc822';

const EventRecord = named('Event', {
  id: Id,
  type: RecordedEventName,
  created_at: Timestamp,
  data: mapOf(Type.Unknown(), {
    description: 'Fields that webhooks carry in data besides message_id and event_id.',
    examples: [
      { from: 'billing@example.com', to: 'ana@example.net', subject: 'Invoice 2026-0001', certified: true },
    ],
  }),
});

const ScannedList = pageSchema(MessageRecord, {
  scanned_to: nullable(
    Timestamp,
    'With a filter, on a page that is not full: created_at of the oldest message read. Continue with next_cursor. null: the page is full, or it is the last.',
  ),
});

export function messageRoutes(doors: Doors, deps: MessageRoutesDeps): void {
  sendRoute(doors, deps);
  batchRoute(doors, deps);
  readRoutes(doors, deps);
  partsRoutes(doors, deps);
}

function readRoutes(doors: Doors, { db, promiseOf, archived }: MessageRoutesDeps): void {
  const config = { scopes: ['evidence:read'] as const };

  doors.get(
    '/messages',
    {
      config: { ...config, costly: true },
      schema: {
        operationId: 'listMessages',
        summary: 'List messages',
        description:
          'Newest first. Filters are combined: a message must match each. A page with a filter reads up to 8,000 messages (of one recipient, with to), so that it may be short or empty before the last page: continue while next_cursor is not null.',
        querystring: ListQuery,
        response: { 200: ScannedList },
      },
    },
    (request) => {
      const page = parsePage(request);
      const filter = readMessageFilter(request.query);
      return readMessages(db, request.principal.tenantId, filter, page, (row) =>
        presentMessage(row, promiseOf),
      );
    },
  );

  doors.get(
    '/messages/export',
    {
      config: { ...config, costly: true },
      schema: {
        operationId: 'exportMessages',
        summary: 'Export messages as CSV',
        description:
          'Every message that matches the filters of the list, newest first, as UTF-8 with a header line. A cell that a spreadsheet would take for a formula starts with an apostrophe. The answer is as long as the list: it is read a page at a time while you receive it.',
        querystring: ExportQuery,
        response: { 200: otherContent(CSV, 'The messages.', CSV_EXAMPLE) },
      },
    },
    (request, reply) => {
      const filter = readMessageFilter(request.query);
      const pages = exportMessages(db, request.principal.tenantId, filter);
      return sendCsv(reply, 'messages.csv', MESSAGE_COLUMNS, pages) as never;
    },
  );

  doors.get(
    '/messages/:id',
    {
      config,
      schema: {
        operationId: 'getMessage',
        summary: 'Read a message',
        description:
          "Its status, the last reply of the recipient's server, and what is known of its bounce. Attempts and evidence have routes of their own.",
        params: ID_PARAMS,
        response: { 200: MessageRecord, ...errorAnswers('not_found') },
      },
    },
    async (request) => {
      const { tenantId } = request.principal;
      const { id } = request.params;
      return presentMessage(await requireById(db, tenantId, id, findMessage), promiseOf);
    },
  );

  doors.get(
    '/messages/:id/events',
    {
      config,
      schema: {
        operationId: 'listMessageEvents',
        summary: "List a message's events",
        description:
          'Oldest first. A cancellation is listed too, as email.cancelled, although webhooks do not carry it.',
        params: ID_PARAMS,
        querystring: closed(PAGE_QUERY),
        response: { 200: pageSchema(EventRecord), ...errorAnswers('not_found') },
      },
    },
    async (request) => {
      const { tenantId } = request.principal;
      const { id } = request.params;
      const page = parsePage(request);
      const rows = await db.asTenant(tenantId, async (tx) => {
        if (!isId(id) || (await findMessage(tx, tenantId, id)) === null) throw apiError('not_found');
        return readMessageEvents(tx, tenantId, id, { after: page.afterId, limit: page.fetch });
      });
      return toPage(
        rows,
        page,
        (row) => row.event_id,
        (row) => ({
          id: row.event_id,
          type: row.type,
          created_at: row.occurred_at.toISOString(),
          data: row.data,
        }),
      );
    },
  );

  doors.get(
    '/messages/:id/raw',
    {
      config: { ...config, costly: true },
      schema: {
        operationId: 'getRawMessage',
        summary: 'Download the composed message',
        description: `The message as composed and hashed, starting with its first header (Service-Evidence); DKIM signatures are put in front of it at delivery. Also answers 404 after its content was deleted: the error message says when and why. ${ARCHIVED_NOTE}`,
        params: ID_PARAMS,
        response: { 200: otherContent(RFC822, 'The message, CRLF.'), ...errorAnswers('not_found') },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const { tenantId } = request.principal;
      const content = await readContent({ db, archived }, tenantId, id);
      return reply
        .headers(sourceHeader(content))
        .type('message/rfc822')
        .header('Content-Disposition', `attachment; filename="${id}.eml"`)
        .send(content.raw as never);
    },
  );
}
