import { apiError } from '../../errors.ts';
import { isId } from '../../platform/ids.ts';
import type { Client, NewCookie } from './client.ts';
import { assertMayEnrol, assertMayGoWithout } from './factors.ts';
import { hasSecondFactor } from './has-second-factor.ts';
import { type Answered, keepPasskey, noSuchPasskey, onlyWayIn, readNewPasskey } from './passkeys.ts';
import type { PeopleOfKind } from './people-of-kind.ts';
import type { OpenSession, Passkey, Person } from './person.ts';
import { newRecoveryCodes } from './recovery-codes.ts';
import { complete } from './second-factor.ts';
import type { GivenRegistration } from './webauthn.ts';

export interface AddedPasskey {
  readonly passkey: Passkey;
  /** Made with the first second factor, and never shown again. Null: codes exist already. */
  readonly recoveryCodes: string[] | null;
  /** Set if a half session became whole. */
  readonly cookie: NewCookie | null;
}

/**
 * From now on a password alone opens nothing. With the first second factor all other sessions end: a password
 * was enough for them. Throws conflict, invalid_body, unauthorized.
 */
export async function addPasskey<P extends Person, S extends OpenSession>(
  people: PeopleOfKind<P, S>,
  session: S,
  given: Answered<GivenRegistration> & { readonly name: string },
  client: Client,
): Promise<AddedPasskey> {
  const { db, clock, own, passkeys, store, kind } = people;
  const { personId: ownerId, sessionId } = session;
  assertMayEnrol(people, session);
  const by = { ownerId, sessionId, name: given.name };
  const made = await readNewPasskey(passkeys, own.relyingParty(client.host), given, by);
  const codes = newRecoveryCodes();
  const { person, ...added } = await db.asSessions(async (tx) => {
    const person = await store.lockPerson(tx, ownerId);
    if (person === null) throw apiError('unauthorized');
    const isFirst = !hasSecondFactor(person);
    // Somebody else with the same password was first.
    if (!isFirst) assertMayEnrol(people, { ...session, hasPasskeys: true });
    const passkey = await keepPasskey(tx, passkeys, made);
    const at = clock.now();
    if (isFirst) {
      await store.replaceRecoveryCodes(
        tx,
        ownerId,
        codes.map(({ sha256 }) => sha256),
      );
      await store.endSessions(tx, ownerId, sessionId, at);
    }
    await store.refreshAuthentication(tx, sessionId, at);
    await kind.record(tx, person, client, { action: 'add_passkey', target: passkey.name });
    const cookie = session.state === 'half' ? await complete(tx, people, session) : null;
    return { person, passkey, recoveryCodes: isFirst ? codes.map(({ code }) => code) : null, cookie };
  });
  await kind.tell(person, (words) => words.passkeyAdded(added.passkey.name));
  return added;
}

export function readOwnPasskeys<P extends Person, S extends OpenSession>(
  { db, store }: PeopleOfKind<P, S>,
  { personId }: S,
): Promise<Passkey[]> {
  return db.asSessions((tx) => store.listPasskeys(tx, personId));
}

export async function nameOwnPasskey<P extends Person, S extends OpenSession>(
  { db, store }: PeopleOfKind<P, S>,
  { personId }: S,
  passkeyId: string,
  name: string,
): Promise<Passkey> {
  const passkey = isId(passkeyId)
    ? await db.asSessions((tx) => store.renamePasskey(tx, personId, passkeyId, name))
    : null;
  if (passkey === null) throw noSuchPasskey();
  return passkey;
}

/**
 * Removes it; recovery codes end with the last second factor. Throws not_found, conflict for the only way in,
 * and for the last second factor of somebody who needs one.
 */
export async function removePasskey<P extends Person, S extends OpenSession>(
  people: PeopleOfKind<P, S>,
  { personId }: S,
  passkeyId: string,
  client: Client,
): Promise<Passkey> {
  const { db, store, kind } = people;
  if (!isId(passkeyId)) throw noSuchPasskey();
  const { person, removed } = await db.asSessions(async (tx) => {
    const person = await store.lockPerson(tx, personId);
    const removed = person === null ? null : await store.deletePasskey(tx, personId, passkeyId);
    if (person === null || removed === null) throw noSuchPasskey();
    if ((await store.listPasskeys(tx, personId)).length === 0) {
      if (person.passwordPhc === null) throw onlyWayIn();
      if (person.totpSealed === null) {
        assertMayGoWithout(people);
        await store.replaceRecoveryCodes(tx, personId, []);
      }
    }
    await kind.record(tx, person, client, { action: 'remove_passkey', target: removed.name });
    return { person, removed };
  });
  await kind.tell(person, (words) => words.passkeyRemoved(removed.name));
  return removed;
}
