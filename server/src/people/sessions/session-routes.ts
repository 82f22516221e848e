import { type Static, Type } from 'typebox';
import { apiError } from '../../errors.ts';
import { BODY_ERRORS, errorAnswers, NoContent, named } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { type Client, clientOf, giveCookie } from './client.ts';
import { localeOf } from './mail-words.ts';
import { setOwnPassword } from './own-password.ts';
import type { PasskeyProof } from './passkey-schemas.ts';
import { askForReset, setPasswordByLink } from './passwords-of-people.ts';
import type { PortalSessions } from './portal-sessions.ts';
import { giveSecondFactor, reauthenticate } from './second-factor.ts';
import type { SessionDoor } from './session-door.ts';
import {
  Email,
  LinkSecret,
  Password,
  presentSession,
  Reauthentication,
  SecondFactorProof,
  SessionSchema,
  SignIn,
  SignInState,
} from './session-schemas.ts';
import { endSession } from './sessions-store.ts';
import { signInWithPasskey, signInWithPassword } from './sign-in.ts';
import { signInWithLink } from './sign-in-link.ts';

/** Refusals of every route of a session's own. */
export const SESSION_ERRORS = [
  'invalid_parameter',
  'unauthorized',
  'rate_limited',
  'internal_error',
  'unavailable',
] as const;

const tags = ['Sign-in'];
const BODY_LIMIT_BYTES = 16 * 1024;

export function sessionRoutes(doors: Doors, sessions: PortalSessions, door: SessionDoor): void {
  signInRoutes(doors, sessions);
  currentSessionRoutes(doors, sessions);
  passwordRoutes(doors, sessions, door);
}

function signInRoutes(doors: Doors, sessions: PortalSessions): void {
  doors.post(
    '/session',
    {
      config: { admits: 'nobody' as const },
      bodyLimit: BODY_LIMIT_BYTES,
      schema: {
        summary: 'Sign in',
        description:
          'With address and password, with the secret of a one-time link, or with a passkey. Sets the cookie of the session; with state second_factor it opens only what gives the second factor. 409 for an attempt with a passkey that has expired, and for a link of another person than the one whose session is open, unless replace_session is true.',
        tags,
        operationId: 'signIn',
        body: SignIn,
        response: {
          200: SignInState,
          ...errorAnswers(...SESSION_ERRORS, ...BODY_ERRORS, 'invalid_link', 'conflict'),
        },
      },
    },
    async (request, reply) => {
      const way = readSignIn(request.body);
      const previous = sessions.cookie.read(request.headers.cookie);
      const opened = await signIn(sessions, way, clientOf(request), previous);
      giveCookie(sessions, reply, opened);
      return { state: opened.state, methods: opened.methods.filter((method) => method !== 'enrol') };
    },
  );

  doors.post(
    '/session/second-factor',
    {
      config: { admits: 'half' as const },
      bodyLimit: BODY_LIMIT_BYTES,
      schema: {
        summary: 'Give the second factor',
        description: 'A passkey, a code of the authenticator app or a recovery code; each is good once.',
        tags,
        operationId: 'giveSecondFactor',
        body: SecondFactorProof,
        response: { 200: SignInState, ...errorAnswers(...SESSION_ERRORS, ...BODY_ERRORS, 'conflict') },
      },
    },
    async (request, reply) => {
      oneOf(request.body, ['code', 'recovery_code', 'passkey']);
      const { portalSession } = request;
      if (portalSession.state === 'whole') throw apiError('conflict', 'This session is signed in already.');
      const opened = await giveSecondFactor(sessions, portalSession, request.body, clientOf(request));
      giveCookie(sessions, reply, opened);
      return { state: 'signed_in' as const, methods: [] };
    },
  );
}

/** How somebody signs in: exactly one of them. */
export type SignInWay =
  | { readonly by: 'password'; readonly email: string; readonly password: string }
  | { readonly by: 'link'; readonly link: string; readonly replaces: boolean }
  | { readonly by: 'passkey'; readonly passkey: Static<typeof PasskeyProof> };

export function readSignIn({
  email,
  password,
  link,
  passkey,
  replace_session: replaces = false,
}: Static<typeof SignIn>): SignInWay {
  const given = [email ?? password, link, passkey].filter((each) => each !== undefined);
  if (given.length === 1) {
    if (link !== undefined) return { by: 'link', link, replaces };
    if (passkey !== undefined) return { by: 'passkey', passkey };
    if (email !== undefined && password !== undefined) return { by: 'password', email, password };
  }
  throw apiError('invalid_body', 'Send email and password, or link alone, or passkey alone.');
}

