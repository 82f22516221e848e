import { apiError } from '../../errors.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { Client, NewCookie } from './client.ts';
import { emailKeyOf } from './email.ts';
import { hasSecondFactor } from './has-second-factor.ts';
import { type Answered, readShown, type Shown, useShown, wrongPasskey } from './passkeys.ts';
import type { PeopleOfKind } from './people-of-kind.ts';
import type { OpenSession, Person } from './person.ts';
import { recoveryCodeSha256 } from './recovery-codes.ts';
import { isKnown } from './sign-in.ts';
import { takeSignIn } from './sign-in-limits.ts';
import { newToken } from './tokens.ts';
import { totpStep } from './totp.ts';
import type { GivenAssertion } from './webauthn.ts';

/** The factor that follows the first, or is shown again. */
export interface Proof {
  readonly code?: string | undefined;
  readonly recovery_code?: string | undefined;
  readonly password?: string | undefined;
  readonly passkey?: Answered<GivenAssertion> | undefined;
}

/** Makes half a session whole, under a new token. Throws unauthorized, conflict, rate_limited. */
export async function giveSecondFactor<P extends Person, S extends OpenSession>(
  people: PeopleOfKind<P, S>,
  session: S,
  proof: Omit<Proof, 'password'>,
  client: Client,
): Promise<NewCookie> {
  const { db, store, kind } = people;
  const release = await takeFor(people, session, client);
  const shown = await showsPasskey(people, session, proof, client);
  const opened = await db.asSessions(async (tx) => {
    const person = await store.lockPerson(tx, session.personId);
    if (person === null || !(await isRight(tx, people, person, { ...proof, shown }))) return null;
    const cookie = await complete(tx, people, session);
    await kind.record(tx, person, client, 'sign_in');
    return cookie;
  });
  if (opened === null) throw wrongProof(proof, 'The code is wrong or was used already.');
  await release();
  return opened;
}

/** Shows again who this is. Throws unauthorized, conflict, rate_limited, unavailable. */
export async function reauthenticate<P extends Person, S extends OpenSession>(
  people: PeopleOfKind<P, S>,
  session: S,
  proof: Proof,
  client: Client,
): Promise<void> {
  const { db, clock, store, kind } = people;
  if (!session.hasPassword && !hasSecondFactor(session))
    throw apiError(
      'conflict',
      `There is nothing to confirm with yet: set a password first (PUT ${kind.paths.password}).`,
    );
  const release = await takeFor(people, session, client);
  const right = await showsAgain(people, session, proof, client).catch(async (error: unknown) => {
    await release();
    throw error;
  });
  if (!right) throw wrongProof(proof, 'The password or the code is wrong, or was used already.');
  await release();
  await db.asSessions((tx) => store.refreshAuthentication(tx, session.sessionId, clock.now()));
}

async function showsAgain<P extends Person, S extends OpenSession>(
  people: PeopleOfKind<P, S>,
  session: S,
  proof: Proof,
  client: Client,
): Promise<boolean> {
  const { personId } = session;
  if (proof.password !== undefined) return passwordFits(people, personId, proof.password, client);
  const shown = await showsPasskey(people, session, proof, client);
  return people.db.asSessions(async (tx) => {
    const person = await people.store.lockPerson(tx, personId);
    return person !== null && isRight(tx, people, person, { ...proof, shown });
  });
}

/** The passkey that was shown; null when none was, or a wrong one. Throws conflict. */
async function showsPasskey(
  { own, passkeys }: Pick<PeopleOfKind, 'own' | 'passkeys'>,
  { personId: ownerId, sessionId }: OpenSession,
  { passkey }: Pick<Proof, 'passkey'>,
  { host }: Client,
): Promise<Shown | null> {
  if (passkey === undefined) return null;
  return readShown(passkeys, own.relyingParty(host), passkey, { ownerId, sessionId });
}

function wrongProof({ passkey }: Pick<Proof, 'passkey'>, message: string) {
  return passkey === undefined ? apiError('unauthorized', message) : wrongPasskey();
}

/** For somebody with a session. Throws unavailable. */
export async function passwordFits<P extends Person, S extends OpenSession>(
  { db, passwords, store }: PeopleOfKind<P, S>,
  personId: string,
  password: string,
  client: Client,
): Promise<boolean> {
  const person = await db.asSessions((tx) => store.lockPerson(tx, personId));
  return passwords.fits(password, person?.passwordPhc ?? null, { ...client, known: true });
}

/** Counts like a sign-in: the session alone does not prove the factor. Throws rate_limited. */
export async function takeFor<P extends Person, S extends OpenSession>(
  people: PeopleOfKind<P, S>,
  session: S,
  client: Client,
): Promise<() => Promise<void>> {
  const knownNetwork = await people.db.asSessions((tx) => isKnown(tx, people, session, client));
  const { realm } = people.passkeys;
  const person = emailKeyOf(session.email);
  return takeSignIn(people, { realm, address: client.address, person, knownNetwork });
}

/** Completes the session after the second factor. Throws conflict when another request was first. */
export async function complete<P extends Person, S extends OpenSession>(
  tx: Tx,
  { clock, store, kind }: PeopleOfKind<P, S>,
  { sessionId }: Pick<S, 'sessionId'>,
): Promise<NewCookie> {
  const at = clock.now();
  const { token, sha256: tokenSha256 } = newToken();
  const expiresAt = new Date(at.getTime() + kind.lifetimeMs);
  if (!(await store.completeSession(tx, sessionId, { tokenSha256, at, expiresAt })))
    throw apiError('conflict', 'This session is signed in already, or has ended.');
  return { token, expiresAt };
}

/** Spends the code: the same one is wrong from now on. */
async function isRight<P extends Person, S extends OpenSession>(
  tx: Tx,
  { secrets, clock, passkeys, store }: PeopleOfKind<P, S>,
  { personId, totpSealed }: P,
  proof: Pick<Proof, 'code' | 'recovery_code'> & { readonly shown: Shown | null },
): Promise<boolean> {
  if (proof.shown !== null) return useShown(tx, passkeys, proof.shown);
  if (proof.recovery_code !== undefined) {
    const sha256 = recoveryCodeSha256(proof.recovery_code);
    return sha256 !== null && store.spendRecoveryCode(tx, personId, sha256, clock.now());
  }
  if (proof.code === undefined || totpSealed === null) return false;
  const step = totpStep(secrets.open(totpSealed, store.totpContext(personId)), proof.code, clock.now());
  return step !== null && store.spendTotpStep(tx, personId, step);
}
