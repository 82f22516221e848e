import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type AuditSource, appendAccountEvent } from '../../accounts/audit/append.ts';
import { AccountEventSchema } from '../../accounts/audit/present.ts';
import {
  ACCOUNT_EVENT_COLUMNS,
  ACCOUNT_EVENT_FILTERS,
  ACCOUNT_EVENT_QUERY,
  exportAccountEvents,
  readAccountEvents,
} from '../../accounts/audit/read-events.ts';
import { apiError } from '../../errors.ts';
import {
  closed,
  errorAnswers,
  ID_PARAMS,
  NoContent,
  named,
  nullable,
  openNamed,
  otherContent,
  Timestamp,
} from '../../platform/http/api-schema.ts';
import { CSV, sendCsv } from '../../platform/http/csv.ts';
import type { Doors } from '../../platform/http/door.ts';
import { PAGE_QUERY, pageSchema, parsePage } from '../../platform/http/page.ts';
import { type Client, clientOf } from './client.ts';
import { emailKeyOf } from './email.ts';
import { recipientSha256 } from './invitation-limits.ts';
import { revokeLinks, takeInvitationLink } from './links-store.ts';
import { localeOf } from './mail-words.ts';
import { deleteInvitation } from './members-store.ts';
import { changeMember, type Doing, invite, readMembers, removeMember } from './people.ts';
import type { PortalSessions } from './portal-sessions.ts';
import { insertRefusal } from './refusals-store.ts';
import { Email, LinkSecret, MemberSchema, presentMember, Role } from './session-schemas.ts';
import { tokenSha256 } from './tokens.ts';

const owner = { admits: 'owner' as const };
const changing = { ...owner, stepUp: true };
const REFUSAL_LIMIT_BYTES = 16 * 1024;

export function memberRoutes(doors: Doors, sessions: PortalSessions): void {
  listRoutes(doors, sessions);
  changeRoutes(doors, sessions);
  refusalRoute(doors, sessions);
}

const PageQuery = closed(PAGE_QUERY);

function listRoutes(doors: Doors, sessions: PortalSessions): void {
  doors.get(
    '/members',
    {
      config: owner,
      schema: {
        summary: 'List the people of the account',
        description: 'Newest first; those who were invited and have not come yet are among them.',
        operationId: 'listMembers',
        querystring: PageQuery,
        response: { 200: pageSchema(MemberSchema) },
      },
    },
    (request) => readMembers(sessions, request.principal.tenantId, parsePage(request), presentMember),
  );

  doors.get(
    '/audit',
    {
      config: owner,
      schema: {
        summary: 'List what was changed in the account',
        description: 'Actions of operators, newest first. Entries are never changed or deleted.',
        operationId: 'listAccountEvents',
        querystring: ACCOUNT_EVENT_QUERY,
        response: { 200: pageSchema(AccountEventSchema) },
      },
    },
    (request) => readAccountEvents(sessions.db, request.principal.tenantId, request),
  );

  doors.get(
    '/audit/export',
    {
      config: { ...owner, costly: true },
      schema: {
        summary: 'Export the audit log as CSV',
        description:
          'Every entry that matches the filters of the list, newest first, as UTF-8 with a line of names; before and after are JSON. A cell that a spreadsheet would take for a formula starts with an apostrophe.',
        operationId: 'exportAccountEvents',
        querystring: ACCOUNT_EVENT_FILTERS,
        response: {
          200: otherContent(CSV, 'The log.', `${Object.keys(ACCOUNT_EVENT_COLUMNS).join(',')}\r\n`),
        },
      },
    },
    (request, reply) => {
      const entries = exportAccountEvents(sessions.db, request.principal.tenantId, request.query);
      return sendCsv(reply, 'audit-log.csv', ACCOUNT_EVENT_COLUMNS, entries) as never;
    },
  );
}

const NewMember = named('NewMember', { email: Email, role: Role });
const MemberChange = named('MemberChange', { role: Role });
const InvitedMember = openNamed('InvitedMember', {
  ...MemberSchema.properties,
  link: nullable(
    openNamed('InvitationLink', {
      url: Type.String({ description: 'Works once; shown only once.' }),
      expires_at: Timestamp,
    }),
    'To be handed to the person; null when it went by mail, or none is needed.',
  ),
});

