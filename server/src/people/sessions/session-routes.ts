import { type Static, Type } from 'typebox';
import { apiError } from '../../errors.ts';
import { errorAnswers, NoContent, named } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { type Client, clientOf, giveCookie } from './client.ts';
import { localeOf } from './mail-words.ts';
import { setOwnPassword } from './own-password.ts';
import type { PasskeyProof } from './passkey-schemas.ts';
import { askForReset, setPasswordByLink } from './passwords-of-people.ts';
import type { PortalSessions } from './portal-sessions.ts';
import type { SessionDoor } from './session-door.ts';
import {
  Email,
  LinkSecret,
  Password,
  presentSession,
  SESSION_BODY_LIMIT_BYTES,
  SessionSchema,
  SignIn,
  SignInState,
} from './session-schemas.ts';
import { signInWithPasskey, signInWithPassword } from './sign-in.ts';
import { signInWithLink } from './sign-in-link.ts';

export function sessionRoutes(doors: Doors, sessions: PortalSessions, door: SessionDoor): void {
  signInRoutes(doors, sessions);
  currentSessionRoutes(doors);
  passwordRoutes(doors, sessions, door);
}

function signInRoutes(doors: Doors, sessions: PortalSessions): void {
  doors.post(
    '/session',
    {
      config: { admits: 'nobody' as const },
      bodyLimit: SESSION_BODY_LIMIT_BYTES,
      schema: {
        summary: 'Sign in',
        description:
          'With address and password, with the secret of a one-time link, or with a passkey. Sets the cookie of the session; with state second_factor it opens only what gives the second factor. 409 for an attempt with a passkey that has expired, and for a link of another person than the one whose session is open, unless replace_session is true.',
        operationId: 'signIn',
        body: SignIn,
        response: { 200: SignInState, ...errorAnswers('invalid_link', 'conflict') },
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
}

/** The way to sign in: exactly one of these. */
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

function currentSessionRoutes(doors: Doors): void {
  doors.get(
    '/session',
    {
      schema: {
        summary: 'Read the session',
        description: 'The person who is signed in, and their accounts. Keeps the session from idling out.',
        operationId: 'getSession',
        response: { 200: SessionSchema },
      },
    },
    async (request) => presentSession(request.portalSession),
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
      bodyLimit: SESSION_BODY_LIMIT_BYTES,
      schema: {
        summary: 'Ask for a link to set a new password',
        description:
          'The answer is the same for an address that nobody has. The link is good for 30 minutes.',
        operationId: 'askForPasswordReset',
        body: PasswordReset,
        response: { 202: NoContent },
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
      bodyLimit: SESSION_BODY_LIMIT_BYTES,
      schema: {
        summary: 'Set a password',
        description:
          'With the secret of a link, which ends every session; or in a session, which ends all others: with current_password, or within 10 minutes of an authentication. The first password of somebody without a second factor needs only the session.',
        operationId: 'setPassword',
        body: NewPassword,
        response: {
          204: NoContent,
          ...errorAnswers('invalid_link', 'weak_password', 'reauthentication_required'),
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
