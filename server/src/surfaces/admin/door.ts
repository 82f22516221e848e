import type { FastifyReply, FastifyRequest } from 'fastify';
import { apiError } from '../../errors.ts';
import type { OperatorSession } from '../../people/operators/operator.ts';
import type { OperatorSessions } from '../../people/operators/operator-sessions.ts';
import { hasSecondFactor } from '../../people/sessions/has-second-factor.ts';
import { findByToken, readSession } from '../../people/sessions/open-session.ts';
import { SESSION_BURST, SESSION_RATE } from '../../people/sessions/session-door.ts';
import { assertRecentlyAuthenticated } from '../../people/sessions/step-up.ts';
import { createRateLimit } from '../../platform/http/rate-limit.ts';
import { assertRole, type OperatorPrincipal } from './access.ts';

interface AdminDoor {
  /**
   * Sets `request.operator` and `request.operatorSession`. Throws, in this order: cross_origin_refused,
   * unauthorized, rate_limited, insufficient_scope, reauthentication_required.
   */
  authenticate(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Behind the console's door, except for routes that need no session. */
    operatorSession: OperatorSession;
  }
}

const NOTHING_MORE = async () => ({});

export function createAdminDoor(sessions: OperatorSessions): AdminDoor {
  const { clock, own } = sessions;
  const requestsOf = createRateLimit({ clock, perSecond: SESSION_RATE, burst: SESSION_BURST });
  return {
    async authenticate(request) {
      own.assertOwn(request);
      const { operator: role, admits = 'session', stepUp } = request.routeOptions.config;
      if (admits === 'nobody') return;
      const session = await readSession(sessions, request, { passive: false, more: NOTHING_MORE });
      const { ok, retryAfterSeconds } = requestsOf.take(session.sessionId);
      if (!ok) throw apiError('rate_limited', undefined, { retryAfterSeconds });
      if (session.state === 'half' && admits !== 'half')
        throw apiError(
          'unauthorized',
          hasSecondFactor(session)
            ? 'The second factor is still to come: POST /v1/admin/session/second-factor.'
            : 'Operators of this installation need a second factor: set up an authenticator app (POST /v1/admin/operator/totp) or a passkey (POST /v1/admin/operator/passkeys).',
        );
      request.operatorSession = session;
      request.operator = principalOf(session);
      if (role !== undefined) assertRole(request.operator, role);
      if (stepUp === true) assertRecentlyAuthenticated(session.authenticatedAt, clock.now());
    },
  };
}

/** True while a long request's session is valid. Asking does not count as use of the session. */
export async function isStillOpen(
  sessions: OperatorSessions,
  { headers }: Pick<FastifyRequest, 'headers'>,
): Promise<boolean> {
  const session = await sessions.db.asSessions((tx) =>
    findByToken(tx, sessions, sessions.cookie.read(headers.cookie)),
  );
  return session !== null && session.state !== 'half';
}

export function principalOf(session: OperatorSession): OperatorPrincipal {
  const { personId: operatorId, email, role, sessionId, authenticatedAt } = session;
  return { operatorId, email, name: session.name, role, sessionId, authenticatedAt };
}
