import { apiError } from '../../errors.ts';
import {
  addOperator,
  changeOperator,
  linkOperator,
  presentOperator,
  readOperators,
  removeOperator,
  resetFactor,
} from '../../people/operators/operators.ts';
import { closed, errorAnswers, ID_PARAMS, NoContent } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { PAGE_QUERY, pageSchema, parsePage, toPage } from '../../platform/http/page.ts';
import { BY_ADMIN, BY_SUPPORT } from './access.ts';
import type { AuditedSessions } from './deps.ts';
import {
  LinkedOperator,
  NewOperatorSchema,
  OperatorChangeSchema,
  OperatorSchema,
} from './session-schemas.ts';

export function operatorRoutes(doors: Doors, sessions: AuditedSessions): void {
  doors.get(
    '/operators',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'listOperators',
        summary: 'List operators',
        description: 'Newest first.',
        querystring: closed(PAGE_QUERY),
        response: { 200: pageSchema(OperatorSchema) },
      },
    },
    async (request) => {
      const page = parsePage(request);
      const rows = await readOperators(sessions, page.afterId, page.fetch);
      return toPage(rows, page, (row) => row.personId, presentOperator);
    },
  );

  doors.post(
    '/operators',
    {
      config: BY_ADMIN,
      schema: {
        operationId: 'createOperator',
        summary: 'Add an operator',
        description: 'With a link, good once within 24 hours, that you hand to them.',
        body: NewOperatorSchema,
        response: { 201: LinkedOperator, ...errorAnswers('invalid_address', 'conflict') },
      },
    },
    async (request, reply) => {
      const { email, name = '', role } = request.body;
      const what = { action: 'operator.create', subject: email };
      const made = await sessions.audit.change(request, what, async () => ({
        answer: await addOperator(sessions, { email, name: name.trim(), role }),
        after: { role },
      }));
      return reply.code(201).send(presentLinked(made));
    },
  );

  doors.post(
    '/operators/:id/link',
    {
      config: BY_ADMIN,
      schema: {
        operationId: 'linkOperator',
        summary: 'Make a sign-in link for an operator',
        description: 'The earlier link stops working. A second factor is still required.',
        params: ID_PARAMS,
        response: { 200: LinkedOperator, ...errorAnswers('not_found') },
      },
    },
    async (request) => {
      const { id } = request.params;
      const what = { action: 'operator.link', subject: id };
      const answer = () => linkOperator(sessions, id);
      return presentLinked(
        await sessions.audit.change(request, what, async () => ({ answer: await answer() })),
      );
    },
  );
  changeRoutes(doors, sessions);
  factorRoutes(doors, sessions);
}

function changeRoutes(doors: Doors, sessions: AuditedSessions): void {
  doors.patch(
    '/operators/:id',
    {
      config: BY_ADMIN,
      schema: {
        operationId: 'updateOperator',
        summary: "Change an operator's role",
        description: 'It holds for their next request. 409 for the last admin.',
        params: ID_PARAMS,
        body: OperatorChangeSchema,
        response: { 200: OperatorSchema, ...errorAnswers('not_found', 'conflict') },
      },
    },
    async (request) => {
      const { id } = request.params;
      return sessions.audit.change(request, { action: 'operator.update', subject: id }, async () => {
        const { before, after } = await changeOperator(sessions, id, request.body);
        const answer = presentOperator(after);
        return { answer, before: { role: before.role }, after: { role: after.role }, subject: after.email };
      });
    },
  );

  doors.delete(
    '/operators/:id',
    {
      config: BY_ADMIN,
      schema: {
        operationId: 'deleteOperator',
        summary: 'Remove an operator',
        description: 'Their sessions end at once; what they did stays on record. 409 for the last admin.',
        params: ID_PARAMS,
        response: { 204: NoContent, ...errorAnswers('not_found', 'conflict') },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      await sessions.audit.change(request, { action: 'operator.delete', subject: id }, async () => {
        const { email, role } = await removeOperator(sessions, id);
        return { answer: null, before: { role }, subject: email };
      });
      return reply.code(204).send(null);
    },
  );
}

function factorRoutes(doors: Doors, sessions: AuditedSessions): void {
  doors.delete(
    '/operators/:id/second-factor',
    {
      config: BY_ADMIN,
      schema: {
        operationId: 'resetOperatorSecondFactor',
        summary: "Remove an operator's second factor",
        description:
          'The authenticator app, passkeys and recovery codes, for somebody who lost them: make sure that it is they who ask. Their sessions end at once. 409 when there is none.',
        params: ID_PARAMS,
        response: { 204: NoContent, ...errorAnswers('not_found', 'conflict') },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      await sessions.audit.change(request, { action: 'operator.reset_factor', subject: id }, async () => {
        if (await resetFactor(sessions, id)) return { answer: null };
        throw apiError('conflict', 'This operator has no second factor. Their sessions have ended.');
      });
      return reply.code(204).send(null);
    },
  );
}

function presentLinked({ operator, link }: Awaited<ReturnType<typeof linkOperator>>) {
  return {
    operator: presentOperator(operator),
    link: { url: link.url, expires_at: link.expiresAt.toISOString() },
  };
}
