import { Type } from 'typebox';
import { ROLES } from '../../delivery/return-path/role-address.ts';
import { ROLE_MAIL_KINDS, ROLE_MAIL_PROBLEMS } from '../../delivery/return-path/role-mail-store.ts';
import {
  readRoleMailBytes,
  readRoleMailbox,
  removeRoleMail,
} from '../../delivery/return-path/role-mailbox.ts';
import {
  closed,
  errorAnswers,
  ID_PARAMS,
  NoContent,
  named,
  otherContent,
  Timestamp,
} from '../../platform/http/api-schema.ts';
import { CREATED_QUERY } from '../../platform/http/created-query.ts';
import type { Doors } from '../../platform/http/door.ts';
import { attachmentHeader } from '../../platform/http/download.ts';
import { PAGE_QUERY, pageSchema, parsePage } from '../../platform/http/page.ts';
import { BY_ADMIN, BY_SUPPORT } from './access.ts';
import type { AdminDeps } from './deps.ts';

const BYTES = 'application/octet-stream';

const RoleSchema = Type.Enum([...ROLES], { $id: 'MailRole' });
const KindSchema = Type.Enum([...ROLE_MAIL_KINDS], {
  $id: 'RoleMailKind',
  description:
    'complaint: from a feedback loop; report: a delivery status notification; automatic: an answer by a program; letter: anything else.',
});

const RoleMailSchema = named('RoleMail', {
  id: Type.String({ format: 'uuid' }),
  role: RoleSchema,
  kind: KindSchema,
  problem: Type.Union([Type.Enum([...ROLE_MAIL_PROBLEMS]), Type.Null()], {
    description:
      'Why a complaint, a read receipt or a report of a receiver had no effect. no_message: it names no message of this installation of the last 30 days; not_authentic: it does not have the return path, and nothing shows that the recipient or a provider sent it; not_an_objection: nobody complains; sender_not_proven: neither DKIM nor SPF proves who sent the report; not_a_report: nothing in it is a DMARC or TLS report; not_our_domain: it is about a domain that no account has.',
  }),
  to: Type.String({ description: 'RCPT TO.', examples: ['postmaster@mail.example.com'] }),
  mail_from: Type.String({ description: 'MAIL FROM; empty for <>.' }),
  client_address: Type.String({ examples: ['192.0.2.25'] }),
  from: Type.String({ description: 'From, as its writer has it.' }),
  subject: Type.String(),
  text: Type.String({ description: 'The beginning of what it says.' }),
  message_id: Type.Union([Type.String({ format: 'uuid' }), Type.Null()], {
    description: 'The message that it seems to be about.',
  }),
  size_bytes: Type.Integer({ minimum: 0 }),
  received_at: Timestamp,
});

/** `acuse role-mail` over HTTP: mail to postmaster, abuse and fbl. */
export function roleMailRoutes(doors: Doors, deps: AdminDeps): void {
  doors.get(
    '/role-mail',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'listRoleMail',
        summary: 'List the mail for the roles of the mail hosts',
        description:
          'Newest first. Complaints that could be put to a message are counted and not listed. Kept for 90 days, 2000 at most.',
        querystring: closed({
          ...PAGE_QUERY,
          role: Type.Optional(RoleSchema),
          kind: Type.Optional(KindSchema),
          ...CREATED_QUERY,
        }),
        response: { 200: pageSchema(RoleMailSchema) },
      },
    },
    (request) => readRoleMailbox(deps, request.query, parsePage(request)),
  );

  doors.get(
    '/role-mail/:id/raw',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'getRoleMailBytes',
        summary: 'Download a mail for a role',
        description: 'As it came; of a long one its first 64 KiB.',
        params: ID_PARAMS,
        response: { 200: otherContent(BYTES, 'The message.'), ...errorAnswers('not_found') },
      },
    },
    async (request, reply) => {
      const raw = await readRoleMailBytes(deps, request.params.id);
      // Some stranger made it: no browser may show it.
      return reply
        .type(BYTES)
        .header('Content-Disposition', attachmentHeader(`${request.params.id}.eml`, 'mail.eml'))
        .header('Content-Security-Policy', "sandbox; default-src 'none'")
        .send(raw as never);
    },
  );

  doors.delete(
    '/role-mail/:id',
    {
      config: BY_ADMIN,
      schema: {
        operationId: 'deleteRoleMail',
        summary: 'Delete a mail for a role',
        params: ID_PARAMS,
        response: { 204: NoContent, ...errorAnswers('not_found') },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      await deps.audit.change(request, { action: 'role_mail.delete', subject: id }, async () => {
        await removeRoleMail(deps, id);
        return { answer: null };
      });
      return reply.code(204).send(null);
    },
  );
}
