import { appendAccountEvent } from '../../accounts/audit/append.ts';
import { apiError } from '../../errors.ts';
import type { Tx } from '../../platform/database/db.ts';
import { type Page, toPage } from '../../platform/http/page.ts';
import { isId, newId } from '../../platform/ids.ts';
import type { Client } from './client.ts';
import { type EmailAddress, readEmail } from './email.ts';
import { harmlessName } from './harmless-name.ts';
import { hasSecondFactor } from './has-second-factor.ts';
import { takeInvitation } from './invitation-limits.ts';
import { revokeLinks } from './links-store.ts';
import { mailWords } from './mail-words.ts';
import { type MadeLink, makeLink } from './make-link.ts';
import {
  changeRole,
  deleteMember,
  findMember,
  findMemberOfUser,
  hasMembers,
  inviteMember,
  isUntouched,
  listMembers,
  lockOwners,
  type Member,
} from './members-store.ts';
import type { Locale } from './person.ts';
import { LINK_PAGES, type PortalSessions, REFUSAL_PAGE } from './portal-sessions.ts';
import { sourceOf } from './record.ts';
import type { MemberRole } from './roles.ts';
import type { PortalSession } from './session-door.ts';
import { USERS, type User } from './user.ts';
import { insertUser } from './users-store.ts';

/** The people of an account: invited, given another role, removed. */

const MEMBERS_MAX = 500;
/** Until a person chooses another. */
export const DEFAULT_TIME_ZONE = 'America/Mexico_City';

export interface Doing {
  readonly tenantId: string;
  readonly accountName: string;
  readonly session: PortalSession;
  readonly client: Client;
}

export interface Invited {
  readonly member: Member;
  /** To be handed over; null if it was mailed, or none is needed. */
  readonly link: MadeLink | null;
}

export async function readMembers<Item>(
  { db }: Pick<PortalSessions, 'db'>,
  tenantId: string,
  page: Page,
  present: (member: Member) => Item,
) {
  const rows = await db.asSessions((tx) => listMembers(tx, tenantId, page.afterId, page.fetch));
  return toPage(rows, page, ({ id }) => id, present);
}

/**
 * Invites an address, again if the person has not accepted yet. The link is mailed; without mail the inviter
 * gets it, but only for a new person: a link to somebody else's user would open all of their accounts. Throws
 * invalid_address, conflict.
 */
export async function invite(
  sessions: PortalSessions,
  doing: Doing,
  { email, role }: { email: string; role: MemberRole },
  asked: Locale | null,
): Promise<Invited> {
  const address = readEmail(email);
  const { db, mail } = sessions;
  const made = await db.asSessions((tx) => storeInvitation(tx, sessions, doing, { address, role }));
  if (made.link === null || mail === null) return made;
  const words = mailWords(made.user.locale, asked).invitation({
    account: harmlessName(doing.accountName),
    inviter: doing.session.email,
    url: made.link.url,
    refusalUrl: made.link.url.replace(LINK_PAGES.invitation, REFUSAL_PAGE),
  });
  const sent = await mail.send({ to: made.user.email, ...words, key: `invitation-${made.link.linkId}` });
  if (sent) return { member: made.member, link: null };
  if (!made.isNew)
    throw apiError(
      'conflict',
      'The invitation was stored, but no mail could be sent to this address now: check why with the operator and invite again.',
    );
  const again = {
    userId: made.user.personId,
    kind: 'invitation',
    tenantId: doing.tenantId,
    mailed: false,
  } as const;
  return { member: made.member, link: await db.asSessions((tx) => makeLink(tx, sessions, again)) };
}

interface StoredInvitation extends Invited {
  readonly user: User;
  /** The person is new to this installation. */
  readonly isNew: boolean;
}

