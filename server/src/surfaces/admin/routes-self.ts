import type { Operator, OperatorSession } from '../../people/operators/operator.ts';
import { changeOperator } from '../../people/operators/operators.ts';
import { clientOf } from '../../people/sessions/client.ts';
import { setOwnPassword } from '../../people/sessions/own-password.ts';
import { ownRoutesOf } from '../../people/sessions/own-routes.ts';
import type { OwnRoutes } from '../../people/sessions/passkey-routes.ts';
import { SESSION_BODY_LIMIT_BYTES } from '../../people/sessions/session-schemas.ts';
import { assertTimeZone } from '../../people/sessions/user-routes.ts';
import { errorAnswers, NoContent } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import type { AuditedSessions } from './deps.ts';
import { presentSelf } from './routes-session.ts';
import { NewPasswordSchema, SelfChange, SelfSchema, SignInStateSchema } from './session-schemas.ts';

const TAGS = ['You'];

export function selfRoutes(doors: Doors, sessions: AuditedSessions): void {
  doors.get(
    '/operator',
    {
      schema: {
        operationId: 'getSelf',
        summary: 'Read who you are',
        response: { 200: SelfSchema },
      },
    },
    async (request) => presentSelf(request.operatorSession),
  );

  doors.patch(
    '/operator',
    {
      config: { stepUp: true },
      schema: {
        operationId: 'updateSelf',
        summary: 'Change who you are',
        body: SelfChange,
        response: { 200: SelfSchema, ...errorAnswers('invalid_address', 'conflict') },
      },
    },
    async (request) => {
      const { email, name, locale, time_zone: timeZone } = request.body;
      if (timeZone !== undefined) assertTimeZone(timeZone);
      const { operatorSession: session } = request;
      return sessions.audit.change(request, { action: 'self.update' }, async () => {
        const change = { email, name: name?.trim(), locale, timeZone };
        const { after } = await changeOperator(sessions, session.personId, change);
        const answer = presentSelf({ ...session, ...after, hasPassword: session.hasPassword });
        return { answer, after: request.body };
      });
    },
  );

  doors.put(
    '/password',
    {
      bodyLimit: SESSION_BODY_LIMIT_BYTES,
      schema: {
        operationId: 'setPassword',
        summary: 'Set a password',
        description:
          'Ends all other sessions. With current_password, or within 10 minutes of an authentication; the first one of somebody without a second factor needs only the session.',
        body: NewPasswordSchema,
        response: { 204: NoContent, ...errorAnswers('weak_password', 'reauthentication_required') },
      },
    },
    async (request, reply) => {
      await sessions.audit.change(request, { action: 'self.set_password' }, async () => ({
        answer: await setOwnPassword(sessions, request.operatorSession, request.body, clientOf(request)),
      }));
      return reply.code(204).send(null);
    },
  );

  ownRoutesOf(doors, ownOf(sessions), SignInStateSchema);
}

const ownOf = (sessions: AuditedSessions): OwnRoutes<Operator, OperatorSession> => ({
  people: sessions,
  sessionOf: (request) => request.operatorSession,
  base: '/v1/admin',
  self: '/operator',
  tags: TAGS,
  adds: { admits: 'half', stepUp: true },
  ids: {
    listSessions: 'listOwnSessions',
    endOtherSessions: 'endOtherOwnSessions',
    endSession: 'endOwnSession',
  },
  words: {
    list: 'List your passkeys',
    remove:
      'It opens nothing any more. 409 when it is the only way to sign in, or the only second factor where operators need one.',
    endTotp: {
      description: '409 where operators need a second factor.',
      errors: ['not_found', 'conflict'],
    },
  },
  change: (request, what, work) => sessions.audit.change(request, what, work),
});
