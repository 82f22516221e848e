import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, apiError } from '../../errors.ts';
import type { Principal } from '../../platform/http/http.ts';
import { createRateLimit } from '../../platform/http/rate-limit.ts';
import { readId } from '../../platform/ids.ts';
import { hasSecondFactor } from './has-second-factor.ts';
import { listMemberships, type Membership } from './members-store.ts';
import { readSession } from './open-session.ts';
import type { OpenSession } from './person.ts';
import type { PortalSessions } from './portal-sessions.ts';
import { nameOf } from './record.ts';
import { assertOwner, assertScope, SCOPES_OF_ROLE } from './roles.ts';
import { assertRecentlyAuthenticated } from './step-up.ts';

/**
 * Opens routes to a session in place of an API key. Runs as onRequest for each route behind the door
 * (`config.door`), before a byte of the body is read.
 */
export interface SessionDoor {
  /**
   * Sets `request.principal` for routes with `scopes` or `admits: 'owner'`. Throws, in this order:
   * cross_origin_refused, unauthorized, rate_limited, not_found (the person does not belong to that account),
   * tenant_suspended or tenant_deactivated, insufficient_scope, reauthentication_required.
   */
  authenticate(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** True while a long request would still be let in. Asking does not count as use of the session. */
  stillOpen(request: FastifyRequest): Promise<boolean>;
  /** For a route that admits nobody in particular, and needs a session after all. Throws unauthorized. */
  requireSession(request: FastifyRequest): Promise<PortalSession>;
}

/** A person who is signed in, and the accounts that they belong to. */
export interface PortalSession extends OpenSession {
  readonly memberships: readonly Membership[];
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Behind the portal's door, except for routes that need no session. */
    portalSession: PortalSession;
  }
}

/** The id of the account, from a person who has several. */
const ACCOUNT_HEADER = 'service-account';
/** The same in a URL that a browser opens by itself: a frame, a download. */
const ACCOUNT_PARAMETER = 'service_account';

/** Requests that a session may make in a second, and at once after a pause. */
export const SESSION_RATE = 50;
export const SESSION_BURST = 200;

export function createSessionDoor(sessions: PortalSessions): SessionDoor {
  const { clock, own } = sessions;
  const requestsOf = createRateLimit({ clock, perSecond: SESSION_RATE, burst: SESSION_BURST });

  async function openSession(request: FastifyRequest, half: boolean): Promise<PortalSession> {
    const { passive = false } = request.routeOptions.config;
    const session = await readOwnSession(sessions, request, passive);
    const { ok, retryAfterSeconds } = requestsOf.take(session.sessionId);
    if (!ok) throw apiError('rate_limited', undefined, { retryAfterSeconds });
    if (session.state === 'half' && !half)
      throw apiError(
        'unauthorized',
        'The second factor is still to come: POST /v1/portal/session/second-factor.',
      );
    return session;
  }

  return {
    async stillOpen(request) {
      const { scopes = [] } = request.routeOptions.config;
      const { tenantId } = request.principal;
      try {
        const { memberships } = await readOwnSession(sessions, request, true);
        const membership = memberships.find((each) => each.tenantId === tenantId);
        if (membership?.status !== 'active') return false;
        assertScope(membership.role, scopes);
        return true;
      } catch (error) {
        if (error instanceof ApiError) return false;
        throw error;
      }
    },
    requireSession: (request) => openSession(request, false),
    async authenticate(request) {
      own.assertOwn(request);
      const { scopes, admits = 'session', stepUp } = request.routeOptions.config;
      const asked = takeAccountParameter(request);
      if (scopes === undefined && admits === 'nobody') return;
      const session = await openSession(request, scopes === undefined && admits === 'half');
      request.portalSession = session;
      if (scopes !== undefined || admits === 'owner') {
        const membership = accountOf(session, asked);
        assertActive(membership);
        if (scopes !== undefined) assertScope(membership.role, scopes);
        else assertOwner(membership.role);
        assertSecondFactor(session, membership);
        request.principal = principalOf(session, membership);
      }
      if (stepUp === true) assertRecentlyAuthenticated(session.authenticatedAt, clock.now());
    },
  };
}

/** Throws unauthorized if there is no session, or no longer; rate_limited. */
function readOwnSession(
  sessions: PortalSessions,
  request: FastifyRequest,
  passive: boolean,
): Promise<PortalSession> {
  return readSession(sessions, request, {
    passive,
    async more(tx, { personId }) {
      const memberships = await listMemberships(tx, personId);
      return { memberships: memberships.filter((each) => sessions.sandbox || !each.sandbox) };
    },
  });
}

/** Behind the door only: the routes themselves know no such parameter. */
function takeAccountParameter(request: FastifyRequest): string | undefined {
  const header = request.headers[ACCOUNT_HEADER];
  if (request.method !== 'GET' && request.method !== 'HEAD') return header as string | undefined;
  const query = request.query as Record<string, unknown>;
  const given = query[ACCOUNT_PARAMETER];
  delete query[ACCOUNT_PARAMETER];
  return (header ?? (given === undefined ? undefined : String(given))) as string | undefined;
}

/** Throws not_found, invalid_parameter. */
function accountOf({ memberships }: PortalSession, asked: string | undefined): Membership {
  if (asked !== undefined) {
    const id = readId(asked);
    const found = memberships.find(({ tenantId }) => tenantId === id);
    if (found === undefined) throw apiError('not_found', 'You belong to no account with this id.');
    return found;
  }
  const [first, second] = memberships;
  if (first === undefined)
    throw apiError('not_found', 'You belong to no account: ask an owner of it for an invitation.');
  if (second !== undefined)
    throw apiError(
      'invalid_parameter',
      'You belong to several accounts: name one of them in the header Service-Account, by its id (GET /v1/portal/session lists them).',
    );
  return first;
}

function assertActive({ status }: Membership): void {
  if (status === 'suspended') throw apiError('tenant_suspended');
  if (status === 'deactivated') throw apiError('tenant_deactivated');
}

function assertSecondFactor(session: PortalSession, { requiresSecondFactor }: Membership): void {
  if (requiresSecondFactor && !hasSecondFactor(session))
    throw apiError(
      'insufficient_scope',
      'This account demands a second factor of its people: set up an authenticator app (POST /v1/portal/user/totp) or a passkey (POST /v1/portal/user/passkeys) first.',
    );
}

function principalOf(session: PortalSession, { tenantId, role }: Membership): Principal {
  return {
    tenantId,
    actor: { kind: 'user', id: session.personId, name: nameOf(session) },
    scopes: SCOPES_OF_ROLE[role],
  };
}
