import type { Tx } from '../../platform/database/db.ts';
import { changed, first } from '../../platform/database/rows.ts';
import type { MemberRole } from './roles.ts';

export interface Membership {
  readonly tenantId: string;
  readonly accountName: string;
  readonly status: 'active' | 'suspended' | 'deactivated';
  readonly sandbox: boolean;
  readonly role: MemberRole;
  readonly requiresSecondFactor: boolean;
}

export interface Member {
  /** The id that the account sees: the person's, or the invitation's until that is accepted. */
  readonly id: string;
  readonly userId: string;
  /** As the inviter wrote it until then. */
  readonly email: string;
  readonly name: string;
  readonly role: MemberRole;
  readonly createdAt: Date;
  readonly acceptedAt: Date | null;
  readonly hasSecondFactor: boolean;
  readonly emailProvenAt: Date | null;
  /** When the invitation's link expires; null: there is none. */
  readonly invitedUntil: Date | null;
}

/** Accounts that a person may be in at once, as a sign-in reads them. */
const MEMBERSHIPS_MAX = 500;

export function listMemberships(tx: Tx, userId: string): Promise<Membership[]> {
  return tx.query<Membership>(
    `select m.tenant_id as "tenantId", t.name as "accountName", t.status, t.sandbox, m.role,
       coalesce(a.require_second_factor, false) as "requiresSecondFactor"
     from members m join tenants t on t.tenant_id = m.tenant_id
       left join account_settings a on a.tenant_id = m.tenant_id
     where m.user_id = $1 and m.accepted_at is not null
     order by m.created_at, m.tenant_id limit ${MEMBERSHIPS_MAX}`,
    [userId],
    'list_memberships',
  );
}

/**
 * The shown id of an invitation, which does not reveal who has the address: a UUIDv7 of when it was made, its
 * random part a hash. RFC 9562 §5.7
 */
const SHOWN_ID = `case when m.accepted_at is not null then m.user_id else
  (select lpad(to_hex(floor(extract(epoch from m.created_at) * 1000)::bigint), 12, '0')
     || '7' || substr(h.hash, 1, 3) || '8' || substr(h.hash, 4, 15)
   from (select encode(sha256(convert_to('invitation ' || m.tenant_id || ' ' || m.user_id, 'UTF8')), 'hex')
     as hash) h)::uuid end`;

const MEMBER = `${SHOWN_ID} as id, m.user_id as "userId", u.name,
  case when m.accepted_at is null then coalesce(m.invited_as, u.email_key) else u.email end as email, m.role, m.created_at as "createdAt",
  m.accepted_at as "acceptedAt", u.totp_sealed is not null
    or exists (select 1 from passkeys p where p.user_id = u.user_id) as "hasSecondFactor",
  u.email_proven_at as "emailProvenAt", (select max(l.expires_at) from one_time_links l
    where l.user_id = m.user_id and l.kind = 'invitation' and l.tenant_id = m.tenant_id
      and l.spent_at is null and m.accepted_at is null) as "invitedUntil"`;

/** Newest first by the id that is shown; `before` is the last id of the page before. */
export function listMembers(
  tx: Tx,
  tenantId: string,
  before: string | null,
  limit: number,
): Promise<Member[]> {
  return tx.query<Member>(
    `select ${MEMBER} from members m join users u on u.user_id = m.user_id
     where m.tenant_id = $1 and ($2::uuid is null or ${SHOWN_ID} < $2)
     order by 1 desc limit $3`,
    [tenantId, before, limit],
  );
}

/** `id`: the shown one. */
export function findMember(tx: Tx, tenantId: string, id: string): Promise<Member | null> {
  return first<Member>(
    tx,
    `select ${MEMBER} from members m join users u on u.user_id = m.user_id
     where m.tenant_id = $1 and ${SHOWN_ID} = $2`,
    [tenantId, id],
  );
}

export function findMemberOfUser(tx: Tx, tenantId: string, userId: string): Promise<Member | null> {
  return first<Member>(
    tx,
    `select ${MEMBER} from members m join users u on u.user_id = m.user_id
     where m.tenant_id = $1 and m.user_id = $2`,
    [tenantId, userId],
  );
}

export async function hasMembers(tx: Tx, tenantId: string, count: number): Promise<boolean> {
  const rows = await tx.query('select from members where tenant_id = $1 limit $2', [tenantId, count]);
  return rows.length >= count;
}

