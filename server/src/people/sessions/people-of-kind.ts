import type { AuditEntry } from '../../accounts/audit/append.ts';
import type { DbAndClock, Tx } from '../../platform/database/db.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import type { Client } from './client.ts';
import type { SessionCookie } from './cookie.ts';
import type { Mail, MailWords } from './mail-words.ts';
import type { OwnOrigin } from './own-origin.ts';
import type { Passkeys } from './passkeys.ts';
import type { Passwords } from './passwords.ts';
import type { PeopleStore } from './people-store.ts';
import type { OpenSession, Person } from './person.ts';
import type { TokenLookUps } from './token-look-ups.ts';

/**
 * People of one kind, as they sign in: of the portal, or operators. Factors are asked for, checked and kept
 * the same way for both; this holds the differences. docs/decisions/0053
 */
export interface PeopleOfKind<P extends Person = Person, S extends OpenSession = OpenSession>
  extends DbAndClock {
  readonly secrets: SecretBox;
  readonly passwords: Passwords;
  readonly own: OwnOrigin;
  readonly cookie: SessionCookie;
  readonly lookUps: TokenLookUps;
  readonly passkeys: Passkeys;
  readonly store: PeopleStore<P, S>;
  readonly kind: Kind;
}

export interface Kind {
  readonly idleMs: number;
  readonly lifetimeMs: number;
  /** A first factor alone opens nothing, even for somebody who has no second one yet. */
  readonly needsSecondFactor: boolean;
  /** Paths named in refusals, for what must be done first. */
  readonly paths: { readonly password: string; readonly totp: string; readonly secondFactor: string };
  /** Records a change of somebody's factors, in the transaction that makes it. */
  record(tx: Tx, person: Person, client: Client, what: string | AuditEntry): Promise<void>;
  /** Ends the links that sign somebody in who has a new password now. */
  dropLinks(tx: Tx, personId: string, at: Date): Promise<void>;
  tell(person: Person, mail: (words: MailWords) => Mail): Promise<void>;
}

/** Time for the second factor after the first (ms). */
export const HALF_LIFETIME_MS = 10 * 60 * 1000;
/** Open sessions of a person; the oldest end. */
export const SESSIONS_MAX = 50;
/** How long a network is known after a sign-in from it, and how long sessions are remembered (ms). */
export const KNOWN_NETWORK_MS = 30 * 24 * 60 * 60 * 1000;
