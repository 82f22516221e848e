import type { FastifyRequest } from 'fastify';
import { apiError } from '../../errors.ts';

import type { OperatorRole } from '../../platform/http/http.ts';

export interface OperatorPrincipal {
  readonly operatorId: string;
  readonly email: string;
  readonly name: string;
  readonly role: OperatorRole;
  readonly sessionId: string;
  readonly authenticatedAt: Date;
}

declare module 'fastify' {
  interface FastifyRequest {
    operator: OperatorPrincipal;
  }
}

/** Access to a route of the console: every operator, or admins. */
export const BY_SUPPORT = { operator: 'support' } as const;
/** Admins after a recent authentication. */
export const BY_ADMIN = { operator: 'admin', stepUp: true } as const;

export function assertRole(operator: OperatorPrincipal, needed: OperatorRole): void {
  if (needed === 'admin' && operator.role !== 'admin')
    throw apiError(
      'insufficient_scope',
      'This needs the role admin; yours is support. Ask an admin of this installation.',
    );
}

/** An operator's name where others read it: in pauses, erasures and the audit record. */
export function nameOf({ operator }: Pick<FastifyRequest, 'operator'>): string {
  return operator.name === '' ? operator.email : `${operator.name} <${operator.email}>`;
}
