import { type Static, Type } from 'typebox';
import { apiError } from '../errors.ts';
import type { ArchivedContents } from '../messages/archived-contents.ts';
import { bounceOf, deferralOf } from '../messages/bounce.ts';
import { deletedContent } from '../messages/present.ts';
import { findContentDeletion } from '../messages/read-store.ts';
import type { Db } from '../platform/database/db.ts';
import {
  closed,
  errorAnswers,
  ID_PARAMS,
  named,
  nullable,
  openNamed,
  otherContent,
  Timestamp,
} from '../platform/http/api-schema.ts';
import type { Doors } from '../platform/http/door.ts';
import { requireById } from '../platform/http/own-rows.ts';
import {
  limitOf,
  listOf,
  PAGE_QUERY,
  pageSchema,
  readNumberCursor,
  writeNumberCursor,
} from '../platform/http/page.ts';
import { isId } from '../platform/ids.ts';
import { MailReport } from '../platform/smtp/mail-report-schema.ts';
import {
  BounceSchema,
  BounceType,
  DecidingReply,
  DeferralSchema,
  EnhancedCode,
  MxHost,
  ReplyCode,
  ReplyText,
  Tls,
} from '../platform/smtp/smtp-schema.ts';
import {
  type AttemptRow,
  findReport,
  listAttempts,
  listMailReports,
  type MailReportRow,
} from './read-store.ts';
import { OUTCOME_KINDS } from './record/outcome-kinds.ts';

const Session = openNamed('Session', {
  mx: MxHost,
  address: Type.String({ description: 'IP address of the mail server.', examples: ['192.0.2.25'] }),
  port: Type.Integer({ examples: [25] }),
  local_address: nullable(
    Type.String({
      description: 'IP address of this service on that connection.',
      examples: ['198.51.100.7'],
    }),
  ),
  earlier_messages: Type.Integer({
    minimum: 0,
    description: 'Number of messages that the same connection had carried before.',
  }),
  tls_policy: Type.String({
    enum: ['opportunistic', 'mta-sts', 'dane', 'configuration'],
    description: 'Policy that decided the use of TLS; under mta-sts and dane nothing is sent in plain text.',
    examples: ['opportunistic'],
  }),
  tls: nullable(Tls, 'TLS of the connection; null: plain text.'),
  reply: nullable(openNamed('Reply', { code: ReplyCode, enhanced: EnhancedCode, text: ReplyText })),
  stage: Type.String({
    description: 'The SMTP step to which the reply or the error belongs.',
    examples: ['dot'],
  }),
  error: nullable(
    openNamed('SessionError', {
      code: Type.String({ examples: ['timeout'] }),
      message: Type.String({ examples: ['no banner within 60 s'] }),
    }),
  ),
  transcript: Type.Array(
    openNamed('TranscriptLine', {
      t_ms: Type.Integer({ description: 'Milliseconds since the session began.', examples: [12] }),
      who: Type.Enum(['C', 'S'], { description: 'C: this service; S: the server.' }),
      line: Type.String({
        description:
          'The line as transmitted; message data, credentials and the token of the return path are cut out.',
        examples: ['EHLO mail.example.net'],
      }),
    }),
  ),
});

const Attempt = named('Attempt', {
  attempt: Type.Integer({ minimum: 1, description: 'Number of the attempt, counted from 1.' }),
  started_at: Timestamp,
  finished_at: Timestamp,
  outcome: Type.String({ enum: Object.keys(OUTCOME_KINDS) }),
  bounce_type: {
    ...nullable(BounceType),
    examples: [null],
  },
  bounce: Type.Optional(nullable(BounceSchema, 'How and why it bounced; null: it did not.')),
  deferral: Type.Optional(nullable(DeferralSchema, 'Why it was deferred; null: it was not.')),
  reply: nullable(DecidingReply, 'Reply that decided the outcome.'),
  sessions: Type.Array(Session, { description: 'One entry per host that was tried, in order.' }),
});

const Report = named('MailReport', {
  effect: Type.Enum(['bounced', 'complained', 'none'], {
    description: 'Effect of the report on the message. none: it is recorded but changed nothing.',
  }),
  says: Type.Enum(['failed', 'complained', 'delivered', 'other', 'receipt', 'acknowledged'], {
    description:
      "other: the report is about another recipient or another message. receipt: a statement of the recipient's program (RFC 8098); claims.reply.text says what it did, and no one proves that anybody read the message. acknowledged: the recipient's own mail, signed by their mail domain.",
  }),
  received_at: Timestamp,
  reported_by_mail: MailReport,
});

