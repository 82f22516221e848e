import { apiError } from '../../errors.ts';
import type { Tx } from '../../platform/database/db.ts';
import { networkOf } from '../../platform/network/network.ts';
import { emailKeyOf } from './email.ts';
import { hasSecondFactor } from './has-second-factor.ts';
import { type Answered, readShown, type Shown, useShown, wrongPasskey } from './passkeys.ts';
import { type Client, KNOWN_NETWORK_MS, LIFETIME_MS, type PortalSessions } from './portal-sessions.ts';
import { recoveryCodeSha256 } from './recovery-codes.ts';
import {
  completeSession,
  isKnownNetwork,
  type OpenSession,
  refreshAuthentication,
} from './sessions-store.ts';
import { recordOfPerson } from './sign-in.ts';
import { takeSignIn } from './sign-in-limits.ts';
import { newToken } from './tokens.ts';
import { totpStep } from './totp.ts';
import { findUser, lockUser, spendRecoveryCode, spendTotpStep, type User } from './users-store.ts';
import type { GivenAssertion } from './webauthn.ts';

/** What a person shows in addition to, or again after, the first factor. */
export interface Proof {
  readonly code?: string | undefined;
  readonly recovery_code?: string | undefined;
  readonly password?: string | undefined;
  readonly passkey?: Answered<GivenAssertion> | undefined;
}

/** What secrets of authenticator apps are sealed for. */
export function totpContext(userId: string): string {
  return `totp:${userId}`;
}

/** Makes half a session whole, under a new token. Throws unauthorized, conflict, rate_limited. */
export async function giveSecondFactor(
  sessions: PortalSessions,
  session: OpenSession,
  proof: Omit<Proof, 'password'>,
  client: Client,
): Promise<{ token: string; expiresAt: Date }> {
  const release = await takeFor(sessions, session, client);
  const shown = await showsPasskey(sessions, session, proof, client);
  const opened = await sessions.db.asSessions(async (tx) => {
    const user = await lockUser(tx, session.userId);
    if (user === null || !(await isRight(tx, sessions, user, { ...proof, shown }))) return null;
    const at = sessions.clock.now();
    const { token, sha256 } = newToken();
    const expiresAt = new Date(at.getTime() + LIFETIME_MS);
    if (!(await completeSession(tx, session.sessionId, { tokenSha256: sha256, at, expiresAt }))) return null;
    await recordOfPerson(tx, sessions, user, client, 'sign_in');
    return { token, expiresAt };
  });
  if (opened === null) throw wrongProof(proof, 'The code is wrong or was used already.');
  await release();
  return opened;
}

/** Shows again who this is. Throws unauthorized, conflict, rate_limited, unavailable. */
export async function reauthenticate(
  sessions: PortalSessions,
  session: OpenSession,
  proof: Proof,
  client: Client,
): Promise<void> {
  if (!session.hasPassword && !hasSecondFactor(session))
    throw apiError(
      'conflict',
      'There is nothing to confirm with yet: set a password first (PUT /v1/portal/password).',
    );
  const release = await takeFor(sessions, session, client);
  const right = await showsAgain(sessions, session, proof, client).catch(async (error: unknown) => {
    await release();
    throw error;
  });
  if (!right) throw wrongProof(proof, 'The password or the code is wrong, or was used already.');
  await release();
  await sessions.db.asSessions((tx) => refreshAuthentication(tx, session.sessionId, sessions.clock.now()));
}

async function showsAgain(
  sessions: PortalSessions,
  session: OpenSession,
  proof: Proof,
  client: Client,
): Promise<boolean> {
  if (proof.password !== undefined) return passwordFits(sessions, session.userId, proof.password, client);
  const shown = await showsPasskey(sessions, session, proof, client);
  return sessions.db.asSessions(async (tx) => {
    const user = await lockUser(tx, session.userId);
    return user !== null && isRight(tx, sessions, user, { ...proof, shown });
  });
}

/** The passkey that was shown; null when none was, or a wrong one. Throws conflict. */
async function showsPasskey(
  { own, passkeys }: PortalSessions,
  { userId, sessionId }: OpenSession,
  { passkey }: Pick<Proof, 'passkey'>,
  { host }: Client,
): Promise<Shown | null> {
  if (passkey === undefined) return null;
  return readShown(passkeys, own.relyingParty(host), passkey, { ownerId: userId, sessionId });
}

export function wrongProof({ passkey }: Pick<Proof, 'passkey'>, message: string) {
  return passkey === undefined ? apiError('unauthorized', message) : wrongPasskey();
}

/** Of somebody who has a session. Throws unavailable. */
export async function passwordFits(
  { db, passwords }: PortalSessions,
  userId: string,
  password: string,
  client: Client,
): Promise<boolean> {
  const user = await db.asSessions((tx) => findUser(tx, userId));
  return passwords.fits(password, user?.passwordPhc ?? null, { ...client, known: true });
}

/** Counts like a sign-in: who has the session has not the factor yet. Throws rate_limited. */
export async function takeFor(
  sessions: PortalSessions,
  session: OpenSession,
  { address }: Client,
): Promise<() => Promise<void>> {
  const since = new Date(sessions.clock.now().getTime() - KNOWN_NETWORK_MS);
  const knownNetwork = await sessions.db.asSessions((tx) =>
    isKnownNetwork(tx, session.userId, networkOf(address), since),
  );
  return takeSignIn(sessions, { realm: 'portal', address, person: emailKeyOf(session.email), knownNetwork });
}

/** Spends the code: the same one is wrong from now on. */
async function isRight(
  tx: Tx,
  { secrets, clock, passkeys }: PortalSessions,
  user: User,
  proof: Pick<Proof, 'code' | 'recovery_code'> & { readonly shown: Shown | null },
): Promise<boolean> {
  if (proof.shown !== null) return useShown(tx, passkeys, proof.shown);
  if (proof.recovery_code !== undefined) {
    const sha256 = recoveryCodeSha256(proof.recovery_code);
    return sha256 !== null && spendRecoveryCode(tx, user.userId, sha256, clock.now());
  }
  if (proof.code === undefined || user.totpSealed === null) return false;
  const secret = secrets.open(user.totpSealed, totpContext(user.userId));
  const step = totpStep(secret, proof.code, clock.now());
  return step !== null && spendTotpStep(tx, user.userId, step);
}
