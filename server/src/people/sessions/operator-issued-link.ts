import { type AuditSource, appendAccountEvent } from '../../accounts/audit/append.ts';
import { apiError } from '../../errors.ts';
import { newId } from '../../platform/ids.ts';
import { readEmail } from './email.ts';
import { type MadeLink, makeLink } from './make-link.ts';
import { listMemberships, putMember } from './members-store.ts';
import { DEFAULT_TIME_ZONE } from './people.ts';
import type { PortalSessions } from './portal-sessions.ts';
import { proveAddress } from './prove-address.ts';
import type { MemberRole } from './roles.ts';
import { USERS, type User } from './user.ts';
import { insertUser } from './users-store.ts';

/**
 * A link that the operator gives to the first owner of an account, or to somebody who has lost everything.
 */

export type IssueLinkDeps = Pick<PortalSessions, 'db' | 'clock' | 'publicUrl'>;

interface IssuedLink {
  readonly user: User;
  readonly link: MadeLink;
}

/**
 * Makes a link that signs this person in once, and vouches for the address; with an account, the person has
 * that role in it from now on. Without one the person must be there already. Throws invalid_address,
 * not_found.
 */
export async function issueLink(
  deps: IssueLinkDeps,
  input: {
    email: string;
    name?: string;
    membership: { tenantId: string; role: MemberRole } | null;
  },
  source: AuditSource,
): Promise<IssuedLink> {
  const { address, key: emailKey } = readEmail(input.email);
  const at = deps.clock.now();
  const { membership, name = '' } = input;
  return deps.db.asSessions(async (tx) => {
    const personId = newId(at.getTime());
    const facts = { personId, email: address, emailKey, name, timeZone: DEFAULT_TIME_ZONE, at };
    if (membership !== null) await insertUser(tx, facts);
    const known = await USERS.findByEmail(tx, emailKey);
    if (known === null) throw apiError('not_found', `No user has the address ${address}.`);
    const user = await proveAddress(tx, known, at);
    if (membership !== null) {
      const { tenantId, role } = membership;
      if (await putMember(tx, { tenantId, userId: user.personId, role, at }))
        await appendAccountEvent(
          tx,
          tenantId,
          source,
          { action: 'hand_out_link', target: user.email, after: { role } },
          at,
        );
    }
    const link = { userId: user.personId, kind: 'sign_in', tenantId: null, mailed: false } as const;
    return { user, link: await makeLink(tx, deps, link) };
  });
}

/** Newest first; `before` is the last id of the page before. */
export function readUsers(db: IssueLinkDeps['db'], before: string | null, limit: number): Promise<User[]> {
  return db.asSessions((tx) => USERS.list(tx, before, limit));
}

/** For somebody who has lost phone, passkeys and recovery codes. Throws not_found. */
export function forgetSecondFactor(
  { db, clock }: Pick<IssueLinkDeps, 'db' | 'clock'>,
  email: string,
  source: AuditSource,
): Promise<User> {
  const { address, key } = readEmail(email);
  const at = clock.now();
  return db.asSessions(async (tx) => {
    const user = await USERS.findByEmail(tx, key);
    if (user === null) throw apiError('not_found', `No user has the address ${address}.`);
    const dropped = await USERS.dropTotp(tx, user.personId, at);
    if ((await USERS.deletePasskeys(tx, user.personId)) === 0 && !dropped) return user;
    await USERS.replaceRecoveryCodes(tx, user.personId, []);
    await USERS.endSessions(tx, user.personId, null, at);
    const entry = { action: 'forget_second_factor', target: user.email };
    for (const { tenantId } of await listMemberships(tx, user.personId))
      await appendAccountEvent(tx, tenantId, source, entry, at);
    return user;
  });
}
