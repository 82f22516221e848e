import { apiError } from '../../errors.ts';
import type { Client, NewCookie } from './client.ts';
import { hasSecondFactor } from './has-second-factor.ts';
import type { PeopleOfKind } from './people-of-kind.ts';
import type { OpenSession, Person } from './person.ts';
import { newRecoveryCodes } from './recovery-codes.ts';
import { complete, takeFor } from './second-factor.ts';
import { newTotpSecret, type TotpEnrolment, totpEnrolment, totpStep } from './totp.ts';

/** Codes of an authenticator app: set up, confirmed by a first code, turned off. */

/** Makes a secret, which counts once a code of it was entered. Throws conflict, unauthorized. */
export async function beginTotp<P extends Person, S extends OpenSession>(
  people: PeopleOfKind<P, S>,
  session: S,
): Promise<TotpEnrolment> {
  const { db, clock, secrets, passkeys, store } = people;
  const { personId, email } = session;
  assertMayEnrol(people, session);
  const secret = newTotpSecret();
  const sealed = secrets.seal(secret, store.totpContext(personId));
  if (!(await db.asSessions((tx) => store.setPendingTotp(tx, personId, sealed, clock.now()))))
    throw hasCodes();
  return totpEnrolment(secret, passkeys.name, email);
}

/**
 * The first code turns it on; returns ten recovery codes, which are never shown again, and a new token for
 * half a session, which is whole now. All other sessions end. Throws conflict, unauthorized, rate_limited.
 */
export async function confirmTotpCode<P extends Person, S extends OpenSession>(
  people: PeopleOfKind<P, S>,
  session: S,
  code: string,
  client: Client,
): Promise<{ readonly codes: string[]; readonly cookie: NewCookie | null }> {
  const { db, clock, secrets, store, kind } = people;
  const { personId, sessionId } = session;
  assertMayEnrol(people, session);
  const release = await takeFor(people, session, client);
  const codes = newRecoveryCodes();
  const done = await db.asSessions(async (tx) => {
    const person = await store.lockPerson(tx, personId);
    if (person?.totpSealed) throw hasCodes();
    const sealed = person?.totpPendingSealed ?? null;
    if (person === null || sealed === null)
      throw apiError('conflict', `Nothing was set up to be confirmed: POST ${kind.paths.totp} first.`);
    // Somebody else with the same password was first.
    assertMayEnrol(people, { ...session, hasPasskeys: person.hasPasskeys });
    const at = clock.now();
    const step = totpStep(secrets.open(sealed, store.totpContext(personId)), code, at);
    if (step === null || !(await store.confirmTotp(tx, personId, sealed, step, at))) return null;
    await store.replaceRecoveryCodes(
      tx,
      personId,
      codes.map(({ sha256 }) => sha256),
    );
    await store.endSessions(tx, personId, sessionId, at);
    await store.refreshAuthentication(tx, sessionId, at);
    await kind.record(tx, person, client, 'turn_on_totp');
    return { person, cookie: session.state === 'half' ? await complete(tx, people, session) : null };
  });
  if (done === null) throw apiError('unauthorized', 'The code is wrong: check the clock of the device.');
  await release();
  await kind.tell(done.person, (words) => words.secondFactorOn());
  return { codes: codes.map(({ code }) => code), cookie: done.cookie };
}

/**
 * Also removes an app that waits for its first code. Throws not_found when there is nothing to turn off,
 * conflict for the last second factor of somebody who needs one.
 */
export async function endTotp<P extends Person, S extends OpenSession>(
  people: PeopleOfKind<P, S>,
  { personId }: S,
  client: Client,
): Promise<void> {
  const { db, clock, store, kind } = people;
  const ended = await db.asSessions(async (tx) => {
    const person = await store.lockPerson(tx, personId);
    if (person === null || !(await store.dropTotp(tx, personId, clock.now()))) return null;
    const wasOn = person.totpSealed !== null;
    if (!person.hasPasskeys) {
      if (wasOn) assertMayGoWithout(people);
      await store.replaceRecoveryCodes(tx, personId, []);
    }
    if (wasOn) await kind.record(tx, person, client, 'turn_off_totp');
    return { person, wasOn };
  });
  if (ended === null) throw apiError('not_found', 'No authenticator app is set up.');
  if (ended.wasOn) await kind.tell(ended.person, (words) => words.secondFactorOff());
}

/**
 * Ten new recovery codes, which are never shown again; those before are worth nothing from now on. Throws
 * conflict without a second factor.
 */
export async function renewRecoveryCodes<P extends Person, S extends OpenSession>(
  { db, store, kind }: PeopleOfKind<P, S>,
  { personId }: S,
  client: Client,
): Promise<string[]> {
  const codes = newRecoveryCodes();
  const person = await db.asSessions(async (tx) => {
    const person = await store.lockPerson(tx, personId);
    // They replace a lost second factor; without one they are worth nothing.
    if (person === null || !hasSecondFactor(person))
      throw apiError(
        'conflict',
        'Recovery codes belong to a second factor: set up an authenticator app or a passkey first.',
      );
    await store.replaceRecoveryCodes(
      tx,
      personId,
      codes.map(({ sha256 }) => sha256),
    );
    await kind.record(tx, person, client, 'renew_recovery_codes');
    return person;
  });
  await kind.tell(person, (words) => words.recoveryCodesRenewed());
  return codes.map(({ code }) => code);
}

/** A password alone must not add the factor that it is then asked for. Throws unauthorized. */
export function assertMayEnrol(
  { kind }: Pick<PeopleOfKind, 'kind'>,
  session: Pick<OpenSession, 'state' | 'hasTotp' | 'hasPasskeys'>,
): void {
  if (session.state === 'half' && hasSecondFactor(session))
    throw apiError('unauthorized', `The second factor is still to come: POST ${kind.paths.secondFactor}.`);
}

/** Before the last second factor goes. Throws conflict. */
export function assertMayGoWithout({ kind }: Pick<PeopleOfKind, 'kind'>): void {
  if (kind.needsSecondFactor)
    throw apiError(
      'conflict',
      'Operators of this installation need a second factor: set up another before you remove this one.',
    );
}

function hasCodes() {
  return apiError(
    'conflict',
    'An authenticator app is set up already: turn it off before you set up another.',
  );
}
