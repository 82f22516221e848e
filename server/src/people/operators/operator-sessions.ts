import type { Config } from '../../config/config-type.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import type { Log } from '../../platform/logger.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import { createSessionCookie } from '../sessions/cookie.ts';
import { createOwnOrigin } from '../sessions/own-origin.ts';
import { createPasswords, type PasswordCost } from '../sessions/passwords.ts';
import type { PeopleOfKind } from '../sessions/people-of-kind.ts';
import { createTokenLookUps } from '../sessions/token-look-ups.ts';
import { OPERATORS, type Operator, type OperatorSession } from './operator.ts';
import { dropLinks } from './operators-store.ts';

export interface OperatorSessions extends PeopleOfKind<Operator, OperatorSession> {
  /** Where operators open it. */
  readonly adminUrl: () => string;
}

/** A session without a request for this long is over (ms). */
export const IDLE_MS = 30 * 60 * 1000;
/** A session is over after this long, whatever happens in it (ms). */
export const LIFETIME_MS = 12 * 60 * 60 * 1000;

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/;

export function createOperatorSessions(
  deps: {
    readonly config: Config;
    readonly db: Db;
    readonly clock: Clock;
    readonly log: Log;
    readonly secrets: SecretBox;
  },
  adminUrl: () => string,
  passwordCost?: PasswordCost,
): OperatorSessions {
  const { config, db, clock, log, secrets } = deps;
  const own = createOwnOrigin(config.adminUrl);
  return {
    ...{ db, clock, secrets, own, adminUrl, store: OPERATORS },
    passkeys: { db, clock, log, secrets, store: OPERATORS, realm: 'admin', name: 'Acuse admin' },
    passwords: createPasswords(passwordCost),
    cookie: createSessionCookie('acuse_admin', own.secure),
    lookUps: createTokenLookUps(clock),
    kind: {
      idleMs: IDLE_MS,
      lifetimeMs: LIFETIME_MS,
      // Where only this machine reaches the sessions, a password is enough.
      needsSecondFactor: !LOOPBACK.test(config.adminHost),
      paths: {
        password: '/v1/admin/password',
        totp: '/v1/admin/operator/totp',
        secondFactor: '/v1/admin/session/second-factor',
      },
      dropLinks,
      // The console's own audit records each request; operators get no mail about it.
      record: async () => {},
      tell: async () => {},
    },
  };
}
