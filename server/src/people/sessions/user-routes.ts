import { apiError } from '../../errors.ts';
import type { Doors } from '../../platform/http/door.ts';
import { ownRoutesOf } from './own-routes.ts';
import type { OwnRoutes } from './passkey-routes.ts';
import type { OpenSession } from './person.ts';
import type { PortalSessions } from './portal-sessions.ts';
import { presentUser, SignInState, UserChange, UserSchema } from './session-schemas.ts';
import type { User } from './user.ts';

const tags = ['Sign-in'];

export function userRoutes(doors: Doors, sessions: PortalSessions): void {
  profileRoutes(doors, sessions);
  const own: OwnRoutes<User, OpenSession> = {
    people: sessions,
    sessionOf: (request) => request.portalSession,
    base: '/v1/portal',
    self: '/user',
    tags,
    adds: { stepUp: true },
    ids: {
      listSessions: 'listUserSessions',
      endOtherSessions: 'endOtherUserSessions',
      endSession: 'endUserSession',
    },
    words: {
      list: 'List own passkeys',
      remove:
        'It opens nothing any more. 409 when it is the only way to sign in, because there is no password.',
      endTotp: { description: 'Its recovery codes end with it.', errors: ['not_found'] },
    },
    change: async (_request, _what, work) => (await work()).answer,
  };
  ownRoutesOf(doors, own, SignInState);
}

function profileRoutes(doors: Doors, sessions: PortalSessions): void {
  doors.get(
    '/user',
    {
      schema: {
        summary: 'Read the person who is signed in',
        description: 'Name, address, language, time zone and second factors.',
        operationId: 'getUser',
        response: { 200: UserSchema },
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
        operationId: 'updateUser',
        body: UserChange,
        response: { 200: UserSchema },
      },
    },
    async (request) => {
      const { name, locale, time_zone: timeZone } = request.body;
      if (timeZone !== undefined) assertTimeZone(timeZone);
      const { portalSession } = request;
      const user = await sessions.db.asSessions((tx) =>
        sessions.store.updateProfile(
          tx,
          portalSession.personId,
          { name, locale, timeZone },
          sessions.clock.now(),
        ),
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
