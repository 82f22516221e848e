import { Type } from 'typebox';
import { MessageStatus } from '../../messages/present.ts';
import { TAG_MAX_CHARS } from '../../messages/send-schema.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import {
  closed,
  Id,
  NO_CONTROLS,
  named,
  nullable,
  openNamed,
  Timestamp,
} from '../../platform/http/api-schema.ts';
import { readMoment } from '../../platform/http/created-query.ts';
import type { Doors } from '../../platform/http/door.ts';
import { firstIdAt } from '../../platform/ids.ts';
import { RecordedEventName } from '../../webhooks/event-schemas.ts';
import { readTail, type TailRow } from './tail-store.ts';

/** Some 10 ms. */
export const TAIL_SCANNED_MAX = 2_000;
export const TAIL_ROWS_MAX = 200;
const ADDRESS_MAX_CHARS = 320;

const TailQuery = closed({
  since: Type.Optional(
    Type.String({
      format: 'date-time',
      maxLength: 40,
      description: 'Events of this moment or later; without it, the newest.',
      examples: ['2026-11-20T09:30:00.000Z'],
    }),
  ),
  type: Type.Optional(Type.Array(RecordedEventName, { minItems: 1, description: 'Events of these types.' })),
  status: Type.Optional(
    Type.Array(MessageStatus, {
      minItems: 1,
      description: 'Of messages that are in one of these states now.',
    }),
  ),
  address: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: ADDRESS_MAX_CHARS,
      pattern: NO_CONTROLS,
      description: "Part of the sender's or the recipient's address, or of its domain.",
      examples: ['example.net'],
    }),
  ),
  tag: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: TAG_MAX_CHARS,
      pattern: NO_CONTROLS,
      description: 'Of messages that carry this tag.',
      examples: ['invoice'],
    }),
  ),
});

const TailEvent = named('TailEvent', {
  id: Id,
  type: RecordedEventName,
  at: Timestamp,
  message_id: Id,
  from: Type.String({ description: 'Sender of the message.', examples: ['Billing <billing@example.com>'] }),
  to: Type.String({ description: 'Recipient; empty once it was erased.', examples: ['ana@example.net'] }),
  subject: Type.String({ description: 'Subject; empty once it was erased.', examples: ['Invoice 1'] }),
  reply: nullable(Type.String(), "The receiving server's answer; null: the event has none."),
});

export function tailRoutes(doors: Doors, { db, clock }: { readonly db: Db; readonly clock: Clock }): void {
  doors.get(
    '/tail',
    {
      config: { scopes: ['evidence:read'], passive: true, costly: true },
      schema: {
        operationId: 'readTail',
        summary: 'Read the newest events with their messages',
        description: `Up to ${TAIL_ROWS_MAX} events that match, newest first, among the newest ${TAIL_SCANNED_MAX} since a moment. To follow it, ask again with a since 30 seconds before read_at, and leave out each id that you have seen: events of one time are not committed in the order of their times. Following it does not keep the session open.`,
        querystring: TailQuery,
        response: {
          200: openNamed('Tail', {
            data: Type.Array(TailEvent),
            read_at: Type.String({
              format: 'date-time',
              description: 'The moment of this reading. To follow, ask with a since 30 seconds before it.',
              examples: ['2026-11-20T09:30:00.000Z'],
            }),
            looked_from: nullable(
              Timestamp,
              'There were more events than are read at once: older ones were not looked at. null: all since then were.',
            ),
          }),
        },
      },
    },
    async (request) => {
      const { since, type = null, status = null, address, tag = null } = request.query;
      const moment = readMoment('since', since);
      const readAt = clock.now().toISOString();
      const { tenantId } = request.principal;
      const filter = { types: type, statuses: status, address: address?.toLowerCase() ?? null, tag };
      const bounds = { scanned: TAIL_SCANNED_MAX, limit: TAIL_ROWS_MAX };
      const { rows, looked } = await db.asTenant(tenantId, (tx) =>
        readTail(tx, tenantId, firstIdAt(moment ?? new Date(0)), filter, bounds),
      );
      return { data: rows.map(present), read_at: readAt, looked_from: looked?.toISOString() ?? null };
    },
  );
}

function present(row: TailRow) {
  return {
    id: row.event_id,
    type: row.type,
    at: row.occurred_at.toISOString(),
    message_id: row.message_id,
    from: row.header_from,
    to: row.header_to,
    subject: row.subject,
    reply: row.reply === null ? null : [row.reply_code, row.reply].filter((each) => each !== null).join(' '),
  };
}
