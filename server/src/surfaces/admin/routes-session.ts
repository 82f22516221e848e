import type { FastifyRequest } from 'fastify';
import type { Operator, OperatorSession } from '../../people/operators/operator.ts';
import { IDLE_MS } from '../../people/operators/operator-sessions.ts';
import { signInWithLink } from '../../people/operators/sign-in-link.ts';
import { type Client, clientOf, giveCookie } from '../../people/sessions/client.ts';
import type { OpenedSession } from '../../people/sessions/open-session.ts';
import { readSignIn, type SignInWay } from '../../people/sessions/session-routes.ts';
import { SESSION_BODY_LIMIT_BYTES, SignIn } from '../../people/sessions/session-schemas.ts';
import { signInWithPasskey, signInWithPassword } from '../../people/sessions/sign-in.ts';
import { errorAnswers } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import type { AuditedSessions } from './deps.ts';
import { SessionSchema, SignInStateSchema } from './session-schemas.ts';

export function sessionRoutes(doors: Doors, sessions: AuditedSessions): void {
  signInRoutes(doors, sessions);
  currentSessionRoutes(doors, sessions);
}

function signInRoutes(doors: Doors, sessions: AuditedSessions): void {
  doors.post(
    '/session',
    {
      config: { admits: 'nobody' as const },
      bodyLimit: SESSION_BODY_LIMIT_BYTES,
      schema: {
        operationId: 'signIn',
        summary: 'Sign in',
        description:
          'With address and password, with the secret of a one-time link, or with a passkey. Sets the cookie of the session; with state second_factor it opens only what gives or sets up the second factor. 409 for an attempt with a passkey that has expired, and for a link of another operator than the one whose session is open, unless replace_session is true.',
        body: SignIn,
        response: { 200: SignInStateSchema, ...errorAnswers('invalid_link', 'conflict') },
      },
    },
    async (request, reply) => {
      const way = readSignIn(request.body);
      const previous = sessions.cookie.read(request.headers.cookie);
      const opened = await signIn(sessions, way, clientOf(request), previous);
      await recordSignIn(sessions, request, opened, way.by);
      giveCookie(sessions, reply, opened);
      return { state: opened.state, methods: [...opened.methods] };
    },
  );
}

function signIn(sessions: AuditedSessions, way: SignInWay, client: Client, previous: string | null) {
  if (way.by === 'link') return signInWithLink(sessions, way, client, previous);
  if (way.by === 'passkey') return signInWithPasskey(sessions, way.passkey, client, previous);
  return signInWithPassword(sessions, way, client, previous);
}

/** The operator is unknown beforehand, so a sign-in is recorded afterwards. */
async function recordSignIn(
  { audit }: AuditedSessions,
  request: FastifyRequest,
  { person, sessionId, state }: OpenedSession<Operator>,
  by: SignInWay['by'],
): Promise<void> {
  const { personId: operatorId, email, name, role } = person;
  request.operator = { operatorId, email, name, role, sessionId, authenticatedAt: new Date(0) };
  await audit.change(request, { action: 'session.sign_in' }, async () => ({
    answer: null,
    after: { by, state },
  }));
}

function currentSessionRoutes(doors: Doors, sessions: AuditedSessions): void {
  doors.get(
    '/session',
    {
      schema: {
        operationId: 'getSession',
        summary: 'Read the session',
        description: 'The operator who is signed in. Keeps the session from idling out.',
        response: { 200: SessionSchema },
      },
    },
    async (request) => presentSession(sessions, request.operatorSession),
  );
}

export function presentSelf(session: OperatorSession) {
  return {
    id: session.personId,
    email: session.email,
    name: session.name === '' ? null : session.name,
    role: session.role,
    has_password: session.hasPassword,
    has_totp: session.hasTotp,
    has_passkeys: session.hasPasskeys,
    locale: session.locale,
    time_zone: session.timeZone,
  };
}

function presentSession({ clock, kind }: AuditedSessions, session: OperatorSession) {
  const idleEnd = clock.now().getTime() + IDLE_MS;
  return {
    operator: presentSelf(session),
    second_factor_required: kind.needsSecondFactor,
    authenticated_at: session.authenticatedAt.toISOString(),
    expires_at: new Date(Math.min(idleEnd, session.expiresAt.getTime())).toISOString(),
  };
}
