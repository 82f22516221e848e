import { apiError } from '../../errors.ts';
import type { Tx } from '../../platform/database/db.ts';
import { networkOf } from '../../platform/network/network.ts';
import type { Client } from './client.ts';
import { emailKeyOf } from './email.ts';
import { findByToken, type OpenedSession, openSession, wrongCredentials } from './open-session.ts';
import { type Answered, readShown, useShown, wrongPasskey } from './passkeys.ts';
import { KNOWN_NETWORK_MS, type PeopleOfKind } from './people-of-kind.ts';
import type { OpenSession, Person } from './person.ts';
import { takeSignIn } from './sign-in-limits.ts';
import type { GivenAssertion } from './webauthn.ts';

/** The first factor: a password; or a passkey, which is both. Links are each kind's own. */

/** Throws unauthorized, rate_limited, unavailable. */
export async function signInWithPassword<P extends Person, S extends OpenSession>(
  people: PeopleOfKind<P, S>,
  { email, password }: { readonly email: string; readonly password: string },
  client: Client,
  previousToken: string | null,
): Promise<OpenedSession<P>> {
  const { db, passwords, passkeys, store, kind } = people;
  const key = emailKeyOf(email);
  const { person, knownNetwork } = await db.asSessions(async (tx) => {
    const person = await store.findByEmail(tx, key);
    return { person, knownNetwork: person !== null && (await isKnown(tx, people, person, client)) };
  });
  const attempt = { realm: passkeys.realm, address: client.address, person: key, knownNetwork };
  const release = await takeSignIn(people, attempt);
  const fits = await passwords
    .fits(password, person?.passwordPhc ?? null, { ...client, known: knownNetwork })
    .catch(async (error: unknown) => {
      await release();
      throw error;
    });
  if (!fits || person === null) throw wrongCredentials();
  await release();
  return db.asSessions(async (tx) => {
    const current = await store.lockPerson(tx, person.personId);
    // The password was changed while the old one was checked: the old one opens nothing.
    if (current === null || current.passwordPhc !== person.passwordPhc) throw wrongCredentials();
    const opened = await openSession(tx, people, current, { client, previousToken });
    if (opened.state === 'signed_in') await kind.record(tx, current, client, 'sign_in');
    return opened;
  });
}

/**
 * Opens a session by a passkey alone: its owner was there, and unlocked it. Throws conflict, unauthorized,
 * rate_limited.
 */
export async function signInWithPasskey<P extends Person, S extends OpenSession>(
  people: PeopleOfKind<P, S>,
  given: Answered<GivenAssertion>,
  client: Client,
  previousToken: string | null,
): Promise<OpenedSession<P>> {
  const { db, own, passkeys, store, kind } = people;
  const party = own.relyingParty(client.host);
  const { realm } = passkeys;
  const release = await takeSignIn(people, {
    ...{ realm, address: client.address, person: null, knownNetwork: false },
  });
  const shown = await readShown(passkeys, party, given, null);
  if (shown === null) throw wrongPasskey();
  const opened = await db.asSessions(async (tx) => {
    const person = await store.lockPerson(tx, shown.passkey.ownerId);
    if (person === null || !(await useShown(tx, passkeys, shown))) throw wrongPasskey();
    await kind.record(tx, person, client, { action: 'sign_in', after: { by: 'passkey' } });
    return openSession(tx, people, person, { client, previousToken, whole: true });
  });
  await release();
  return opened;
}

/**
 * A link replaces the session of another person only if that is meant: its sender may want the next actions
 * to be done as somebody else. Throws conflict.
 */
export async function assertReplaces<P extends Person, S extends OpenSession>(
  tx: Tx,
  people: PeopleOfKind<P, S>,
  linked: P,
  previousToken: string | null,
): Promise<void> {
  const open = await findByToken(tx, people, previousToken);
  if (open !== null && open.personId !== linked.personId)
    throw apiError(
      'conflict',
      `You are signed in as ${open.email}, and this link signs in ${linked.email}. Continue only if you are ${linked.email}: the open session ends.`,
    );
}

/** True if somebody signed in from this client's network lately. */
export function isKnown<P extends Person, S extends OpenSession>(
  tx: Tx,
  { clock, store }: PeopleOfKind<P, S>,
  { personId }: { readonly personId: string },
  { address }: Pick<Client, 'address'>,
): Promise<boolean> {
  const since = new Date(clock.now().getTime() - KNOWN_NETWORK_MS);
  return store.isKnownNetwork(tx, personId, networkOf(address), since);
}
