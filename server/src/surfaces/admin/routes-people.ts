import { Type } from 'typebox';
import { auditSource } from '../../accounts/audit/append.ts';
import { AccountEventSchema } from '../../accounts/audit/present.ts';
import { ACCOUNT_EVENT_QUERY, readAccountEvents } from '../../accounts/audit/read-events.ts';
import { readTenant } from '../../accounts/tenants/operations.ts';
import { issueLink } from '../../people/sessions/operator-issued-link.ts';
import { readMembers } from '../../people/sessions/people.ts';
import { Email, MemberSchema, presentMember, Role } from '../../people/sessions/session-schemas.ts';
import {
  closed,
  errorAnswers,
  ID_PARAMS,
  Id,
  line,
  named,
  Timestamp,
} from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { PAGE_QUERY, pageSchema, parsePage } from '../../platform/http/page.ts';
import { BY_ADMIN, BY_SUPPORT, nameOf } from './access.ts';
import type { AdminDeps } from './deps.ts';

const NAME_MAX_CHARS = 200;
const LIST_QUERY = closed(PAGE_QUERY);

const NewMember = named('NewTenantMember', {
  email: Email,
  name: Type.Optional(line(NAME_MAX_CHARS, { examples: ['Ana López'] })),
  role: Type.Optional(Role),
});

const MemberLink = named('TenantMemberLink', {
  user_id: Id,
  email: Type.String({ examples: ['ana@example.com'] }),
  role: Role,
  link: named('MemberSignInLink', {
    url: Type.String({ description: 'Signs in once. It is shown only now.' }),
    expires_at: Timestamp,
  }),
});

export function peopleRoutes(doors: Doors, deps: AdminDeps): void {
  doors.get(
    '/tenants/:id/members',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'listTenantMembers',
        summary: "List an account's people",
        params: ID_PARAMS,
        querystring: LIST_QUERY,
        response: { 200: pageSchema(MemberSchema), ...errorAnswers('not_found') },
      },
    },
    async (request) => {
      const { tenantId } = await readTenant(deps, request.params.id);
      return readMembers(deps, tenantId, parsePage(request), presentMember);
    },
  );

  doors.post(
    '/tenants/:id/members',
    {
      config: BY_ADMIN,
      schema: {
        operationId: 'addTenantMember',
        summary: 'Let somebody into an account',
        description:
          'Its first owner, as a rule: role owner unless given. Answers a link that signs them in, once; hand it to nobody else.',
        params: ID_PARAMS,
        body: NewMember,
        response: { 201: MemberLink, ...errorAnswers('invalid_address', 'not_found', 'conflict') },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const { email, name, role = 'owner' } = request.body;
      const what = { action: 'member.add', tenantId: id, subject: email };
      const { user, link } = await deps.audit.change(request, what, async () => {
        const { tenantId } = await readTenant(deps, id);
        const by = { kind: 'operator', id: request.operator.operatorId, name: nameOf(request) } as const;
        const input = { email, ...(name !== undefined && { name }), membership: { tenantId, role } };
        const from = { ...deps, publicUrl: () => deps.portalUrl };
        return { answer: await issueLink(from, input, auditSource(request, by)), after: { role } };
      });
      return reply.code(201).send({
        user_id: user.personId,
        email: user.email,
        role,
        link: { url: link.url, expires_at: link.expiresAt.toISOString() },
      });
    },
  );

  auditRoute(doors, deps);
}

function auditRoute(doors: Doors, deps: AdminDeps): void {
  doors.get(
    '/tenants/:id/audit',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'listTenantAudit',
        summary: "Read an account's audit log",
        description: 'Changes by its people and by operators, as its owners see them. Newest first.',
        params: ID_PARAMS,
        querystring: ACCOUNT_EVENT_QUERY,
        response: { 200: pageSchema(AccountEventSchema), ...errorAnswers('not_found') },
      },
    },
    async (request) => {
      const { tenantId } = await readTenant(deps, request.params.id);
      return readAccountEvents(deps.db, tenantId, request);
    },
  );
}
