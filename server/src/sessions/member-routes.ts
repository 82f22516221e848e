import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { listAccountEvents } from '../audit/account-events-store.ts';
import { appendAccountEvent } from '../audit/append.ts';
import { AccountEventSchema, presentAccountEvent } from '../audit/present.ts';
import { apiError } from '../errors.ts';
import {
  BODY_ERRORS,
  errorAnswers,
  ID_PARAMS,
  KEYED_ERRORS,
  NoContent,
  nullable,
  Timestamp,
} from '../platform/http/api-schema.ts';
import type { Doors } from '../platform/http/door.ts';
import { readPage } from '../platform/http/own-rows.ts';
import { PAGE_QUERY, pageSchema, parsePage } from '../platform/http/page.ts';
import { localeOf } from './mail-words.ts';
import { changeMember, type Doing, invite, readMembers, removeMember } from './people.ts';
import { clientOf, type PortalSessions } from './portal-sessions.ts';
import { Email, MemberSchema, presentMember, Role } from './session-schemas.ts';
import { findPolicy, putPolicy } from './settings-store.ts';
import { sourceOf } from './sign-in.ts';

const tags = ['People'];
const owner = { admits: 'owner' as const };
const changing = { ...owner, stepUp: true };
const CHANGE_ERRORS = [...KEYED_ERRORS, ...BODY_ERRORS] as const;

/** The people of an account, what was changed in it, and what owners decide of it. */
export function memberRoutes(doors: Doors, sessions: PortalSessions): void {
  listRoutes(doors, sessions);
  changeRoutes(doors, sessions);
  policyRoutes(doors, sessions);
}

const PageQuery = Type.Object(PAGE_QUERY, { additionalProperties: false });

function listRoutes(doors: Doors, sessions: PortalSessions): void {
  doors.get(
    '/members',
    {
      config: owner,
      schema: {
        summary: 'List the people of the account',
        description: 'Newest first; those who were invited and have not come yet are among them.',
        tags,
        operationId: 'listMembers',
        querystring: PageQuery,
        response: { 200: pageSchema(MemberSchema), ...errorAnswers(...KEYED_ERRORS) },
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
        description: 'Who did what, newest first. Entries are never changed or deleted.',
        tags,
        operationId: 'listAccountEvents',
        querystring: PageQuery,
        response: { 200: pageSchema(AccountEventSchema), ...errorAnswers(...KEYED_ERRORS) },
      },
    },
    (request) =>
      readPage(sessions.db, request.principal.tenantId, parsePage(request), listAccountEvents, {
        idOf: (event) => event.eventId,
        present: presentAccountEvent,
      }),
  );
}

const NewMember = Type.Object(
  { email: Email, role: Role },
  { additionalProperties: false, $id: 'NewMember' },
);
const MemberChange = Type.Object({ role: Role }, { additionalProperties: false, $id: 'MemberChange' });
const InvitedMember = Type.Object(
  {
    ...MemberSchema.properties,
    link: nullable(
      Type.Object(
        {
          url: Type.String({ description: 'Works once; shown only once.' }),
          expires_at: Timestamp,
        },
        { $id: 'InvitationLink' },
      ),
      'To be handed to the person; null when it went by mail, or none is needed.',
    ),
  },
  { $id: 'InvitedMember' },
);

function changeRoutes(doors: Doors, sessions: PortalSessions): void {
  doors.post(
    '/members',
    {
      config: changing,
      schema: {
        summary: 'Invite somebody',
        description:
          'The person gets a link by mail, good for 7 days. Where Acuse sends no mail of its own, the answer has the link. Inviting again somebody who has not come yet makes a new link.',
        tags,
        operationId: 'inviteMember',
        body: NewMember,
        response: { 201: InvitedMember, ...errorAnswers(...CHANGE_ERRORS, 'invalid_address', 'conflict') },
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
        tags,
        operationId: 'updateMember',
        params: ID_PARAMS,
        body: MemberChange,
        response: { 200: MemberSchema, ...errorAnswers(...CHANGE_ERRORS, 'not_found', 'conflict') },
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
        tags,
        operationId: 'removeMember',
        params: ID_PARAMS,
        response: { 204: NoContent, ...errorAnswers(...CHANGE_ERRORS, 'not_found', 'conflict') },
      },
    },
    async (request, reply) => {
      await removeMember(sessions, doingOf(request), request.params.id);
      return reply.code(204).send(null);
    },
  );
}

const Policy = Type.Object(
  {
    require_second_factor: Type.Boolean({
      description: 'People without a second factor get in nowhere until they have one.',
    }),
  },
  { additionalProperties: false, $id: 'AccountPolicy' },
);

function policyRoutes(doors: Doors, sessions: PortalSessions): void {
  const { db, clock } = sessions;
  doors.get(
    '/settings',
    {
      config: owner,
      schema: {
        summary: 'Read what owners decide of the account',
        tags,
        operationId: 'getPolicy',
        response: { 200: Policy, ...errorAnswers(...KEYED_ERRORS) },
      },
    },
    async (request) => {
      const policy = await db.asSessions((tx) => findPolicy(tx, request.principal.tenantId));
      return { require_second_factor: policy.requireSecondFactor };
    },
  );

  doors.patch(
    '/settings',
    {
      config: changing,
      schema: {
        summary: 'Change what owners decide of the account',
        tags,
        operationId: 'updatePolicy',
        body: Policy,
        response: { 200: Policy, ...errorAnswers(...CHANGE_ERRORS, 'conflict') },
      },
    },
    async (request) => {
      const { require_second_factor: requireSecondFactor } = request.body;
      const { portalSession, principal } = request;
      if (requireSecondFactor && !portalSession.hasTotp)
        throw apiError(
          'conflict',
          'Set up your own second factor first: otherwise you would lock yourself out.',
        );
      await db.asSessions(async (tx) => {
        const before = await findPolicy(tx, principal.tenantId);
        await putPolicy(tx, principal.tenantId, { requireSecondFactor });
        const entry = {
          action: 'update_policy',
          before: { require_second_factor: before.requireSecondFactor },
          after: { require_second_factor: requireSecondFactor },
        };
        const source = sourceOf(portalSession, clientOf(request));
        await appendAccountEvent(tx, principal.tenantId, source, entry, clock.now());
      });
      return { require_second_factor: requireSecondFactor };
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
