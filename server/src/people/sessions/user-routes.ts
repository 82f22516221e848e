import { Type } from 'typebox';
import { apiError } from '../../errors.ts';
import { BODY_ERRORS, errorAnswers, ID_PARAMS, NoContent, named } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { isId } from '../../platform/ids.ts';
import { clientOf } from './client.ts';
import { presentSession } from './device.ts';
import { beginTotp, confirmTotpCode, endTotp, renewRecoveryCodes } from './factors.ts';
import { idleSince } from './open-session.ts';
import { SESSIONS_MAX } from './people-of-kind.ts';
import type { PortalSessions } from './portal-sessions.ts';
import { SESSION_ERRORS } from './session-routes.ts';
import { Code, ListedSession, presentUser, UserChange, UserSchema } from './session-schemas.ts';
import { endSession, endSessions, listOpenSessions } from './sessions-store.ts';
import { updateProfile } from './users-store.ts';

const tags = ['Sign-in'];
const READ = errorAnswers(...SESSION_ERRORS);

export function userRoutes(doors: Doors, sessions: PortalSessions): void {
  profileRoutes(doors, sessions);
  ownSessionRoutes(doors, sessions);
  totpRoutes(doors, sessions);
  recoveryCodeRoutes(doors, sessions);
}

function profileRoutes(doors: Doors, sessions: PortalSessions): void {
  doors.get(
    '/user',
    {
      schema: {
        summary: 'Read the person who is signed in',
        description: 'Name, address, language, time zone and second factors.',
        tags,
        operationId: 'getUser',
        response: { 200: UserSchema, ...READ },
      },
    },
    async (request) => presentUser(request.portalSession),
  );

  doors.patch(
    '/user',
    {
      schema: {
        summary: 'Change name, language or time zone',
        description: 'A field that is left out stays as it is.',
        tags,
        operationId: 'updateUser',
        body: UserChange,
        response: { 200: UserSchema, ...errorAnswers(...SESSION_ERRORS, ...BODY_ERRORS) },
      },
    },
    async (request) => {
      const { name, locale, time_zone: timeZone } = request.body;
      if (timeZone !== undefined) assertTimeZone(timeZone);
      const { portalSession } = request;
      const user = await sessions.db.asSessions((tx) =>
        updateProfile(tx, portalSession.personId, { name, locale, timeZone }, sessions.clock.now()),
      );
      if (user === null) throw apiError('unauthorized');
      return presentUser({ ...portalSession, ...user });
    },
  );
}

export function assertTimeZone(name: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
  } catch {
    throw apiError(
      'invalid_body',
      `time_zone must be a name of the time zone database, such as America/Mexico_City; got ${JSON.stringify(name)}.`,
    );
  }
}

