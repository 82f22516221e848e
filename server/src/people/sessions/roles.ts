import { apiError } from '../../errors.ts';
import type { Scope } from '../../platform/http/http.ts';

export const MEMBER_ROLES = ['viewer', 'developer', 'owner'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

export const SCOPES_OF_ROLE: Readonly<Record<MemberRole, readonly Scope[]>> = {
  viewer: ['evidence:read'],
  developer: ['messages:send', 'evidence:read', 'suppressions:write'],
  owner: ['messages:send', 'evidence:read', 'suppressions:write', 'api_keys:write'],
};

/** Throws insufficient_scope; any one of `scopes` is enough. */
export function assertScope(role: MemberRole, scopes: readonly Scope[]): void {
  const held = SCOPES_OF_ROLE[role];
  if (!scopes.some((scope) => held.includes(scope)))
    throw apiError(
      'insufficient_scope',
      `This needs the scope ${scopes.join(' or ')}; your role, ${role}, has ${held.join(', ')}.`,
    );
}

export function assertOwner(role: MemberRole): void {
  if (role !== 'owner')
    throw apiError('insufficient_scope', `Only owners of the account may do this; your role is ${role}.`);
}
