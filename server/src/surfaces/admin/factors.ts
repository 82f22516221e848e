import { apiError } from '../../errors.ts';
import {
  completeSession,
  endSessions,
  type OpenSession,
  refreshAuthentication,
} from '../../people/operators/operator-sessions-store.ts';
import {
  confirmTotp,
  dropTotp,
  lockOperator,
  type Operator,
  replaceRecoveryCodes,
  setPassword,
  setPendingTotp,
  spendRecoveryCode,
  spendTotpStep,
} from '../../people/operators/operators-store.ts';
import { operatorTotpContext } from '../../people/operators/sealed-store.ts';
import { emailKeyOf } from '../../people/sessions/email.ts';
import { nothingToRecover } from '../../people/sessions/factors.ts';
import { hasSecondFactor } from '../../people/sessions/has-second-factor.ts';
import { type Answered, readShown, type Shown, useShown } from '../../people/sessions/passkeys.ts';
import { assertStrong } from '../../people/sessions/password-rules.ts';
import type { Client, NewCookie } from '../../people/sessions/portal-sessions.ts';
import { newRecoveryCodes, recoveryCodeSha256 } from '../../people/sessions/recovery-codes.ts';
import { wrongProof } from '../../people/sessions/second-factor.ts';
import { takeSignIn } from '../../people/sessions/sign-in-limits.ts';
import { STEP_UP_MS } from '../../people/sessions/step-up.ts';
import { newToken } from '../../people/sessions/tokens.ts';
import { newTotpSecret, type TotpEnrolment, totpEnrolment, totpStep } from '../../people/sessions/totp.ts';
import type { GivenAssertion } from '../../people/sessions/webauthn.ts';
import type { Tx } from '../../platform/database/db.ts';
import { LIFETIME_MS, type OperatorSessions } from './operator-sessions.ts';
import { isKnown } from './sign-in.ts';

/** What operators show of themselves: second factor, password, and both again where it matters. */

export interface Proof {
  readonly password?: string | undefined;
  readonly code?: string | undefined;
  readonly recovery_code?: string | undefined;
  readonly passkey?: Answered<GivenAssertion> | undefined;
}

const ISSUER = 'Acuse admin';

/** Makes half a session whole, under a new token. Throws unauthorized, conflict, rate_limited. */
export async function giveSecondFactor(
  sessions: OperatorSessions,
  session: OpenSession,
  proof: Proof,
  client: Client,
): Promise<NewCookie> {
  const release = await takeFor(sessions, session, client);
  const shown = await showsPasskey(sessions, session, proof, client);
  const opened = await sessions.db.asSessions(async (tx) => {
    const operator = await lockOperator(tx, session.operatorId);
    if (operator === null || !(await isRight(tx, sessions, operator, { ...proof, shown }))) return null;
    return complete(tx, sessions, session);
  });
  if (opened === null) throw wrongProof(proof, 'The code is wrong or was used already.');
  await release();
  return opened;
}

/** Shows again who this is. Throws unauthorized, conflict, rate_limited, unavailable. */
export async function reauthenticate(
  sessions: OperatorSessions,
  session: OpenSession,
  proof: Proof,
  client: Client,
): Promise<void> {
  if (!session.hasPassword && !hasSecondFactor(session))
    throw apiError(
      'conflict',
      'There is nothing to confirm with yet: set a password (PUT /v1/admin/password).',
    );
  const release = await takeFor(sessions, session, client);
  const right = await shows(sessions, session, proof, client).catch(async (error: unknown) => {
    await release();
    throw error;
  });
  if (!right) throw wrongProof(proof, 'The password or the code is wrong, or was used already.');
  await release();
  const at = sessions.clock.now();
  await sessions.db.asSessions((tx) => refreshAuthentication(tx, session.sessionId, at));
}

/**
 * All other sessions end. With the old password, or within minutes of an authentication; the first one needs
 * the session alone. Throws weak_password, unauthorized, reauthentication_required, rate_limited.
 */
