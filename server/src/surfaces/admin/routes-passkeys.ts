import { passkeyRoutesOf } from '../../people/sessions/passkey-routes.ts';
import type { Doors } from '../../platform/http/door.ts';
import type { AuditedSessions } from './deps.ts';

/** Signing in to the console with a passkey, and the passkeys of the operator who is signed in. */
export function passkeyRoutes(doors: Doors, sessions: AuditedSessions): void {
  passkeyRoutesOf(doors, {
    people: sessions,
    sessionOf: (request) => request.operatorSession,
    base: '/v1/admin',
    self: '/operator',
    tags: ['You'],
    adds: { admits: 'half', stepUp: true },
    words: {
      list: 'List your passkeys',
      remove:
        'It opens nothing any more. 409 when it is the only way to sign in, or the only second factor where operators need one.',
    },
    change: (request, what, work) => sessions.audit.change(request, what, work),
  });
}
