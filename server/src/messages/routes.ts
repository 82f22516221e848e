import { type Static, Type } from 'typebox';
import { apiError } from '../errors.ts';
import type { Db } from '../platform/db.ts';
import type { App } from '../platform/http.ts';
import { parseJson } from '../platform/http-server.ts';
import { isId } from '../platform/ids.ts';
import { PAGE_QUERY, pageSchema, parsePage, toPage } from '../platform/page.ts';
import type { Accept, Accepted } from './accept.ts';
import { MessageRecord, MessageStatus, type PromiseOf, presentMessage } from './present.ts';
import { findMessage, findRaw, listEvents, listMessages } from './read-store.ts';
import { SEND_BODY_LIMIT_BYTES, SendBody } from './send-schema.ts';
import { readJsonSubmission } from './submission.ts';

export interface MessageRoutesDeps {
  db: Db;
  accept: Accept;
  promiseOf: PromiseOf;
}

const TAGS = ['Messages'];
const IdParams = Type.Object({ id: Type.String({ description: 'Message id.' }) });

const EventRecord = Type.Object({
  id: Type.String({ format: 'uuid' }),
  type: Type.String({
    description: 'email.queued, email.sent, email.deferred, email.bounced, email.complained or email.sealed.',
  }),
  created_at: Type.String({ format: 'date-time' }),
  data: Type.Record(Type.String(), Type.Unknown()),
});

const ListQuery = Type.Object(
  {
    ...PAGE_QUERY,
    status: Type.Optional(MessageStatus),
    certified: Type.Optional(Type.Boolean()),
    to: Type.Optional(
      Type.String({ maxLength: 320, description: 'Recipient address, without regard to case.' }),
    ),
    tag: Type.Optional(Type.String({ maxLength: 64 })),
  },
  { additionalProperties: false },
);

export function messageRoutes(app: App, deps: MessageRoutesDeps): void {
  sendRoute(app, deps);
  readRoutes(app, deps);
}

function sendRoute(app: App, { accept }: MessageRoutesDeps): void {
  app.post(
    '/v1/messages',
    {
      config: { scopes: ['messages:send'], rawBody: true },
      bodyLimit: SEND_BODY_LIMIT_BYTES,
      // The body arrives as bytes, because evidence hashes them; the submission reader checks it against the same schema.
      validatorCompiler: () => () => true,
      schema: {
        operationId: 'sendMessage',
        tags: TAGS,
        summary: 'Send a message',
        description:
          'Accepts one message for delivery. 201 means that it is committed to disk; a replay of the same Idempotency-Key answers 200 with Idempotent-Replayed: true and costs no quota.',
        headers: Type.Object({
          'idempotency-key': Type.Optional(
            Type.String({ description: 'Required: 1 to 255 printable ASCII characters.' }),
          ),
        }),
        body: SendBody,
        response: { 200: MessageRecord, 201: MessageRecord },
      },
    },
    async (request, reply) => {
      const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
      const submissionBytes = request.body as unknown as Buffer;
      const parsed = parseJson(submissionBytes ?? Buffer.alloc(0));
      if (!parsed.ok) throw apiError('invalid_body', parsed.problem);
      const submission = readJsonSubmission(parsed.value);
      const accepted = await accept({
        tenantId: request.principal.tenantId,
        idempotencyKey,
        submission,
        submissionBytes,
      });
      reply.header('Location', `/v1/messages/${accepted.message.id}`);
      if (accepted.kind === 'replayed') reply.header('Idempotent-Replayed', 'true');
      return reply.code(statusOf(accepted)).send(accepted.message);
    },
  );
}

function statusOf(accepted: Accepted): 200 | 201 {
  return accepted.kind === 'created' ? 201 : 200;
}

const PRINTABLE_KEY = /^[\x20-\x7e]{1,255}$/;

/** Throws missing_idempotency_key, invalid_idempotency_key. */
export function readIdempotencyKey(header: string | string[] | undefined): string {
  if (header === undefined || header === '') throw apiError('missing_idempotency_key');
  if (typeof header !== 'string' || !PRINTABLE_KEY.test(header)) throw apiError('invalid_idempotency_key');
  return header;
}

function readRoutes(app: App, { db, promiseOf }: MessageRoutesDeps): void {
  const config = { scopes: ['evidence:read'] as const };

  app.get(
    '/v1/messages',
    {
      config,
      schema: {
        operationId: 'listMessages',
        tags: TAGS,
        summary: 'List messages',
        description: 'Newest first.',
        querystring: ListQuery,
        response: { 200: pageSchema(MessageRecord) },
      },
    },
    async (request) => {
      const query = request.query as Static<typeof ListQuery>;
      const page = parsePage(query);
      const { tenantId } = request.principal;
      const filter = {
        status: query.status,
        certified: query.certified,
        recipient: query.to?.toLowerCase(),
        tag: query.tag,
      };
      const rows = await db.asTenant(tenantId, (tx) =>
        listMessages(tx, tenantId, filter, page.afterId, page.fetch),
      );
      return toPage(
        rows,
        page,
        (row) => row.message_id,
        (row) => presentMessage(row, promiseOf),
      );
    },
  );

  app.get(
    '/v1/messages/:id',
    {
      config,
      schema: {
        operationId: 'getMessage',
        tags: TAGS,
        summary: 'Read a message',
        params: IdParams,
        response: { 200: MessageRecord },
      },
    },
    async (request) => {
      const { tenantId } = request.principal;
      const { id } = request.params as Static<typeof IdParams>;
      const row = isId(id) ? await db.asTenant(tenantId, (tx) => findMessage(tx, tenantId, id)) : null;
      if (row === null) throw apiError('not_found');
      return presentMessage(row, promiseOf);
    },
  );

  app.get(
    '/v1/messages/:id/events',
    {
      config,
      schema: {
        operationId: 'listMessageEvents',
        tags: TAGS,
        summary: "List a message's events",
        description: 'Oldest first.',
        params: IdParams,
        querystring: Type.Object(PAGE_QUERY, { additionalProperties: false }),
        response: { 200: pageSchema(EventRecord) },
      },
    },
    async (request) => {
      const { tenantId } = request.principal;
      const { id } = request.params as Static<typeof IdParams>;
      const page = parsePage(request.query as { limit?: number; after?: string });
      const rows = await db.asTenant(tenantId, async (tx) => {
        if (!isId(id) || (await findMessage(tx, tenantId, id)) === null) throw apiError('not_found');
        return listEvents(tx, tenantId, id, page.afterId, page.fetch);
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

  app.get(
    '/v1/messages/:id/raw',
    {
      config,
      schema: {
        operationId: 'getRawMessage',
        tags: TAGS,
        summary: 'Download the composed message',
        description:
          'The message as composed and hashed, from its first header (Service-Evidence) on; DKIM signatures go in front of it at delivery.',
        params: IdParams,
        response: { 200: { content: { 'message/rfc822': { schema: Type.String() } } } },
      },
    },
    async (request, reply) => {
      const { tenantId } = request.principal;
      const { id } = request.params as Static<typeof IdParams>;
      const raw = isId(id) ? await db.asTenant(tenantId, (tx) => findRaw(tx, tenantId, id)) : null;
      if (raw === null) throw apiError('not_found');
      return reply
        .type('message/rfc822')
        .header('Content-Disposition', `attachment; filename="${id}.eml"`)
        .send(raw as never);
    },
  );
}
