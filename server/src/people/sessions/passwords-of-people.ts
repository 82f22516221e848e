import { apiError } from '../../errors.ts';
import { newId } from '../../platform/ids.ts';
import { emailKeyOf } from './email.ts';
import { hasSecondFactor } from './has-second-factor.ts';
import { deleteLink, findLinkOwner, hasLinkSince, revokeAllLinks } from './links-store.ts';
import { mailWords } from './mail-words.ts';
import { makeLink } from './make-link.ts';
import { assertStrong } from './password-rules.ts';
import type { Client, PortalSessions } from './portal-sessions.ts';
import { passwordFits, takeFor } from './second-factor.ts';
import { endSessions, type OpenSession, refreshAuthentication } from './sessions-store.ts';
import { recordOfPerson, spend } from './sign-in.ts';
import { takeSignIn } from './sign-in-limits.ts';
import { assertRecentlyAuthenticated } from './step-up.ts';
import { tokenSha256 } from './tokens.ts';
import { findUser, findUserByEmail, type Locale, lockUser, setPassword, type User } from './users-store.ts';

/** A password that was forgotten, and one that is set. */

/**
 * Asked for again within this time (ms), by whomever, the link that was mailed stays the one: a person gets
 * no more mails than this allows, and each of their links is good until its end or until one of them is used.
 */
export const RESET_AGAIN_MS = 120_000;

/**
 * Asks for a link by mail. Nobody learns whether there is such a person: what is done for one is done after
 * the answer. Throws rate_limited.
 */
export async function askForReset(
  sessions: PortalSessions,
  email: string,
  client: Client,
  asked: Locale | null,
): Promise<void> {
  const { address } = client;
  // By network alone: a count by person would be there for strangers to use up. Never taken back.
  await takeSignIn(sessions, {
    realm: 'portal',
    purpose: 'reset',
    address,
    person: null,
    knownNetwork: false,
  });
  void sendReset(sessions, emailKeyOf(email), asked).catch((error: unknown) =>
    sessions.log.warn({ err: error }, 'a mail with a link for a new password was not accepted'),
  );
}

async function sendReset(sessions: PortalSessions, emailKey: string, asked: Locale | null): Promise<void> {
  const { db, mail } = sessions;
  if (mail === null) return;
  const made = await db.asSessions(async (tx) => {
    const found = await findUserByEmail(tx, emailKey);
    const user = found === null ? null : await lockUser(tx, found.userId);
    if (user === null) return null;
    const since = new Date(sessions.clock.now().getTime() - RESET_AGAIN_MS);
    if (await hasLinkSince(tx, user.userId, 'password_reset', since)) return null;
    const link = { userId: user.userId, kind: 'password_reset', tenantId: null, mailed: true } as const;
    return { user, link: await makeLink(tx, sessions, link) };
  });
  if (made === null) return;
  const words = mailWords(made.user.locale, asked).passwordReset(made.link.url);
  const sent = await mail.send({ to: made.user.email, ...words, key: `reset-${made.link.linkId}` });
  if (sent) return;
  await db.asSessions((tx) => deleteLink(tx, made.link.linkId));
  throw new Error('there is no way to send mail to this address now');
}

export interface NewPassword {
  readonly password: string;
  readonly current_password?: string | undefined;
  readonly link?: string | undefined;
}

/** Sets it with a link's secret. Every session ends. Throws invalid_link, weak_password, unavailable. */
export async function setPasswordByLink(
  sessions: PortalSessions,
  secret: string,
  password: string,
  client: Client,
): Promise<void> {
  const { db, clock, passwords } = sessions;
  const sha256 = tokenSha256(secret);
  const owner = await db.asSessions(async (tx) => {
    const userId = sha256 === null ? null : await findLinkOwner(tx, sha256, clock.now());
    return userId === null ? null : findUser(tx, userId);
  });
  if (owner === null) throw apiError('invalid_link');
  // Before the link is spent: a password that is refused can be corrected.
  await assertStrong(password, [owner.email, owner.name]);
  const phc = await passwords.hash(password, { ...client, known: true });
  const user = await db.asSessions(async (tx) => {
    const { user } = await spend(tx, sessions, secret, ['password_reset']);
    const at = clock.now();
    await setPassword(tx, user.userId, phc, at);
    await endSessions(tx, user.userId, null, at);
    await revokeAllLinks(tx, user.userId, ['password_reset', 'sign_in']);
    await recordOfPerson(tx, sessions, user, client, 'set_password');
    return user;
  });
  await tellOfPassword(sessions, user);
}

/**
 * Sets it in a session: with the current password, soon after an authentication, or the first one of somebody
 * who has nothing else. All other sessions end. Throws unauthorized, reauthentication_required,
 * weak_password, rate_limited, unavailable.
 */
export async function setOwnPassword(
  sessions: PortalSessions,
  session: OpenSession,
  { password, current_password: current }: NewPassword,
  client: Client,
): Promise<void> {
  const { db, clock, passwords } = sessions;
  await assertStrong(password, [session.email, session.name]);
  if (current !== undefined) {
    const release = await takeFor(sessions, session, client);
    if (!(await passwordFits(sessions, session.userId, current, client)))
      throw apiError('unauthorized', 'The current password is wrong.');
    await release();
  } else if (session.hasPassword || hasSecondFactor(session))
    assertRecentlyAuthenticated(session.authenticatedAt, clock.now());
  const phc = await passwords.hash(password, { ...client, known: true });
  const user = await db.asSessions(async (tx) => {
    const user = await lockUser(tx, session.userId);
    if (user === null) throw apiError('unauthorized');
    const at = clock.now();
    await setPassword(tx, user.userId, phc, at);
    await endSessions(tx, user.userId, session.sessionId, at);
    await refreshAuthentication(tx, session.sessionId, at);
    await revokeAllLinks(tx, user.userId, ['password_reset', 'sign_in']);
    await recordOfPerson(tx, sessions, user, client, 'set_password');
    return user;
  });
  if (session.hasPassword) await tellOfPassword(sessions, user);
}

async function tellOfPassword(sessions: PortalSessions, user: User): Promise<void> {
  await tell(sessions, user, mailWords(user.locale, null).passwordChanged());
}

/** A notice that changes nothing: its failure is nobody's but the log's. */
export async function tell(
  { mail, log }: Pick<PortalSessions, 'mail' | 'log'>,
  user: Pick<User, 'userId' | 'email'>,
  words: { subject: string; text: string },
): Promise<void> {
  try {
    await mail?.send({ to: user.email, ...words, key: `notice-${newId()}` });
  } catch (error) {
    log.warn({ err: error, userId: user.userId }, 'a notice to a person was not accepted');
  }
}
