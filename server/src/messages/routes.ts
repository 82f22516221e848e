import { type Static, Type } from 'typebox';
import { apiError } from '../errors.ts';
import type { Db } from '../platform/db.ts';
import type { App } from '../platform/http.ts';
import { parseJson } from '../platform/http-server.ts';
import { isId } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import { PAGE_QUERY, pageSchema, parsePage, toPage } from '../platform/page.ts';
import type { Accept, Accepted } from './accept.ts';
import { sendBatch } from './batch.ts';
import { readIdempotencyKey } from './idempotency-key.ts';
import { MessageRecord, MessageStatus, type PromiseOf, presentMessage } from './present.ts';
import { findMessage, findRaw, listEvents, listMessages } from './read-store.ts';
import { readRfc822Submission } from './rfc822.ts';
import { BATCH_BODY_LIMIT_BYTES, BatchBody, SEND_BODY_LIMIT_BYTES, SendBody } from './send-schema.ts';
import { readJsonSubmission, type Submission } from './submission.ts';

export interface MessageRoutesDeps {
  db: Db;
  log: Log;
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
  batchRoute(app, deps);
  readRoutes(app, deps);
}

const RFC822 = 'message/rfc822';

/** Throws invalid_body, invalid_address, payload_too_large. */
function readSubmission(contentType: string | undefined, bytes: Buffer): Submission {
  if (contentType?.toLowerCase().startsWith(RFC822)) return readRfc822Submission(bytes);
  const parsed = parseJson(bytes);
  if (!parsed.ok) throw apiError('invalid_body', parsed.problem);
  return readJsonSubmission(parsed.value);
}

function sendRoute(app: App, { accept }: MessageRoutesDeps): void {
  app.post(
    '/v1/messages',
    {
      config: { scopes: ['messages:send'], rawBody: true, mediaTypes: [RFC822] },
      bodyLimit: SEND_BODY_LIMIT_BYTES,
      // The body arrives as bytes, because evidence hashes them; the submission reader checks it against the same schema.
      validatorCompiler: () => () => true,
      schema: {
        operationId: 'sendMessage',
        tags: TAGS,
        summary: 'Send a message',
        description:
          'Accepts one message for delivery, as JSON or as a raw message (message/rfc822: one From, one To; default_certified applies). 201 means that it is committed to disk; a replay of the same Idempotency-Key answers 200 with Idempotent-Replayed: true and costs no quota.',
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
      const submissionBytes = (request.body as unknown as Buffer | undefined) ?? Buffer.alloc(0);
      const submission = readSubmission(request.headers['content-type'], submissionBytes);
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

const BatchRecord = Type.Object(
  {
    created: Type.Integer(),
    failed: Type.Integer(),
    replayed: Type.Integer(),
    results: Type.Array(
      Type.Object({
        index: Type.Integer({ description: 'Place of the item in the request.' }),
        status: Type.Union([Type.Literal('created'), Type.Literal('replayed'), Type.Literal('failed')]),
        message: Type.Optional(MessageRecord),
        error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
      }),
    ),
  },
  { additionalProperties: false, $id: 'BatchResult' },
);

function batchRoute(app: App, { accept, log }: MessageRoutesDeps): void {
  app.post(
    '/v1/messages/batch',
    {
      config: { scopes: ['messages:send'] },
      bodyLimit: BATCH_BODY_LIMIT_BYTES,
      // Items are checked one by one, each with an outcome of its own.
      validatorCompiler: () => () => true,
      schema: {
        operationId: 'sendBatch',
        tags: TAGS,
        summary: 'Send up to 100 messages',
        description:
          'Each item has its own idempotency_key and outcome: a failing item fails alone. Results stand by index.',
        body: BatchBody,
        response: { 200: BatchRecord },
      },
    },
    (request) => sendBatch({ accept, log }, request.principal.tenantId, request.body) as never,
  );
}

function statusOf(accepted: Accepted): 200 | 201 {
  return accepted.kind === 'created' ? 201 : 200;
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
