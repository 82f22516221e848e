import { apiError } from '../../errors.ts';
import type { Client } from './client.ts';
import { hasSecondFactor } from './has-second-factor.ts';
import { assertStrong } from './password-rules.ts';
import type { PeopleOfKind } from './people-of-kind.ts';
import type { OpenSession, Person } from './person.ts';
import { passwordFits, takeFor } from './second-factor.ts';
import { assertRecentlyAuthenticated } from './step-up.ts';

/**
 * Sets the password in a session. It takes the current password, a recent authentication, or that the person
 * has no other way to sign in. A person with only a passkey must show it: otherwise the session could use the
 * new password to confirm anything. All other sessions end. Throws weak_password, unauthorized,
 * reauthentication_required, rate_limited, unavailable.
 */
export async function setOwnPassword<P extends Person, S extends OpenSession>(
  people: PeopleOfKind<P, S>,
  session: S,
  given: { readonly password: string; readonly current_password?: string | undefined },
  client: Client,
): Promise<void> {
  const { db, clock, passwords, store, kind } = people;
  const { password, current_password: current } = given;
  await assertStrong(password, [session.email, session.name]);
  if (current !== undefined) {
    const release = await takeFor(people, session, client);
    if (!(await passwordFits(people, session.personId, current, client)))
      throw apiError('unauthorized', 'The current password is wrong.');
    await release();
  } else if (session.hasPassword || hasSecondFactor(session))
    assertRecentlyAuthenticated(session.authenticatedAt, clock.now());
  const phc = await passwords.hash(password, { ...client, known: true });
  const person = await db.asSessions(async (tx) => {
    const person = await store.lockPerson(tx, session.personId);
    if (person === null) throw apiError('unauthorized');
    const at = clock.now();
    await store.setPassword(tx, person.personId, phc, at);
    await store.endSessions(tx, person.personId, session.sessionId, at);
    await store.refreshAuthentication(tx, session.sessionId, at);
    await kind.dropLinks(tx, person.personId, at);
    await kind.record(tx, person, client, 'set_password');
    return person;
  });
  if (session.hasPassword) await kind.tell(person, (words) => words.passwordChanged());
}