/** Invites, or invites again with another role; false for somebody who belongs to the account already. */
export async function inviteMember(
  tx: Tx,
  member: {
    tenantId: string;
    userId: string;
    invitedAs: string;
    role: MemberRole;
    at: Date;
    acceptedAt: Date | null;
  },
): Promise<boolean> {
  const changed = await tx.execute(
    `insert into members as m (tenant_id, user_id, role, created_at, accepted_at, invited_as)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (tenant_id, user_id) do update set role = excluded.role, accepted_at = excluded.accepted_at,
       invited_as = excluded.invited_as
     where m.accepted_at is null`,
    [member.tenantId, member.userId, member.role, member.at, member.acceptedAt, member.invitedAs],
  );
  if (changed === 1) noteMember(tx, member.tenantId, member.userId, member.role);
  return changed === 1;
}

/** Makes a person a member with this role, whatever they were; false when nothing had to change. */
export async function putMember(
  tx: Tx,
  member: { tenantId: string; userId: string; role: MemberRole; at: Date },
): Promise<boolean> {
  const changed = await tx.execute(
    `insert into members as m (tenant_id, user_id, role, created_at, accepted_at)
     values ($1, $2, $3, $4, $4)
     on conflict (tenant_id, user_id) do update set role = excluded.role,
       accepted_at = coalesce(m.accepted_at, excluded.accepted_at)
     where m.role <> excluded.role or m.accepted_at is null`,
    [member.tenantId, member.userId, member.role, member.at],
  );
  if (changed === 1) noteMember(tx, member.tenantId, member.userId, member.role);
  return changed === 1;
}

export function acceptMember(tx: Tx, tenantId: string, userId: string, at: Date): Promise<boolean> {
  return changed(
    tx,
    'update members set accepted_at = coalesce(accepted_at, $3) where tenant_id = $1 and user_id = $2',
    [tenantId, userId, at],
  );
}

/**
 * The owners who may act, held until this transaction ends: of two that take the last two away at once, the
 * second sees what the first did.
 */
export async function lockOwners(tx: Tx, tenantId: string): Promise<string[]> {
  const rows = await tx.query<{ userId: string }>(
    `select user_id as "userId" from members
     where tenant_id = $1 and role = 'owner' and accepted_at is not null
     order by user_id for update`,
    [tenantId],
  );
  return rows.map(({ userId }) => userId);
}

export async function changeRole(
  tx: Tx,
  tenantId: string,
  userId: string,
  role: MemberRole,
): Promise<boolean> {
  const changed = await tx.execute('update members set role = $3 where tenant_id = $1 and user_id = $2', [
    tenantId,
    userId,
    role,
  ]);
  if (changed === 1) noteMember(tx, tenantId, userId, role);
  return changed === 1;
}

/** A new membership after a removal is noted too: the last note about a person holds. */
function noteMember(tx: Tx, tenantId: string, userId: string, role: MemberRole | null): void {
  tx.note({ kind: 'member', tenant_id: tenantId, user_id: userId, role });
}

export async function deleteMember(tx: Tx, tenantId: string, userId: string): Promise<boolean> {
  const gone = await tx.execute('delete from members where tenant_id = $1 and user_id = $2', [
    tenantId,
    userId,
  ]);
  if (gone === 1) noteMember(tx, tenantId, userId, null);
  return gone === 1;
}

/** The address that was invited; null where nobody waits to be accepted. */
export async function deleteInvitation(tx: Tx, tenantId: string, userId: string): Promise<string | null> {
  const rows = await tx.query<{ email: string }>(
    `delete from members m using users u
     where m.tenant_id = $1 and m.user_id = $2 and m.accepted_at is null and u.user_id = m.user_id
     returning coalesce(m.invited_as, u.email_key) as email`,
    [tenantId, userId],
  );
  if (rows.length === 1) noteMember(tx, tenantId, userId, null);
  return rows[0]?.email ?? null;
}

/** True for a person who never signed in and whom no other account has invited. */
export async function isUntouched(tx: Tx, userId: string, tenantId: string): Promise<boolean> {
  const [row] = await tx.query<{ untouched: boolean }>(
    `select not exists (select 1 from members where user_id = $1 and tenant_id <> $2)
       and not exists (select 1 from members where user_id = $1 and accepted_at is not null)
       and not exists (select 1 from user_sessions where user_id = $1) as untouched`,
    [userId, tenantId],
  );
  return row!.untouched;
}