interface DeliveryRoutesDeps {
  readonly db: Db;
  readonly archived: ArchivedContents;
}

export function deliveryRoutes(doors: Doors, { db, archived }: DeliveryRoutesDeps): void {
  const config = { scopes: ['evidence:read'] as const };

  doors.get(
    '/messages/:id/attempts',
    {
      config: { ...config, costly: true },
      schema: {
        operationId: 'listMessageAttempts',
        summary: "List a message's delivery attempts",
        description:
          'Delivery attempts, oldest first, each with the SMTP transcript of every host that was tried.',
        params: ID_PARAMS,
        querystring: closed(PAGE_QUERY),
        response: { 200: pageSchema(Attempt), ...errorAnswers('not_found') },
      },
    },
    async (request) => {
      const { tenantId } = request.principal;
      const { id } = request.params;
      const limit = limitOf(request.query);
      const list = listOf(request);
      const after = readNumberCursor(request.query.after, list) ?? 0;
      const rows = await requireById(db, tenantId, id, (tx) =>
        listAttempts(tx, tenantId, id, after, limit + 1),
      );
      const shown = rows.slice(0, limit);
      return {
        data: shown.map(present),
        next_cursor: rows.length > limit ? writeNumberCursor(shown.at(-1)!.attempt, list) : null,
      };
    },
  );

  doors.get(
    '/messages/:id/reports',
    {
      config,
      schema: {
        operationId: 'listMessageReports',
        summary: 'List what was reported by mail',
        description:
          'Mail to the return path of the message: the host that delivered it, its DKIM and SPF results, and what it claims. Only the first of each kind; of receipts, the first that says displayed. The SMTP sessions of this service are under attempts.',
        params: ID_PARAMS,
        response: {
          200: openNamed('MailReportList', { data: Type.Array(Report) }),
          ...errorAnswers('not_found'),
        },
      },
    },
    async (request) => {
      const { tenantId } = request.principal;
      const { id } = request.params;
      const rows = await requireById(db, tenantId, id, listMailReports);
      return { data: rows.map(presentReport) };
    },
  );

  doors.get(
    '/messages/:id/dsn',
    {
      config: { ...config, costly: true },
      schema: {
        operationId: 'getMessageDsn',
        summary: 'Download the delivery status notification',
        description:
          'The newest multipart/report (RFC 3464) of the message: relayed when it was sent, failed when it bounced, delayed while it has been deferred for over four hours. The bounce may be a report that came by mail: see /reports. Answers 404 while there is none, and after the message was erased.',
        params: ID_PARAMS,
        response: { 200: otherContent('message/rfc822', 'The report.'), ...errorAnswers('not_found') },
      },
    },
    async (request, reply) => {
      const { tenantId } = request.principal;
      const { id } = request.params;
      if (!isId(id)) throw apiError('not_found');
      const { report, deletion } = await db.asTenant(tenantId, async (tx) => {
        const found = await findReport(tx, tenantId, id);
        return {
          report: found,
          deletion: found === null ? await findContentDeletion(tx, tenantId, id) : null,
        };
      });
      // Erasure deletes reports; retention deletes only content.
      if (report === null)
        throw deletion?.cause === 'erasure' ? deletedContent(deletion) : apiError('not_found');
      const kept = report.lacksHeader ? await archived.read(tenantId, id) : null;
      return reply
        .type('message/rfc822')
        .header('Content-Disposition', `attachment; filename="${id}-dsn.eml"`)
        .send(report.write(kept?.raw) as never);
    },
  );
}

const EFFECTS = {
  failed: 'bounced',
  complained: 'complained',
  delivered: 'none',
  other: 'none',
  receipt: 'none',
  acknowledged: 'none',
} as const;

function presentReport({ action, created_at, reported_by_mail }: MailReportRow) {
  return {
    effect: EFFECTS[action],
    says: action,
    received_at: created_at.toISOString(),
    reported_by_mail,
  };
}

function present({ bounce_reason: reason, ...row }: AttemptRow) {
  return {
    ...row,
    bounce: bounceOf(row.bounce_type, reason, false, row.reply),
    deferral: deferralOf(row.outcome, reason, row.reply),
    started_at: row.started_at.toISOString(),
    finished_at: row.finished_at.toISOString(),
    sessions: row.sessions as Static<typeof Session>[],
  };
}