function ownSessionRoutes(doors: Doors, { db, clock, kind }: PortalSessions): void {
  doors.get(
    '/user/sessions',
    {
      schema: {
        summary: 'List own sessions',
        description: 'Where this person is signed in, newest first.',
        tags,
        operationId: 'listUserSessions',
        response: {
          200: Type.Object({ data: Type.Array(ListedSession) }, { $id: 'UserSessionList' }),
          ...READ,
        },
      },
    },
    async (request) => {
      const { personId, sessionId } = request.portalSession;
      const now = clock.now();
      const rows = await db.asSessions((tx) =>
        listOpenSessions(tx, personId, now, idleSince(kind, now), SESSIONS_MAX),
      );
      return { data: rows.map((row) => presentSession(row, sessionId)) };
    },
  );

  doors.delete(
    '/user/sessions',
    {
      schema: {
        summary: 'End all other own sessions',
        description: 'The one that asks stays. Takes effect with their next requests.',
        tags,
        operationId: 'endOtherUserSessions',
        response: { 204: NoContent, ...errorAnswers(...SESSION_ERRORS, ...BODY_ERRORS) },
      },
    },
    async (request, reply) => {
      const { personId, sessionId } = request.portalSession;
      await db.asSessions((tx) => endSessions(tx, personId, sessionId, clock.now()));
      return reply.code(204).send(null);
    },
  );

  doors.delete(
    '/user/sessions/:id',
    {
      schema: {
        summary: 'End one of the own sessions',
        description: 'Takes effect with its next request.',
        tags,
        operationId: 'endUserSession',
        params: ID_PARAMS,
        response: { 204: NoContent, ...errorAnswers(...SESSION_ERRORS, ...BODY_ERRORS, 'not_found') },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const { personId } = request.portalSession;
      const ended = isId(id) && (await db.asSessions((tx) => endSession(tx, personId, id, clock.now())));
      if (!ended) throw apiError('not_found');
      return reply.code(204).send(null);
    },
  );
}

const TotpSecret = Type.Object(
  {
    secret: Type.String({ description: 'Base 32, to be typed.', examples: ['GEZDGNBVGY3TQOJQGEZDGNBV'] }),
    uri: Type.String({ description: 'otpauth://totp/…' }),
    qr_svg: Type.String({ description: 'The same as a QR code: an SVG document.' }),
  },
  { $id: 'TotpSecret' },
);
const TotpCode = named('TotpCode', { code: Code });
const RecoveryCodes = Type.Object(
  {
    recovery_codes: Type.Array(Type.String({ examples: ['7k2m-x9ra-0tqe-4vbn'] }), {
      description: 'Ten codes, each good once. They are shown only once.',
    }),
  },
  { $id: 'RecoveryCodes' },
);

function recoveryCodeRoutes(doors: Doors, sessions: PortalSessions): void {
  doors.post(
    '/user/recovery-codes',
    {
      config: { stepUp: true },
      schema: {
        summary: 'Make new recovery codes',
        description: 'Those before end at once. 409 without a second factor.',
        tags,
        operationId: 'renewRecoveryCodes',
        response: { 200: RecoveryCodes, ...errorAnswers(...SESSION_ERRORS, ...BODY_ERRORS, 'conflict') },
      },
    },
    async (request) => ({
      recovery_codes: await renewRecoveryCodes(sessions, request.portalSession, clientOf(request)),
    }),
  );
}

function totpRoutes(doors: Doors, sessions: PortalSessions): void {
  const config = { stepUp: true };
  const errors = [...SESSION_ERRORS, ...BODY_ERRORS] as const;
  doors.post(
    '/user/totp',
    {
      config,
      schema: {
        summary: 'Set up an authenticator app',
        description: 'The secret counts once PUT has taken a code of it.',
        tags,
        operationId: 'beginTotp',
        response: { 200: TotpSecret, ...errorAnswers(...errors, 'conflict') },
      },
    },
    async (request) => {
      const { secret, uri, qrSvg } = await beginTotp(sessions, request.portalSession);
      return { secret, uri, qr_svg: qrSvg };
    },
  );

  doors.put(
    '/user/totp',
    {
      config,
      schema: {
        summary: 'Confirm the authenticator app with a first code',
        description: 'Turns the second factor on and ends all other sessions.',
        tags,
        operationId: 'confirmTotp',
        body: TotpCode,
        response: { 200: RecoveryCodes, ...errorAnswers(...errors, 'conflict') },
      },
    },
    async (request) => ({
      recovery_codes: (
        await confirmTotpCode(sessions, request.portalSession, request.body.code, clientOf(request))
      ).codes,
    }),
  );

  doors.delete(
    '/user/totp',
    {
      config,
      schema: {
        summary: 'Turn the authenticator app off',
        description: 'Its recovery codes end with it.',
        tags,
        operationId: 'endTotp',
        response: { 204: NoContent, ...errorAnswers(...errors, 'not_found') },
      },
    },
    async (request, reply) => {
      await endTotp(sessions, request.portalSession, clientOf(request));
      return reply.code(204).send(null);
    },
  );
}
