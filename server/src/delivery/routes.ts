import { type Static, Type } from 'typebox';
import { apiError } from '../errors.ts';
import { errorAnswers, ID_PARAMS, KEYED_ERRORS, nullable, Timestamp } from '../platform/api-schema.ts';
import type { Db } from '../platform/db.ts';
import type { App } from '../platform/http.ts';
import { isId } from '../platform/ids.ts';
import { PAGE_QUERY, pageSchema } from '../platform/page.ts';
import { type AttemptRow, findReport, listAttempts } from './read-store.ts';

const TAGS = ['Messages'];
const DEFAULT_LIMIT = 20;

const Reply = Type.Object({
  code: Type.Union([Type.Integer(), Type.Null()], {
    description: 'SMTP reply code (RFC 5321); null when none came.',
  }),
  enhanced: Type.Union([Type.String(), Type.Null()], { description: 'Enhanced status code (RFC 3463).' }),
  text: Type.String(),
  mx: Type.Union([Type.String(), Type.Null()], { description: 'The host that it came from.' }),
});

const Session = Type.Object({
  mx: Type.String({ description: 'Host name that was spoken to.' }),
  address: Type.String({ description: 'Its IP address.' }),
  port: Type.Integer(),
  local_address: nullable(Type.String()),
  earlier_messages: Type.Integer({ description: 'Messages that the same connection had carried before.' }),
  tls: nullable(
    Type.Object({
      version: Type.String(),
      cipher: Type.String(),
      certificate_sha256: Type.Union([Type.String(), Type.Null()], {
        description: 'SHA-256 of the peer certificate (DER), lower-case hex.',
      }),
      authorized: Type.Boolean({ description: 'Whether WebPKI accepts the certificate for the host name.' }),
      error: nullable(Type.String()),
    }),
  ),
  reply: nullable(
    Type.Object({ code: Type.Integer(), enhanced: nullable(Type.String()), text: Type.String() }),
  ),
  stage: Type.String({ description: 'The step that the reply or the error belongs to.' }),
  error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  transcript: Type.Array(
    Type.Object({
      t_ms: Type.Integer({ description: 'Milliseconds since the conversation began.' }),
      who: Type.Union([Type.Literal('C'), Type.Literal('S')]),
      line: Type.String({ description: 'As on the wire; message data and credentials are cut out.' }),
    }),
  ),
});

const Attempt = Type.Object({
  attempt: Type.Integer({ description: 'Counted from 1.' }),
  started_at: Timestamp,
  finished_at: Timestamp,
  outcome: Type.String({ enum: ['sent', 'deferred', 'bounced'] }),
  bounce_type: nullable(Type.String({ enum: ['hard', 'soft', 'policy', 'expired', 'suppressed'] })),
  reply: Type.Union([Reply, Type.Null()], { description: 'What decided the outcome.' }),
  sessions: Type.Array(Session, { description: 'One entry a host that was tried, in order.' }),
});

export interface DeliveryRoutesDeps {
  readonly db: Db;
}

export function deliveryRoutes(app: App, { db }: DeliveryRoutesDeps): void {
  const config = { scopes: ['evidence:read'] as const };

  app.get(
    '/v1/messages/:id/attempts',
    {
      config,
      schema: {
        operationId: 'listMessageAttempts',
        tags: TAGS,
        summary: "List a message's delivery attempts",
        description: 'Oldest first, each with the SMTP transcript of every host that was tried.',
        params: ID_PARAMS,
        querystring: Type.Object(PAGE_QUERY, { additionalProperties: false }),
        response: {
          200: pageSchema(Attempt),
          ...errorAnswers(...KEYED_ERRORS, 'not_found', 'invalid_parameter'),
        },
      },
    },
    async (request) => {
      const { tenantId } = request.principal;
      const { id } = request.params;
      const limit = request.query.limit ?? DEFAULT_LIMIT;
      const after = readCursor(request.query.after);
      const rows = isId(id)
        ? await db.asTenant(tenantId, (tx) => listAttempts(tx, tenantId, id, after, limit + 1))
        : null;
      if (rows === null) throw apiError('not_found');
      const shown = rows.slice(0, limit);
      return {
        data: shown.map(present),
        next_cursor: rows.length > limit ? writeCursor(shown.at(-1)!.attempt) : null,
      };
    },
  );

  app.get(
    '/v1/messages/:id/dsn',
    {
      config,
      schema: {
        operationId: 'getMessageDsn',
        tags: TAGS,
        summary: 'Download the delivery status notification',
        description:
          'The newest multipart/report (RFC 3464) of the message: relayed when it was sent, failed when it bounced, delayed while it has been deferred for over four hours. 404 while there is none.',
        params: ID_PARAMS,
        response: { 200: { content: { 'message/rfc822': { schema: Type.String() } } } },
      },
    },
    async (request, reply) => {
      const { tenantId } = request.principal;
      const { id } = request.params;
      const report = isId(id) ? await db.asTenant(tenantId, (tx) => findReport(tx, tenantId, id)) : null;
      if (report === null) throw apiError('not_found');
      return reply
        .type('message/rfc822')
        .header('Content-Disposition', `attachment; filename="${id}-dsn.eml"`)
        .send(report as never);
    },
  );
}

function present(row: AttemptRow) {
  return {
    ...row,
    started_at: row.started_at.toISOString(),
    finished_at: row.finished_at.toISOString(),
    sessions: row.sessions as Static<typeof Session>[],
  };
}

/** Attempts are numbered within their message, so the number itself is the cursor. */
function writeCursor(attempt: number): string {
  return Buffer.from(String(attempt)).toString('base64url');
}

function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  if (!/^[1-9]\d{0,8}$/.test(text) || writeCursor(Number(text)) !== cursor) {
    throw apiError('invalid_parameter', 'after must be the next_cursor of an earlier page.');
  }
  return Number(text);
}