function signIn(sessions: PortalSessions, way: SignInWay, client: Client, previous: string | null) {
  if (way.by === 'link') return signInWithLink(sessions, way, client, previous);
  if (way.by === 'passkey') return signInWithPasskey(sessions, way.passkey, client, previous);
  return signInWithPassword(sessions, way, client, previous);
}

function currentSessionRoutes(doors: Doors, sessions: PortalSessions): void {
  doors.get(
    '/session',
    {
      schema: {
        summary: 'Read the session',
        description: 'The person who is signed in, and their accounts. Keeps the session from idling out.',
        tags,
        operationId: 'getSession',
        response: { 200: SessionSchema, ...errorAnswers(...SESSION_ERRORS) },
      },
    },
    async (request) => presentSession(request.portalSession),
  );

  doors.delete(
    '/session',
    {
      config: { admits: 'half' as const },
      schema: {
        summary: 'Sign out',
        tags,
        operationId: 'signOut',
        response: { 204: NoContent, ...errorAnswers(...SESSION_ERRORS, ...BODY_ERRORS) },
      },
    },
    async (request, reply) => {
      const { personId, sessionId } = request.portalSession;
      await sessions.db.asSessions((tx) => endSession(tx, personId, sessionId, sessions.clock.now()));
      return reply.header('set-cookie', sessions.cookie.clear()).code(204).send(null);
    },
  );

  doors.post(
    '/session/reauthenticate',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      schema: {
        summary: 'Confirm who is signed in',
        description: 'For what demands an authentication of the last 10 minutes.',
        tags,
        operationId: 'reauthenticate',
        body: Reauthentication,
        response: { 204: NoContent, ...errorAnswers(...SESSION_ERRORS, ...BODY_ERRORS, 'conflict') },
      },
    },
    async (request, reply) => {
      oneOf(request.body, ['password', 'code', 'recovery_code', 'passkey']);
      await reauthenticate(sessions, request.portalSession, request.body, clientOf(request));
      return reply.code(204).send(null);
    },
  );
}

const PasswordReset = named('PasswordReset', { email: Email });

const NewPassword = named('NewPassword', {
  password: Password,
  current_password: Type.Optional(Password),
  link: Type.Optional(LinkSecret),
});

function passwordRoutes(doors: Doors, sessions: PortalSessions, door: SessionDoor): void {
  doors.post(
    '/password-resets',
    {
      config: { admits: 'nobody' as const },
      bodyLimit: BODY_LIMIT_BYTES,
      schema: {
        summary: 'Ask for a link to set a new password',
        description:
          'The answer is the same for an address that nobody has. The link is good for 30 minutes.',
        tags,
        operationId: 'askForPasswordReset',
        body: PasswordReset,
        response: { 202: NoContent, ...errorAnswers(...SESSION_ERRORS, ...BODY_ERRORS) },
      },
    },
    async (request, reply) => {
      const asked = localeOf(request.headers['accept-language']);
      await askForReset(sessions, request.body.email, clientOf(request), asked);
      return reply.code(202).send(undefined as never);
    },
  );

  doors.put(
    '/password',
    {
      config: { admits: 'nobody' as const },
      bodyLimit: BODY_LIMIT_BYTES,
      schema: {
        summary: 'Set a password',
        description:
          'With the secret of a link, which ends every session; or in a session, which ends all others: with current_password, or within 10 minutes of an authentication. The first password of somebody without a second factor needs only the session.',
        tags,
        operationId: 'setPassword',
        body: NewPassword,
        response: {
          204: NoContent,
          ...errorAnswers(
            ...SESSION_ERRORS,
            ...BODY_ERRORS,
            'invalid_link',
            'weak_password',
            'reauthentication_required',
          ),
        },
      },
    },
    async (request, reply) => {
      const { link, password } = request.body;
      const client = clientOf(request);
      if (link !== undefined) await setPasswordByLink(sessions, link, password, client);
      else await setOwnPassword(sessions, await door.requireSession(request), request.body, client);
      return reply.code(204).send(null);
    },
  );
}

/** Throws invalid_body unless exactly one of the fields is there. */
function oneOf(body: object, names: readonly string[]): void {
  const given = names.filter((name) => (body as Record<string, unknown>)[name] !== undefined);
  if (given.length !== 1) throw apiError('invalid_body', `Send one of ${names.join(', ')}.`);
}
