import type { Config } from '../../config/config-type.ts';
import * as operatorPasskeysStore from '../../people/operators/operator-passkeys-store.ts';
import { createSessionCookie, type SessionCookie } from '../../people/sessions/cookie.ts';
import { createOwnOrigin, type OwnOrigin } from '../../people/sessions/own-origin.ts';
import type { Passkeys } from '../../people/sessions/passkeys.ts';
import { createPasswords, type PasswordCost, type Passwords } from '../../people/sessions/passwords.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import type { Audit } from './audit.ts';
import type { AdminDeps } from './deps.ts';

/** What everything about operators who sign in to the console works with. */
export interface OperatorSessions {
  readonly db: Db;
  readonly clock: Clock;
  readonly secrets: SecretBox;
  readonly passwords: Passwords;
  readonly own: OwnOrigin;
  readonly cookie: SessionCookie;
  readonly audit: Audit;
  readonly passkeys: Passkeys;
  /** Where operators open it. */
  readonly adminUrl: () => string;
  /** Only this machine reaches the sessions: a password is enough. */
  readonly onLoopback: boolean;
}

/** A session without a request for this long is over (ms). */
export const IDLE_MS = 30 * 60 * 1000;
/** A session is over after this long, whatever happens in it (ms). */
export const LIFETIME_MS = 12 * 60 * 60 * 1000;

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/;

export function createOperatorSessions(
  deps: Pick<AdminDeps, 'db' | 'clock' | 'log' | 'secrets' | 'audit'> & { readonly config: Config },
  adminUrl: () => string,
  passwordCost?: PasswordCost,
): OperatorSessions {
  const { config, db, clock, log, secrets, audit } = deps;
  const own = createOwnOrigin(config.adminUrl);
  return {
    ...{ db, clock, secrets, audit, own, adminUrl },
    passkeys: { db, clock, log, secrets, store: operatorPasskeysStore, realm: 'admin', name: 'Acuse admin' },
    passwords: createPasswords(passwordCost),
    cookie: createSessionCookie('acuse_admin', own.secure),
    onLoopback: LOOPBACK.test(config.adminHost),
  };
}

/** Before this moment a session was seen last that has idled out. */
export function idleSince(now: Date): Date {
  return new Date(now.getTime() - IDLE_MS);
}
