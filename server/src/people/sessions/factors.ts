import { apiError } from '../../errors.ts';
import { mailWords } from './mail-words.ts';
import { tell } from './passwords-of-people.ts';
import type { Client, PortalSessions } from './portal-sessions.ts';
import { newRecoveryCodes } from './recovery-codes.ts';
import { takeFor, totpContext } from './second-factor.ts';
import { endSessions, type OpenSession, refreshAuthentication } from './sessions-store.ts';
import { recordOfPerson } from './sign-in.ts';
import { newTotpSecret, type TotpEnrolment, totpEnrolment, totpStep } from './totp.ts';
import {
  confirmTotp,
  dropTotp,
  findUser,
  lockUser,
  replaceRecoveryCodes,
  setPendingTotp,
  type User,
} from './users-store.ts';

/** Codes of an authenticator app: set up, confirmed by a first code, turned off. */

const ISSUER = 'Acuse';

/** A secret that counts once a code of it came. Throws conflict. */
export async function beginTotp(sessions: PortalSessions, session: OpenSession): Promise<TotpEnrolment> {
  const secret = newTotpSecret();
  const sealed = sessions.secrets.seal(secret, totpContext(session.userId));
  const kept = await sessions.db.asSessions((tx) =>
    setPendingTotp(tx, session.userId, sealed, sessions.clock.now()),
  );
  if (!kept) throw hasCodes();
  return totpEnrolment(secret, ISSUER, session.email);
}

/**
 * The first code turns it on; returns ten recovery codes, which are never shown again. All other sessions
 * end. Throws conflict, unauthorized, rate_limited.
 */
export async function confirmTotpCode(
  sessions: PortalSessions,
  session: OpenSession,
  code: string,
  client: Client,
): Promise<string[]> {
  const { db, clock, secrets } = sessions;
  const release = await takeFor(sessions, session, client);
  const codes = newRecoveryCodes();
  const user = await db.asSessions(async (tx) => {
    const user = await lockUser(tx, session.userId);
    if (user?.totpSealed) throw hasCodes();
    const sealed = user?.totpPendingSealed ?? null;
    if (user === null || sealed === null)
      throw apiError('conflict', 'Nothing was set up to be confirmed: POST /v1/portal/user/totp first.');
    const at = clock.now();
    const step = totpStep(secrets.open(sealed, totpContext(user.userId)), code, at);
    if (step === null || !(await confirmTotp(tx, user.userId, sealed, step, at))) return null;
    await replaceRecoveryCodes(
      tx,
      user.userId,
      codes.map(({ sha256 }) => sha256),
    );
    await endSessions(tx, user.userId, session.sessionId, at);
    await refreshAuthentication(tx, session.sessionId, at);
    await recordOfPerson(tx, sessions, user, client, 'turn_on_totp');
    return user;
  });
  if (user === null) throw apiError('unauthorized', 'The code is wrong: check the clock of the device.');
  await release();
  await tell(sessions, user, mailWords(user.locale, null).secondFactorOn());
  return codes.map(({ code }) => code);
}

/** Throws not_found when there is nothing to turn off. */
export async function endTotp(sessions: PortalSessions, session: OpenSession, client: Client): Promise<void> {
  const ended = await sessions.db.asSessions(async (tx) => {
    const before = await lockUser(tx, session.userId);
    if (!(await dropTotp(tx, session.userId, sessions.clock.now()))) return null;
    if (before?.hasPasskeys !== true) await replaceRecoveryCodes(tx, session.userId, []);
    const user = await findUser(tx, session.userId);
    const wasOn = before?.totpSealed != null;
    if (user !== null && wasOn) await recordOfPerson(tx, sessions, user, client, 'turn_off_totp');
    return { user, wasOn };
  });
  if (ended === null) throw apiError('not_found', 'No authenticator app is set up.');
  if (ended.user !== null && ended.wasOn)
    await tell(sessions, ended.user, mailWords(ended.user.locale, null).secondFactorOff());
}

/**
 * Ten new recovery codes, which are never shown again; those before are worth nothing from now on. Throws
 * conflict without a second factor.
 */
export async function renewRecoveryCodes(
  sessions: PortalSessions,
  session: OpenSession,
  client: Client,
): Promise<string[]> {
  const codes = newRecoveryCodes();
  const user = await sessions.db.asSessions(async (tx) => {
    const user = await lockUser(tx, session.userId);
    if (user === null || !isProtected(user)) return null;
    await replaceRecoveryCodes(
      tx,
      user.userId,
      codes.map(({ sha256 }) => sha256),
    );
    await recordOfPerson(tx, sessions, user, client, 'renew_recovery_codes');
    return user;
  });
  if (user === null) throw nothingToRecover();
  await tell(sessions, user, mailWords(user.locale, null).recoveryCodesRenewed());
  return codes.map(({ code }) => code);
}

/** Recovery codes stand in for a second factor: without one they are worth nothing. */
export function nothingToRecover() {
  return apiError(
    'conflict',
    'Recovery codes belong to a second factor: set up an authenticator app or a passkey first.',
  );
}

function isProtected({ totpSealed, hasPasskeys }: Pick<User, 'totpSealed' | 'hasPasskeys'>): boolean {
  return totpSealed !== null || hasPasskeys;
}

function hasCodes() {
  return apiError(
    'conflict',
    'An authenticator app is set up already: turn it off before you set up another.',
  );
}
