import type { OperatorRole } from '../../platform/http/http.ts';
import { PeopleStore } from '../sessions/people-store.ts';
import type { OpenSession, Person } from '../sessions/person.ts';

/** Somebody who signs in to the console. */
export interface Operator extends Person {
  readonly role: OperatorRole;
}

export interface OperatorSession extends OpenSession {
  readonly role: OperatorRole;
}

export const OPERATORS = new PeopleStore<Operator, OperatorSession>({
  people: 'operators',
  id: 'operator_id',
  sessions: 'operator_sessions',
  passkeys: 'operator_passkeys',
  recoveryCodes: 'operator_recovery_codes',
  own: { person: ', role', session: ', u.role' },
  totp: 'operator-totp',
});
