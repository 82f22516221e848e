import { type Static, Type } from 'typebox';
import { apiError } from '../../../errors.ts';
import { parseTime, SEND_AT_MAX_CHARS } from '../../../messages/send-at.ts';
import {
  closed,
  errorAnswers,
  ID_PARAMS,
  Id,
  line,
  NoContent,
  named,
  nullable,
  Timestamp,
} from '../../../platform/http/api-schema.ts';
import type { Doors } from '../../../platform/http/door.ts';
import { PAGE_QUERY, pageSchema, parsePage } from '../../../platform/http/page.ts';
import { createShare, endShare, readShares, type SharesDeps } from './shares.ts';
import type { ShareRow } from './store.ts';

export const NOTE_MAX_CHARS = 200;
const PARTS_MAX = 128;

const DisclosureSchema = named('Disclosure', {
  message: Type.Boolean({
    description: 'The whole message, with both addresses and its subject. The request stays closed.',
  }),
  parts: Type.Array(Type.Integer({ minimum: 0, maximum: PARTS_MAX - 1 }), {
    maxItems: PARTS_MAX,
    uniqueItems: true,
    description: 'Single parts, by their index; redundant with the whole message.',
    examples: [[1]],
  }),
  delivery: Type.Boolean({
    description: 'The outcomes of the message, with the SMTP transcript; it names the receiver.',
  }),
});

const NewShareSchema = named('NewShare', {
  expires_at: Type.String({
    maxLength: SEND_AT_MAX_CHARS,
    description: 'RFC 3339; at most 366 days ahead.',
    examples: ['2026-12-20T09:30:00Z'],
  }),
  disclose: DisclosureSchema,
  note: Type.Optional(
    line(NOTE_MAX_CHARS, {
      description: 'A note on who it is for; the access log shows it, the link does not.',
      examples: ['Notary 12'],
    }),
  ),
});

const facts = {
  id: Id,
  message_id: Id,
  disclose: DisclosureSchema,
  note: nullable(Type.String({ examples: ['Notary 12'] })),
  created_by: named(
    'ShareCreator',
    { id: Id, name: Type.String({ examples: ['Ana García'] }) },
    { description: 'The person who made it.' },
  ),
  created_at: Timestamp,
  expires_at: Timestamp,
  revoked_at: nullable(Timestamp),
  opened: Type.Integer({ minimum: 0, description: 'How often it was opened.', examples: [2] }),
  last_opened_at: nullable(Timestamp),
  case: nullable(
    named('CaseName', {
      id: Id,
      name: Type.String({ description: 'On its cover.', examples: ['Contract 77, unpaid'] }),
    }),
    'Set: the link is that of a case file, which shows other messages too; revoking it revokes all of it.',
  ),
};

const Share = named('Share', facts);
const CreatedShare = named('ShareWithUrl', {
  ...facts,
  url: Type.String({
    description: 'The link, shown only in this answer. Its fragment is the secret.',
    examples: [
      'https://mail.example.com/prove/01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11#c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I',
    ],
  }),
});

const SHARE_PARAMS = Type.Object({
  ...ID_PARAMS.properties,
  sid: Type.String({ description: 'Id of the share.' }),
});

export function shareRoutes(doors: Doors, deps: SharesDeps & { publicUrl(): string }): void {
  doors.post(
    '/messages/:id/shares',
    {
      config: { scopes: ['messages:send'] },
      schema: {
        operationId: 'createShare',
        summary: 'Share the proof of a message',
        description:
          'Makes a link by which somebody without an account gets a proof bundle that shows what is disclosed and nothing else. Only for a sealed message. Each opening is in the access log. Limit: 50 per message that have neither expired nor been revoked.',
        params: ID_PARAMS,
        body: NewShareSchema,
        response: { 201: CreatedShare, ...errorAnswers('not_found', 'conflict', 'missing_proof_data') },
      },
    },
    async (request, reply) => {
      const { expires_at, disclose, note } = request.body;
      const expiresAt = readExpiry(expires_at);
      const { share, secret } = await createShare(deps, request.principal, request.params.id, {
        shown: disclose,
        expiresAt,
        note: note ?? null,
      });
      return reply
        .code(201)
        .send({ ...presentShare(share), url: `${deps.publicUrl()}/prove/${share.shareId}#${secret}` });
    },
  );

  doors.get(
    '/messages/:id/shares',
    {
      config: { scopes: ['messages:send', 'evidence:read'] },
      schema: {
        operationId: 'listShares',
        summary: "List a message's shares",
        description: 'Newest first; those that have expired or were revoked, too.',
        params: ID_PARAMS,
        querystring: closed(PAGE_QUERY),
        response: { 200: pageSchema(Share), ...errorAnswers('not_found') },
      },
    },
    (request) => {
      const { tenantId } = request.principal;
      return readShares(deps, { tenantId, messageId: request.params.id }, parsePage(request), presentShare);
    },
  );

  doors.delete(
    '/messages/:id/shares/:sid',
    {
      config: { scopes: ['messages:send'] },
      schema: {
        operationId: 'revokeShare',
        summary: 'Revoke a share',
        description: 'Its link opens nothing from now on. Downloaded bundles stay valid.',
        params: SHARE_PARAMS,
        response: { 204: NoContent, ...errorAnswers('not_found') },
      },
    },
    async (request, reply) => {
      const { tenantId } = request.principal;
      const { id, sid } = request.params;
      await endShare(deps, { tenantId, messageId: id }, sid);
      return reply.code(204).send(null);
    },
  );
}

export function readExpiry(text: string): Date {
  const expiresAt = parseTime(text);
  if (expiresAt === null)
    throw apiError(
      'invalid_body',
      'expires_at must be a time with its offset from UTC (RFC 3339), such as 2026-12-20T09:30:00Z.',
    );
  return expiresAt;
}

function presentShare(row: ShareRow): Static<typeof Share> {
  return {
    id: row.shareId,
    message_id: row.messageId,
    disclose: { message: row.showsMessage, parts: row.showsParts, delivery: row.showsDelivery },
    note: row.note,
    created_by: { id: row.createdBy, name: row.createdByName },
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    revoked_at: row.revokedAt?.toISOString() ?? null,
    opened: row.opened,
    last_opened_at: row.lastOpenedAt?.toISOString() ?? null,
    case: row.caseId === null ? null : { id: row.caseId, name: row.caseName! },
  };
}
