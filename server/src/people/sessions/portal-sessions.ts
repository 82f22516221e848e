import { newId } from '../../platform/ids.ts';
import type { Log } from '../../platform/logger.ts';
import { createSessionCookie } from './cookie.ts';
import { revokeAllLinks } from './links-store.ts';
import { type Mail, mailWords } from './mail-words.ts';
import type { LinkKind } from './one-time-link.ts';
import { createPasswords, type PasswordCost } from './passwords.ts';
import type { PeopleOfKind } from './people-of-kind.ts';
import type { Person } from './person.ts';
import { recordOfPerson } from './record.ts';
import type { SystemMail } from './system-mail.ts';
import { createTokenLookUps } from './token-look-ups.ts';
import { USERS, type User } from './user.ts';

export interface PortalSessions extends PeopleOfKind<User> {
  readonly log: Log;
  readonly publicUrl: () => string;
  /** True in the sandbox: elsewhere nobody belongs to a sandbox account. */
  readonly sandbox: boolean;
  /** Mail that Acuse itself sends; null: the person who asks for a link hands it over. */
  readonly mail: SystemMail | null;
}

/** A session without a request for this long is over (ms). */
export const IDLE_MS = 12 * 60 * 60 * 1000;
/** A session is over after this long, whatever happens in it (ms). */
export const LIFETIME_MS = 14 * 24 * 60 * 60 * 1000;
export const LINK_PAGES: Readonly<Record<LinkKind, string>> = {
  sign_in: '/portal/link',
  invitation: '/portal/link',
  password_reset: '/portal/password',
};
/** Page that refuses an invitation, with a secret of its own. */
export const REFUSAL_PAGE = '/portal/refuse';
/** Whoever has a new password wants none of the links that were sent before. */
const ENDED_BY_PASSWORD: readonly LinkKind[] = ['password_reset', 'sign_in'];

export function createPortalSessions(
  deps: Omit<PortalSessions, 'passwords' | 'cookie' | 'lookUps' | 'passkeys' | 'store' | 'kind'>,
  passwordCost?: PasswordCost,
): PortalSessions {
  const { db, clock, log, secrets } = deps;
  return {
    ...deps,
    store: USERS,
    passkeys: { db, clock, log, secrets, store: USERS, realm: 'portal', name: 'Acuse' },
    passwords: createPasswords(passwordCost),
    cookie: createSessionCookie('acuse_portal', deps.own.secure),
    lookUps: createTokenLookUps(clock),
    kind: {
      idleMs: IDLE_MS,
      lifetimeMs: LIFETIME_MS,
      needsSecondFactor: false,
      paths: {
        password: '/v1/portal/password',
        totp: '/v1/portal/user/totp',
        secondFactor: '/v1/portal/session/second-factor',
      },
      record: (tx, person, client, what) => recordOfPerson(tx, deps, person, client, what),
      dropLinks: (tx, personId) => revokeAllLinks(tx, personId, ENDED_BY_PASSWORD),
      tell: (person, mail) => tell(deps, person, mail(mailWords(person.locale, null))),
    },
  };
}

/** A notice that changes nothing: its failure is nobody's but the log's. */
async function tell(
  { mail, log }: { readonly mail: SystemMail | null; readonly log: Log },
  person: Pick<Person, 'personId' | 'email'>,
  words: Mail,
): Promise<void> {
  try {
    await mail?.send({ to: person.email, ...words, key: `notice-${newId()}` });
  } catch (error) {
    log.warn({ err: error, userId: person.personId }, 'a notice to a person was not accepted');
  }
}
