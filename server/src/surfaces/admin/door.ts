import type { FastifyReply, FastifyRequest } from 'fastify';
import { apiError } from '../../errors.ts';
import {
  findSession,
  type OpenSession,
  touchSession,
} from '../../people/operators/operator-sessions-store.ts';
import { hasSecondFactor } from '../../people/sessions/has-second-factor.ts';
import { SESSION_BURST, SESSION_RATE } from '../../people/sessions/session-door.ts';
import { assertRecentlyAuthenticated } from '../../people/sessions/step-up.ts';
import { tokenSha256 } from '../../people/sessions/tokens.ts';
import { createRateLimit } from '../../platform/http/rate-limit.ts';
import { assertRole, type OperatorPrincipal } from './access.ts';
import { idleSince, type OperatorSessions } from './operator-sessions.ts';

/** What opens the routes of the admin sessions. Runs before a byte of the body is read. */
export interface AdminDoor {
  /**
   * Sets `request.operator` and `request.operatorSession`. Throws, in this order: cross_origin_refused,
   * unauthorized, rate_limited, insufficient_scope, reauthentication_required.
   */
  authenticate(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Behind the console's door, but for routes that admit nobody in particular. */
    operatorSession: OpenSession;
  }
}

/** How exact `last_seen_at` is (ms). */
const SEEN_RESOLUTION_MS = 60_000;

export function createAdminDoor(sessions: OperatorSessions): AdminDoor {
  const { clock, own } = sessions;
  const requestsOf = createRateLimit({ clock, perSecond: SESSION_RATE, burst: SESSION_BURST });
  return {
    async authenticate(request) {
      own.assertOwn(request);
      const { operator: role, admits = 'session', stepUp } = request.routeOptions.config;
      if (admits === 'nobody') return;
      const session = await readSession(sessions, request.headers.cookie);
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

/** Whether the session of a request that lasts still is; asking is no use of the session. */
export async function isStillOpen(
  { db, clock, cookie }: OperatorSessions,
  { headers }: Pick<FastifyRequest, 'headers'>,
): Promise<boolean> {
  const presented = cookie.read(headers.cookie);
  const sha256 = presented === null ? null : tokenSha256(presented);
  if (sha256 === null) return false;
  const now = clock.now();
  const session = await db.asSessions((tx) => findSession(tx, sha256, now, idleSince(now)));
  return session !== null && session.state !== 'half';
}

export function principalOf(session: OpenSession): OperatorPrincipal {
  const { operatorId, email, role, sessionId, authenticatedAt } = session;
  return { operatorId, email, name: session.name, role, sessionId, authenticatedAt };
}

/** Throws unauthorized for a session that there is not, or not any more. */
async function readSession(
  { db, clock, cookie }: OperatorSessions,
  header: string | undefined,
): Promise<OpenSession> {
  const presented = cookie.read(header);
  const sha256 = presented === null ? null : tokenSha256(presented);
  const now = clock.now();
  const session =
    sha256 === null
      ? null
      : await db.asSessions(async (tx) => {
          const found = await findSession(tx, sha256, now, idleSince(now));
          const unseenMs = found === null ? 0 : now.getTime() - found.lastSeenAt.getTime();
          if (found !== null && unseenMs > SEEN_RESOLUTION_MS) await touchSession(tx, found.sessionId, now);
          return found;
        });
  if (session === null) throw apiError('unauthorized', 'There is no session, or it has ended: sign in.');
  return session;
}
