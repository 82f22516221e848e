import { apiError } from '../../errors.ts';
import type { Client } from './client.ts';
import { emailKeyOf } from './email.ts';
import { deleteLink, findLinkOwner, hasLinkSince } from './links-store.ts';
import { mailWords } from './mail-words.ts';
import { makeLink } from './make-link.ts';
import { assertStrong } from './password-rules.ts';
import type { Locale } from './person.ts';
import type { PortalSessions } from './portal-sessions.ts';
import { takeSignIn } from './sign-in-limits.ts';
import { spend } from './sign-in-link.ts';
import { tokenSha256 } from './tokens.ts';
import { USERS } from './user.ts';

/** A password that was forgotten: asked for by mail, and set with the link. */

/**
 * Within this time (ms) a repeated request, by anybody, mails no new link. So a person gets no more mails
 * than this allows, and each link works until it expires or one of them is used.
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
  // Counted by network alone: strangers could use up a count by person. Never given back.
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
    const found = await USERS.findByEmail(tx, emailKey);
    const user = found === null ? null : await USERS.lockPerson(tx, found.personId);
    if (user === null) return null;
    const since = new Date(sessions.clock.now().getTime() - RESET_AGAIN_MS);
    if (await hasLinkSince(tx, user.personId, 'password_reset', since)) return null;
    const link = { userId: user.personId, kind: 'password_reset', tenantId: null, mailed: true } as const;
    return { user, link: await makeLink(tx, sessions, link) };
  });
  if (made === null) return;
  const words = mailWords(made.user.locale, asked).passwordReset(made.link.url);
  const sent = await mail.send({ to: made.user.email, ...words, key: `reset-${made.link.linkId}` });
  if (sent) return;
  await db.asSessions((tx) => deleteLink(tx, made.link.linkId));
  throw new Error('there is no way to send mail to this address now');
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
    return userId === null ? null : USERS.find(tx, userId);
  });
  if (owner === null) throw apiError('invalid_link');
  // Before the link is spent: a password that is refused can be corrected.
  await assertStrong(password, [owner.email, owner.name]);
  const phc = await passwords.hash(password, { ...client, known: true });
  const user = await db.asSessions(async (tx) => {
    const { user } = await spend(tx, sessions, secret, ['password_reset']);
    const at = clock.now();
    await USERS.setPassword(tx, user.personId, phc, at);
    await USERS.endSessions(tx, user.personId, null, at);
    await sessions.kind.dropLinks(tx, user.personId, at);
    await sessions.kind.record(tx, user, client, 'set_password');
    return user;
  });
  await sessions.kind.tell(user, (words) => words.passwordChanged());
}
