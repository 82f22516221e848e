import { type AuditEntry, type AuditSource, appendAccountEvent } from '../../accounts/audit/append.ts';
import { apiError } from '../../errors.ts';
import type { Tx } from '../../platform/database/db.ts';
import { networkOf } from '../../platform/network/network.ts';
import { emailKeyOf } from './email.ts';
import { type LinkRow, spendLink } from './links-store.ts';
import { acceptMember, listMemberships } from './members-store.ts';
import type { LinkKind } from './one-time-link.ts';
import { findByToken, type OpenedSession, openSession, wrongCredentials } from './open-session.ts';
import { type Answered, readShown, useShown, wrongPasskey } from './passkeys.ts';
import { type Client, KNOWN_NETWORK_MS, type PortalSessions } from './portal-sessions.ts';
import { proveAddress } from './prove-address.ts';
import { isKnownNetwork } from './sessions-store.ts';
import { takeSignIn } from './sign-in-limits.ts';
import { tokenSha256 } from './tokens.ts';
import { findUserByEmail, lockUser, type User } from './users-store.ts';
import type { GivenAssertion } from './webauthn.ts';

/** The first factor, a password or a link that is good once; or a passkey, which is both. */

/** Throws unauthorized, rate_limited, unavailable. */
export async function signInWithPassword(
  sessions: PortalSessions,
  { email, password }: { email: string; password: string },
  client: Client,
  previousToken: string | null,
): Promise<OpenedSession> {
  const { db, passwords } = sessions;
  const key = emailKeyOf(email);
  const { user, knownNetwork } = await db.asSessions((tx) => findForSignIn(tx, sessions, key, client));
  const attempt = { realm: 'portal', address: client.address, person: key, knownNetwork } as const;
  const release = await takeSignIn(sessions, attempt);
  const fits = await passwords
    .fits(password, user?.passwordPhc ?? null, { ...client, known: knownNetwork })
    .catch(async (error: unknown) => {
      await release();
      throw error;
    });
  if (!fits || user === null) throw wrongCredentials();
  await release();
  return db.asSessions(async (tx) => {
    const current = await lockUser(tx, user.userId);
    // Changed while the old one was looked at: it opens nothing any more.
    if (current === null || current.passwordPhc !== user.passwordPhc) throw wrongCredentials();
    const opened = await openSession(tx, sessions, current, { client, previousToken });
    if (opened.state === 'signed_in') await recordOfPerson(tx, sessions, current, client, 'sign_in');
    return opened;
  });
}

export async function findForSignIn(
  tx: Tx,
  { clock }: Pick<PortalSessions, 'clock'>,
  emailKey: string,
  client: Pick<Client, 'address'>,
): Promise<{ user: User | null; knownNetwork: boolean }> {
  const user = await findUserByEmail(tx, emailKey);
  const since = new Date(clock.now().getTime() - KNOWN_NETWORK_MS);
  const network = networkOf(client.address);
  return { user, knownNetwork: user !== null && (await isKnownNetwork(tx, user.userId, network, since)) };
}

/** A link of another person than the one whose session is open. */
export function ofAnother(open: string, linked: string) {
  return apiError(
    'conflict',
    `You are signed in as ${open}, and this link signs in ${linked}. Continue only if you are ${linked}: the open session ends.`,
  );
}

const OPENING_LINKS: readonly LinkKind[] = ['sign_in', 'invitation'];

/**
 * Spends a link. One that would replace the session of another person is not spent unless that is meant:
 * whoever sent it may want what is done next to be done as somebody else. Throws invalid_link, conflict.
 */
export function signInWithLink(
  sessions: PortalSessions,
  { link: secret, replaces }: { readonly link: string; readonly replaces: boolean },
  client: Client,
  previousToken: string | null,
): Promise<OpenedSession> {
  return sessions.db.asSessions(async (tx) => {
    const { user, link } = await spend(tx, sessions, secret, OPENING_LINKS);
    const at = sessions.clock.now();
    const open = replaces ? null : await findByToken(tx, previousToken, at);
    if (open !== null && open.userId !== user.userId) throw ofAnother(open.email, user.email);
    if (link.tenantId !== null && !(await acceptMember(tx, link.tenantId, user.userId, at)))
      throw apiError('invalid_link');
    const opened = await openSession(tx, sessions, user, { client, previousToken });
    if (opened.state === 'signed_in') await recordOfPerson(tx, sessions, user, client, 'sign_in');
    return opened;
  });
}

/**
 * Opens a session by a passkey alone: its owner was there, and unlocked it. Throws conflict, unauthorized,
 * rate_limited.
 */
export async function signInWithPasskey(
  sessions: PortalSessions,
  given: Answered<GivenAssertion>,
  client: Client,
  previousToken: string | null,
): Promise<OpenedSession> {
  const { db, own, passkeys } = sessions;
  const party = own.relyingParty(client.host);
  const attempt = { realm: 'portal', address: client.address, person: null, knownNetwork: false } as const;
  const release = await takeSignIn(sessions, attempt);
  const shown = await readShown(passkeys, party, given, null);
  if (shown === null) throw wrongPasskey();
  const opened = await db.asSessions(async (tx) => {
    const user = await lockUser(tx, shown.passkey.ownerId);
    if (user === null || !(await useShown(tx, passkeys, shown))) throw wrongPasskey();
    await recordOfPerson(tx, sessions, user, client, { action: 'sign_in', after: { by: 'passkey' } });
    return openSession(tx, sessions, user, { client, previousToken, whole: true });
  });
  await release();
  return opened;
}

/** Takes a link's secret once. A link that was mailed proves the address. Throws invalid_link. */
export async function spend(
  tx: Tx,
  { clock }: Pick<PortalSessions, 'clock'>,
  secret: string,
  kinds: readonly LinkKind[],
): Promise<{ user: User; link: LinkRow }> {
  const at = clock.now();
  const sha256 = tokenSha256(secret);
  const link = sha256 === null ? null : await spendLink(tx, sha256, kinds, at);
  const user = link === null ? null : await lockUser(tx, link.userId);
  if (link === null || user === null) throw apiError('invalid_link');
  return { user: link.mailed ? await proveAddress(tx, user, at) : user, link };
}

/** Something that a person did to what they sign in with: each of their accounts sees it. */
export async function recordOfPerson(
  tx: Tx,
  { clock }: Pick<PortalSessions, 'clock'>,
  person: Pick<User, 'userId' | 'email' | 'name'>,
  client: Client,
  what: string | AuditEntry,
): Promise<void> {
  const entry = typeof what === 'string' ? { action: what } : what;
  for (const { tenantId } of await listMemberships(tx, person.userId))
    await appendAccountEvent(tx, tenantId, sourceOf(person, client), entry, clock.now());
}

export function sourceOf(person: Pick<User, 'userId' | 'email' | 'name'>, client: Client): AuditSource {
  return {
    kind: 'user',
    id: person.userId,
    name: nameOf(person),
    clientAddress: client.address,
    requestId: client.requestId,
  };
}

/** As records show a person. */
export function nameOf({ name, email }: Pick<User, 'name' | 'email'>): string {
  return name === '' ? email : name;
}