function changeRoutes(doors: Doors, sessions: PortalSessions): void {
  doors.post(
    '/members',
    {
      config: changing,
      schema: {
        summary: 'Invite somebody',
        description:
          'The person gets a link by mail, good for 7 days. Where Acuse sends no mail of its own, the answer has the link. Inviting again somebody who has not come yet makes a new link.',
        operationId: 'inviteMember',
        body: NewMember,
        response: { 201: InvitedMember, ...errorAnswers('invalid_address', 'conflict') },
      },
    },
    async (request, reply) => {
      const asked = localeOf(request.headers['accept-language']);
      const { member, link } = await invite(sessions, doingOf(request), request.body, asked);
      const shown = link === null ? null : { url: link.url, expires_at: link.expiresAt.toISOString() };
      return reply.code(201).send({ ...presentMember(member), link: shown });
    },
  );

  doors.patch(
    '/members/:id',
    {
      config: changing,
      schema: {
        summary: "Change a person's role",
        description: 'Takes effect with their next request. The last owner keeps the role.',
        operationId: 'updateMember',
        params: ID_PARAMS,
        body: MemberChange,
        response: { 200: MemberSchema, ...errorAnswers('not_found', 'conflict') },
      },
    },
    async (request) =>
      presentMember(await changeMember(sessions, doingOf(request), request.params.id, request.body.role)),
  );

  doors.delete(
    '/members/:id',
    {
      config: changing,
      schema: {
        summary: 'Remove a person from the account',
        description: 'Takes effect with their next request. The last owner stays.',
        operationId: 'removeMember',
        params: ID_PARAMS,
        response: { 204: NoContent, ...errorAnswers('not_found', 'conflict') },
      },
    },
    async (request, reply) => {
      await removeMember(sessions, doingOf(request), request.params.id);
      return reply.code(204).send(null);
    },
  );
}

const InvitationRefusal = named('InvitationRefusal', { link: LinkSecret });

function refusalRoute(doors: Doors, sessions: PortalSessions): void {
  doors.post(
    '/invitation-refusals',
    {
      config: { admits: 'nobody' as const },
      bodyLimit: REFUSAL_LIMIT_BYTES,
      schema: {
        summary: 'Refuse an invitation',
        description:
          'With the secret of its link, without a session. The account can never invite this address again.',
        operationId: 'refuseInvitation',
        body: InvitationRefusal,
        response: { 204: NoContent, ...errorAnswers('invalid_link') },
      },
    },
    async (request, reply) => {
      await refuseInvitation(sessions, request.body.link, clientOf(request));
      return reply.code(204).send(null);
    },
  );
}

function doingOf(request: FastifyRequest): Doing {
  const { principal, portalSession: session } = request;
  const account = session.memberships.find(({ tenantId }) => tenantId === principal.tenantId)!;
  return {
    tenantId: principal.tenantId,
    accountName: account.accountName,
    session,
    client: clientOf(request),
  };
}

/**
 * Ends an invitation, and all later ones of that account to the address. Whoever has the link may: it needs
 * no session and opens none. Throws invalid_link.
 */
function refuseInvitation(sessions: PortalSessions, secret: string, client: Client): Promise<void> {
  const at = sessions.clock.now();
  return sessions.db.asSessions(async (tx) => {
    const sha256 = tokenSha256(secret);
    const link = sha256 === null ? null : await takeInvitationLink(tx, sha256);
    const email = link === null ? null : await deleteInvitation(tx, link.tenantId, link.userId);
    if (link === null || email === null) throw apiError('invalid_link');
    const { tenantId, userId } = link;
    await revokeLinks(tx, userId, 'invitation', tenantId, at);
    await insertRefusal(tx, tenantId, recipientSha256(emailKeyOf(email)), at);
    // Without an id: the account does not learn who has this address.
    const source: AuditSource = {
      kind: 'user',
      id: null,
      name: email,
      clientAddress: null,
      requestId: client.requestId,
    };
    await appendAccountEvent(tx, tenantId, source, { action: 'refuse_invitation', target: email }, at);
  });
}