export async function changePassword(
  sessions: OperatorSessions,
  session: OpenSession,
  given: { readonly password: string; readonly current_password?: string | undefined },
  client: Client,
): Promise<void> {
  const { db, clock, passwords } = sessions;
  const { operatorId, email, name } = session;
  if (session.hasPassword) {
    const { current_password: current } = given;
    if (current !== undefined) await reauthenticate(sessions, session, { password: current }, client);
    else if (clock.now().getTime() - session.authenticatedAt.getTime() > STEP_UP_MS)
      throw apiError('reauthentication_required');
  }
  await assertStrong(given.password, [email, name]);
  const phc = await passwords.hash(given.password, { ...client, known: true });
  const at = clock.now();
  await db.asSessions(async (tx) => {
    await setPassword(tx, operatorId, phc, at);
    await endSessions(tx, operatorId, session.sessionId, at);
  });
}

/** A secret that counts once a code of it came. Throws conflict. */
export async function beginTotp(sessions: OperatorSessions, session: OpenSession): Promise<TotpEnrolment> {
  assertMayEnrol(session);
  const secret = newTotpSecret();
  const sealed = sessions.secrets.seal(secret, operatorTotpContext(session.operatorId));
  const at = sessions.clock.now();
  if (!(await sessions.db.asSessions((tx) => setPendingTotp(tx, session.operatorId, sealed, at))))
    throw apiError('conflict', 'An authenticator app is set up already: turn it off first.');
  return totpEnrolment(secret, ISSUER, session.email);
}

/**
 * The first code turns it on: ten recovery codes, and a new token for half a session, which is whole now. All
 * other sessions end. Throws conflict, unauthorized, rate_limited.
 */
export async function confirmTotpCode(
  sessions: OperatorSessions,
  session: OpenSession,
  code: string,
  client: Client,
): Promise<{ readonly codes: string[]; readonly cookie: NewCookie | null }> {
  const { db, clock, secrets } = sessions;
  assertMayEnrol(session);
  const release = await takeFor(sessions, session, client);
  const made = newRecoveryCodes();
  const { operatorId, sessionId } = session;
  const done = await db.asSessions(async (tx) => {
    const operator = await lockOperator(tx, operatorId);
    const sealed = operator?.totpPendingSealed ?? null;
    if (operator === null || operator.totpSealed !== null || sealed === null)
      throw apiError('conflict', 'Nothing was set up to be confirmed: POST /v1/admin/operator/totp first.');
    const at = clock.now();
    const step = totpStep(secrets.open(sealed, operatorTotpContext(operatorId)), code, at);
    if (step === null) return null;
    await confirmTotp(tx, operatorId, step, at);
    await replaceRecoveryCodes(
      tx,
      operatorId,
      made.map(({ sha256 }) => sha256),
    );
    await endSessions(tx, operatorId, sessionId, at);
    await refreshAuthentication(tx, sessionId, at);
    return { cookie: session.state === 'half' ? await complete(tx, sessions, session) : null };
  });
  if (done === null) throw apiError('unauthorized', 'The code is wrong: check the clock of the device.');
  await release();
  return { codes: made.map((each) => each.code), cookie: done.cookie };
}

/** Ten new recovery codes in place of those before. Throws conflict without a second factor. */
export async function renewRecoveryCodes(
  { db }: OperatorSessions,
  { operatorId }: OpenSession,
): Promise<string[]> {
  const made = newRecoveryCodes();
  const renewed = await db.asSessions(async (tx) => {
    const operator = await lockOperator(tx, operatorId);
    if (operator === null || (operator.totpSealed === null && !operator.hasPasskeys)) return false;
    await replaceRecoveryCodes(
      tx,
      operatorId,
      made.map(({ sha256 }) => sha256),
    );
    return true;
  });
  if (!renewed) throw nothingToRecover();
  return made.map(({ code }) => code);
}

