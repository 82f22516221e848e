import { PeopleStore } from './people-store.ts';
import type { Person } from './person.ts';

/** Somebody who signs in to the portal. */
export interface User extends Person {
  /** When a mailed link was spent: the address is theirs. */
  readonly emailProvenAt: Date | null;
}

export const USERS = new PeopleStore<User>({
  people: 'users',
  id: 'user_id',
  sessions: 'user_sessions',
  passkeys: 'passkeys',
  recoveryCodes: 'recovery_codes',
  own: { person: ', email_proven_at as "emailProvenAt"', session: '' },
  totp: 'totp',
});
