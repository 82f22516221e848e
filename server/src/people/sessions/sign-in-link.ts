import { apiError } from '../../errors.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { Client } from './client.ts';
import { type LinkRow, spendLink } from './links-store.ts';
import { acceptMember } from './members-store.ts';
import type { LinkKind } from './one-time-link.ts';
import { type OpenedSession, openSession } from './open-session.ts';
import type { PortalSessions } from './portal-sessions.ts';
import { proveAddress } from './prove-address.ts';
import { assertReplaces } from './sign-in.ts';
import { tokenSha256 } from './tokens.ts';
import { USERS, type User } from './user.ts';

/** Sign-in to the portal by a link that is valid once. */

const OPENING_LINKS: readonly LinkKind[] = ['sign_in', 'invitation'];

/**
 * Spends a link. It replaces the session of another person only if that is meant: its sender may want the
 * next actions to be done as somebody else. Throws invalid_link, conflict.
 */
export function signInWithLink(
  sessions: PortalSessions,
  { link: secret, replaces }: { readonly link: string; readonly replaces: boolean },
  client: Client,
  previousToken: string | null,
): Promise<OpenedSession<User>> {
  return sessions.db.asSessions(async (tx) => {
    const { user, link } = await spend(tx, sessions, secret, OPENING_LINKS);
    if (!replaces) await assertReplaces(tx, sessions, user, previousToken);
    if (
      link.tenantId !== null &&
      !(await acceptMember(tx, link.tenantId, user.personId, sessions.clock.now()))
    )
      throw apiError('invalid_link');
    const opened = await openSession(tx, sessions, user, { client, previousToken });
    if (opened.state === 'signed_in') await sessions.kind.record(tx, user, client, 'sign_in');
    return opened;
  });
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
  const user = link === null ? null : await USERS.lockPerson(tx, link.userId);
  if (link === null || user === null) throw apiError('invalid_link');
  return { user: link.mailed ? await proveAddress(tx, user, at) : user, link };
}