/** Throws not_found when there is nothing to turn off, conflict where operators need one. */
export async function endTotp(sessions: OperatorSessions, { operatorId }: OpenSession): Promise<void> {
  const ended = await sessions.db.asSessions(async (tx) => {
    const operator = await lockOperator(tx, operatorId);
    if (operator?.hasPasskeys !== true) {
      assertMayGoWithout(sessions);
      await replaceRecoveryCodes(tx, operatorId, []);
    }
    return dropTotp(tx, operatorId, sessions.clock.now());
  });
  if (!ended) throw apiError('not_found', 'No authenticator app is set up.');
}

/** A password alone must not add what it is then asked for. Throws unauthorized. */
export function assertMayEnrol(session: OpenSession): void {
  if (session.state === 'half' && hasSecondFactor(session))
    throw apiError(
      'unauthorized',
      'The second factor is still to come: POST /v1/admin/session/second-factor.',
    );
}

/** Before the last second factor goes. Throws conflict. */
export function assertMayGoWithout({ onLoopback }: OperatorSessions): void {
  if (!onLoopback)
    throw apiError(
      'conflict',
      'Operators of this installation need a second factor: set up another before you remove this one.',
    );
}

export async function complete(
  tx: Tx,
  { clock }: OperatorSessions,
  session: OpenSession,
): Promise<NewCookie> {
  const at = clock.now();
  const { token, sha256: tokenSha256 } = newToken();
  const expiresAt = new Date(at.getTime() + LIFETIME_MS);
  if (!(await completeSession(tx, session.sessionId, { tokenSha256, at, expiresAt })))
    throw apiError('conflict', 'This session is signed in already, or has ended.');
  return { token, expiresAt };
}

async function shows(
  sessions: OperatorSessions,
  session: OpenSession,
  proof: Proof,
  client: Client,
): Promise<boolean> {
  const { db, passwords } = sessions;
  const { operatorId } = session;
  if (proof.password !== undefined) {
    const operator = await db.asSessions((tx) => lockOperator(tx, operatorId));
    return passwords.fits(proof.password, operator?.passwordPhc ?? null, { ...client, known: true });
  }
  const shown = await showsPasskey(sessions, session, proof, client);
  return db.asSessions(async (tx) => {
    const operator = await lockOperator(tx, operatorId);
    return operator !== null && isRight(tx, sessions, operator, { ...proof, shown });
  });
}

/** The passkey that was shown; null when none was, or a wrong one. Throws conflict. */
async function showsPasskey(
  { own, passkeys }: OperatorSessions,
  { operatorId: ownerId, sessionId }: OpenSession,
  { passkey }: Proof,
  { host }: Client,
): Promise<Shown | null> {
  if (passkey === undefined) return null;
  return readShown(passkeys, own.relyingParty(host), passkey, { ownerId, sessionId });
}

/** Counts like a sign-in: who has the session has not the factor yet. Throws rate_limited. */
async function takeFor(
  sessions: OperatorSessions,
  session: OpenSession,
  client: Client,
): Promise<() => Promise<void>> {
  const { db, clock } = sessions;
  const knownNetwork = await db.asSessions((tx) => isKnown(tx, clock.now(), session, client));
  const person = emailKeyOf(session.email);
  return takeSignIn(sessions, { realm: 'admin', address: client.address, person, knownNetwork });
}

/** Spends the code: the same one is wrong from now on. */
async function isRight(
  tx: Tx,
  { secrets, clock, passkeys }: OperatorSessions,
  operator: Operator,
  proof: Proof & { readonly shown: Shown | null },
): Promise<boolean> {
  if (proof.shown !== null) return useShown(tx, passkeys, proof.shown);
  const { operatorId, totpSealed } = operator;
  if (proof.recovery_code !== undefined) {
    const sha256 = recoveryCodeSha256(proof.recovery_code);
    return sha256 !== null && spendRecoveryCode(tx, operatorId, sha256, clock.now());
  }
  if (proof.code === undefined || totpSealed === null) return false;
  const step = totpStep(secrets.open(totpSealed, operatorTotpContext(operatorId)), proof.code, clock.now());
  return step !== null && spendTotpStep(tx, operatorId, step);
}