async function storeInvitation(
  tx: Tx,
  sessions: PortalSessions,
  doing: Doing,
  { address, role }: { address: EmailAddress; role: MemberRole },
): Promise<StoredInvitation> {
  const { tenantId } = doing;
  const { address: invitedAs } = address;
  const at = sessions.clock.now();
  if (await hasMembers(tx, tenantId, MEMBERS_MAX))
    throw apiError('conflict', `Limit of ${MEMBERS_MAX} people per account reached: remove somebody first.`);
  await takeInvitation(tx, {
    tenantId,
    userId: doing.session.personId,
    recipient: address.key,
    address: invitedAs,
    at,
  });
  const { user, isNew } = await findOrMakeUser(tx, sessions, tenantId, address);
  const mailed = sessions.mail !== null;
  if (!isNew && !mailed && user.emailProvenAt === null)
    throw apiError(
      'conflict',
      'This address has a user already, and nobody has proven to own the address. Ask the operator for a link (acuse users link), or to set ACUSE_SYSTEM_SENDER.',
    );
  // A proven address joins at once: it needs no link, and without mail none can reach it.
  const acceptedAt = !isNew && !mailed ? at : null;
  if (!(await inviteMember(tx, { tenantId, userId: user.personId, invitedAs, role, at, acceptedAt })))
    throw apiError('conflict', `${invitedAs} belongs to this account already.`);
  const link =
    acceptedAt === null
      ? await makeLink(tx, sessions, { userId: user.personId, kind: 'invitation', tenantId, mailed })
      : null;
  const entry = { action: 'invite_member', target: invitedAs, after: { role } };
  await appendAccountEvent(tx, tenantId, sourceOf(doing.session, doing.client), entry, at);
  return { member: (await findMemberOfUser(tx, tenantId, user.personId))!, link, user, isNew };
}

async function findOrMakeUser(
  tx: Tx,
  { clock }: PortalSessions,
  tenantId: string,
  address: EmailAddress,
): Promise<{ user: User; isNew: boolean }> {
  const at = clock.now();
  const made = await insertUser(tx, {
    personId: newId(at.getTime()),
    email: address.address,
    emailKey: address.key,
    name: '',
    timeZone: DEFAULT_TIME_ZONE,
    at,
  });
  const known = await USERS.findByEmail(tx, address.key);
  if (known === null) throw apiError('conflict', 'Somebody changed this person at the same time: try again.');
  return { user: known, isNew: made || (await isOnlyInvitedHere(tx, known, tenantId)) };
}

/** Invited by this account alone, and never signed in: as good as new. */
async function isOnlyInvitedHere(tx: Tx, user: User, tenantId: string): Promise<boolean> {
  if (user.emailProvenAt !== null || user.passwordPhc !== null || hasSecondFactor(user)) return false;
  return await isUntouched(tx, user.personId, tenantId);
}

export async function changeMember(
  sessions: PortalSessions,
  doing: Doing,
  id: string,
  role: MemberRole,
): Promise<Member> {
  const { tenantId } = doing;
  return sessions.db.asSessions(async (tx) => {
    const member = await requireMember(tx, tenantId, id, role !== 'owner');
    await changeRole(tx, tenantId, member.userId, role);
    const entry = {
      action: 'change_member',
      target: member.email,
      before: { role: member.role },
      after: { role },
    };
    await appendAccountEvent(
      tx,
      tenantId,
      sourceOf(doing.session, doing.client),
      entry,
      sessions.clock.now(),
    );
    return { ...member, role };
  });
}

/** Takes effect with the person's next request. Throws not_found, conflict. */
export async function removeMember(sessions: PortalSessions, doing: Doing, id: string): Promise<void> {
  const { tenantId } = doing;
  await sessions.db.asSessions(async (tx) => {
    const member = await requireMember(tx, tenantId, id, true);
    const { userId } = member;
    const at = sessions.clock.now();
    await deleteMember(tx, tenantId, userId);
    await revokeLinks(tx, userId, 'invitation', tenantId, at);
    const entry = { action: 'remove_member', target: member.email, before: { role: member.role } };
    await appendAccountEvent(tx, tenantId, sourceOf(doing.session, doing.client), entry, at);
  });
}

/** `losesOwner`: an owner would not be one afterwards. Throws not_found, conflict. */
async function requireMember(tx: Tx, tenantId: string, id: string, losesOwner: boolean): Promise<Member> {
  const owners = losesOwner ? await lockOwners(tx, tenantId) : [];
  const member = isId(id) ? await findMember(tx, tenantId, id) : null;
  if (member === null) throw apiError('not_found');
  if (owners.length === 1 && owners[0] === member.userId)
    throw apiError(
      'conflict',
      'This is the last owner of the account, who can be neither removed nor given another role: make somebody else an owner first.',
    );
  return member;
}
