import { Type } from 'typebox';
import { apiError } from '../../errors.ts';
import { endSession, endSessions, listOpenSessions } from '../../people/operators/operator-sessions-store.ts';
import { changeOperator } from '../../people/operators/operators.ts';
import { clientOf, giveCookie } from '../../people/sessions/client.ts';
import { presentSession } from '../../people/sessions/device.ts';
import { beginTotp, confirmTotpCode, endTotp, renewRecoveryCodes } from '../../people/sessions/factors.ts';
import { idleSince } from '../../people/sessions/open-session.ts';
import { setOwnPassword } from '../../people/sessions/own-password.ts';
import { passkeyRoutesOf } from '../../people/sessions/passkey-routes.ts';
import { SESSION_ERRORS } from '../../people/sessions/session-routes.ts';
import { Code } from '../../people/sessions/session-schemas.ts';
import { assertTimeZone } from '../../people/sessions/user-routes.ts';
import { BODY_ERRORS, errorAnswers, ID_PARAMS, NoContent, named } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { isId } from '../../platform/ids.ts';
import type { AuditedSessions } from './deps.ts';
import { presentSelf } from './routes-session.ts';
import {
  ListedSessionSchema,
  NewPasswordSchema,
  RecoveryCodes,
  SelfChange,
  SelfSchema,
  TotpSchema,
} from './session-schemas.ts';

const TAGS = ['You'];
const BODY_LIMIT_BYTES = 16 * 1024;
const SESSIONS_SHOWN = 100;
const errors = errorAnswers(...SESSION_ERRORS, ...BODY_ERRORS);

