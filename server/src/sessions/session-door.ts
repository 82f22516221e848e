import type { FastifyReply, FastifyRequest } from 'fastify';
import { apiError } from '../errors.ts';
import type { Scope } from '../platform/http/http.ts';

/**
 * What opens routes with a session in place of an API key. Runs as onRequest for each route behind the door
 * (`config.door`), before a byte of the body is read.
 */
export interface SessionDoor {
  /**
   * Sets `request.principal` for routes with `scopes` or `admits: 'owner'`. Throws, in this order:
   * cross_origin_refused, unauthorized, rate_limited, not_found (the person does not belong to that account),
   * tenant_suspended or tenant_deactivated, insufficient_scope, reauthentication_required.
   */
  authenticate(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

/** What a person may do in an account. */
export const MEMBER_ROLES = ['viewer', 'developer', 'owner'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

export const SCOPES_OF_ROLE: Readonly<Record<MemberRole, readonly Scope[]>> = {
  viewer: ['evidence:read'],
  developer: ['messages:send', 'evidence:read', 'suppressions:write'],
  owner: ['messages:send', 'evidence:read', 'suppressions:write', 'api_keys:write'],
};

/** Names the account that a person of several means: its id. */
export const ACCOUNT_HEADER = 'service-account';

/** Throws insufficient_scope; any one of `scopes` is enough. */
export function assertScope(role: MemberRole, scopes: readonly Scope[]): void {
  const held = SCOPES_OF_ROLE[role];
  if (!scopes.some((scope) => held.includes(scope)))
    throw apiError(
      'insufficient_scope',
      `This needs the scope ${scopes.join(' or ')}; your role, ${role}, has ${held.join(', ')}.`,
    );
}