export function selfRoutes(doors: Doors, sessions: AuditedSessions): void {
  doors.get(
    '/operator',
    {
      schema: {
        operationId: 'getSelf',
        tags: TAGS,
        summary: 'Read who you are',
        response: { 200: SelfSchema, ...errorAnswers(...SESSION_ERRORS) },
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
        tags: TAGS,
        summary: 'Change who you are',
        body: SelfChange,
        response: {
          200: SelfSchema,
          ...errorAnswers(...SESSION_ERRORS, ...BODY_ERRORS, 'invalid_address', 'conflict'),
        },
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
      bodyLimit: BODY_LIMIT_BYTES,
      schema: {
        operationId: 'setPassword',
        tags: TAGS,
        summary: 'Set a password',
        description:
          'Ends all other sessions. With current_password, or within 10 minutes of an authentication; the first one of somebody without a second factor needs only the session.',
        body: NewPasswordSchema,
        response: {
          204: NoContent,
          ...errorAnswers(...SESSION_ERRORS, ...BODY_ERRORS, 'weak_password', 'reauthentication_required'),
        },
      },
    },
    async (request, reply) => {
      await sessions.audit.change(request, { action: 'self.set_password' }, async () => ({
        answer: await setOwnPassword(sessions, request.operatorSession, request.body, clientOf(request)),
      }));
      return reply.code(204).send(null);
    },
  );
  ownSessionRoutes(doors, sessions);
  totpRoutes(doors, sessions);
  recoveryCodeRoutes(doors, sessions);
}

function ownSessionRoutes(doors: Doors, { db, clock, audit, kind }: AuditedSessions): void {
  doors.get(
    '/operator/sessions',
    {
      schema: {
        operationId: 'listOwnSessions',
        tags: TAGS,
        summary: 'List your sessions',
        description: 'Those that are open, newest first.',
        response: {
          200: named('OwnSessions', { data: Type.Array(ListedSessionSchema) }),
          ...errorAnswers(...SESSION_ERRORS),
        },
      },
    },
    async (request) => {
      const { personId, sessionId } = request.operatorSession;
      const now = clock.now();
      const rows = await db.asSessions((tx) =>
        listOpenSessions(tx, personId, now, idleSince(kind, now), SESSIONS_SHOWN),
      );
      return { data: rows.map((row) => presentSession(row, sessionId)) };
    },
  );

  doors.delete(
    '/operator/sessions',
    {
      schema: {
        operationId: 'endOtherOwnSessions',
        tags: TAGS,
        summary: 'End all your other sessions',
        response: { 204: NoContent, ...errors },
      },
    },
    async (request, reply) => {
      const { personId, sessionId } = request.operatorSession;
      await audit.change(request, { action: 'self.end_sessions' }, async () => ({
        answer: await db.asSessions((tx) => endSessions(tx, personId, sessionId, clock.now())),
      }));
      return reply.code(204).send(null);
    },
  );

  doors.delete(
    '/operator/sessions/:id',
    {
      schema: {
        operationId: 'endOwnSession',
        tags: TAGS,
        summary: 'End one of your sessions',
        params: ID_PARAMS,
        response: { 204: NoContent, ...errors, ...errorAnswers('not_found') },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const { personId } = request.operatorSession;
      await audit.change(request, { action: 'self.end_session', subject: id }, async () => {
        const at = clock.now();
        if (!isId(id) || !(await db.asSessions((tx) => endSession(tx, personId, id, at))))
          throw apiError('not_found');
        return { answer: null };
      });
      return reply.code(204).send(null);
    },
  );
}

function recoveryCodeRoutes(doors: Doors, sessions: AuditedSessions): void {
  doors.post(
    '/operator/recovery-codes',
    {
      config: { stepUp: true },
      schema: {
        operationId: 'renewRecoveryCodes',
        tags: TAGS,
        summary: 'Make new recovery codes',
        description: 'Those before end at once. 409 without a second factor.',
        response: { 200: RecoveryCodes, ...errors, ...errorAnswers('conflict') },
      },
    },
    async (request) => ({
      recovery_codes: await sessions.audit.change(
        request,
        { action: 'self.renew_recovery_codes' },
        async () => ({
          answer: await renewRecoveryCodes(sessions, request.operatorSession, clientOf(request)),
        }),
      ),
    }),
  );
}

function totpRoutes(doors: Doors, sessions: AuditedSessions): void {
  const config = { admits: 'half', stepUp: true } as const;
  doors.post(
    '/operator/totp',
    {
      config,
      schema: {
        operationId: 'beginTotp',
        tags: TAGS,
        summary: 'Set up an authenticator app',
        description: 'It counts once a code of it was given. 409 while one is set up.',
        response: { 200: TotpSchema, ...errors, ...errorAnswers('conflict') },
      },
    },
    async (request) => {
      const { secret, uri, qrSvg } = await sessions.audit.change(
        request,
        { action: 'self.begin_totp' },
        async () => ({ answer: await beginTotp(sessions, request.operatorSession) }),
      );
      return { secret, uri, qr_svg: qrSvg };
    },
  );

  doors.put(
    '/operator/totp',
    {
      config,
      bodyLimit: BODY_LIMIT_BYTES,
      schema: {
        operationId: 'confirmTotp',
        tags: TAGS,
        summary: 'Confirm an authenticator app',
        description: 'Answers ten recovery codes. All other sessions end.',
        body: named('TotpConfirmation', { code: Code }),
        response: { 200: RecoveryCodes, ...errors, ...errorAnswers('conflict') },
      },
    },
    async (request, reply) => {
      const { code } = request.body;
      const { codes, cookie } = await sessions.audit.change(
        request,
        { action: 'self.turn_on_totp' },
        async () => ({
          answer: await confirmTotpCode(sessions, request.operatorSession, code, clientOf(request)),
        }),
      );
      if (cookie !== null) giveCookie(sessions, reply, cookie);
      return { recovery_codes: codes };
    },
  );

  doors.delete(
    '/operator/totp',
    {
      config: { stepUp: true },
      schema: {
        operationId: 'endTotp',
        tags: TAGS,
        summary: 'Turn off the authenticator app',
        description: '409 where operators need a second factor.',
        response: { 204: NoContent, ...errors, ...errorAnswers('not_found', 'conflict') },
      },
    },
    async (request, reply) => {
      await sessions.audit.change(request, { action: 'self.turn_off_totp' }, async () => ({
        answer: await endTotp(sessions, request.operatorSession, clientOf(request)),
      }));
      return reply.code(204).send(null);
    },
  );
}

/** Signing in to the console with a passkey, and the passkeys of the operator who is signed in. */
export function passkeyRoutes(doors: Doors, sessions: AuditedSessions): void {
  passkeyRoutesOf(doors, {
    people: sessions,
    sessionOf: (request) => request.operatorSession,
    base: '/v1/admin',
    self: '/operator',
    tags: ['You'],
    adds: { admits: 'half', stepUp: true },
    words: {
      list: 'List your passkeys',
      remove:
        'It opens nothing any more. 409 when it is the only way to sign in, or the only second factor where operators need one.',
    },
    change: (request, what, work) => sessions.audit.change(request, what, work),
  });
}
