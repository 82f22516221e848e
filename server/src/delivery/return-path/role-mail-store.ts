import type { Queryable, Tx } from '../../platform/database/db.ts';
import { changed } from '../../platform/database/rows.ts';
import type { CreatedRange, IdRange } from '../../platform/http/created-query.ts';
import type { Role } from './role-address.ts';

export const ROLE_MAIL_KINDS = ['complaint', 'report', 'automatic', 'letter'] as const;
export type RoleMailKind = (typeof ROLE_MAIL_KINDS)[number];
/** Why a complaint, a read receipt, or what came as a domain's report, was not counted. */
export const ROLE_MAIL_PROBLEMS = [
  'no_message',
  'not_authentic',
  'not_an_objection',
  'sender_not_proven',
  'not_a_report',
  'not_our_domain',
] as const;
export type RoleMailProblem = (typeof ROLE_MAIL_PROBLEMS)[number];

export interface RoleMail {
  readonly roleMailId: string;
  readonly role: Role;
  readonly kind: RoleMailKind;
  readonly problem: RoleMailProblem | null;
  readonly forwardPath: string;
  readonly reversePath: string;
  readonly clientAddress: string;
  readonly from: string;
  readonly subject: string;
  readonly excerpt: string;
  readonly messageId: string | null;
  readonly sizeBytes: number;
  readonly receivedAt: Date;
}

const COLUMNS = `role_mail_id as "roleMailId", role, kind, problem, forward_path as "forwardPath",
  reverse_path as "reversePath", client_address as "clientAddress", from_text as "from", subject, excerpt,
  message_id as "messageId", size_bytes as "sizeBytes", received_at as "receivedAt"`;

/** Mails in an hour of one client and of its network; counted complaints are exempt. */
export const CLIENT_MAX_AN_HOUR = 100;
export const NETWORK_MAX_AN_HOUR = 300;
/** Mails kept of each kind, so that a flood of letters displaces no complaint. */
export const KEPT_MAX = 2_000;
const KEPT_DAYS = 90;

/** The /24 or /48 of an address: as the outermost of holdersOf (platform/network/network.ts). */
const networkSql = (address: string) =>
  `case when ${address} ~ '^(::ffff:)?[0-9.]+$' then regexp_replace(${address}, '^(::ffff:)?(.*)[.][0-9]+$', '\\2')
        when ${address} ~ '^[0-9a-fA-F:]+$' then host(network(set_masklen(${address}::inet, 48)))
        else ${address} end`;

/**
 * False: over the limit of the client or its network. Duplicates are kept once. When full, the network with
 * most loses its oldest, so that a flood displaces only itself.
 */
export async function insertRoleMail(
  tx: Tx,
  mail: RoleMail,
  { raw, sha256 }: { raw: Uint8Array; sha256: Uint8Array },
): Promise<boolean> {
  const [row] = await tx.query<{ many: boolean }>(
    `select count(*) filter (where client_address = $1) >= ${CLIENT_MAX_AN_HOUR}
         or count(*) >= ${NETWORK_MAX_AN_HOUR} as many
       from role_mails
      where received_at > $2::timestamptz - interval '1 hour'
        and ${networkSql('client_address')} = ${networkSql('$1')}`,
    [mail.clientAddress, mail.receivedAt.toISOString()],
  );
  if (row?.many === true) return false;
  await tx.execute(
    `insert into role_mails (role_mail_id, role, kind, problem, forward_path, reverse_path, client_address,
       from_text, subject, excerpt, message_id, size_bytes, received_at, raw, sha256)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
         on conflict (sha256) do nothing`,
    [
      ...[mail.roleMailId, mail.role, mail.kind, mail.problem, mail.forwardPath, mail.reversePath],
      ...[mail.clientAddress, mail.from, mail.subject, mail.excerpt, mail.messageId, mail.sizeBytes],
      ...[mail.receivedAt.toISOString(), Buffer.from(raw), Buffer.from(sha256)],
    ],
  );
  const { receivedAt, kind } = mail;
  await tx.execute(
    `delete from role_mails where received_at < $1::timestamptz - interval '${KEPT_DAYS} days'`,
    [receivedAt.toISOString()],
  );
  const [kept] = await tx.query<{ count: number }>(
    'select count(*)::integer as count from role_mails where kind = $1',
    [kind],
  );
  if (kept!.count > KEPT_MAX) await deleteBeyond(tx, kind);
  return true;
}

async function deleteBeyond(tx: Tx, kind: RoleMailKind): Promise<void> {
  await tx.execute(
    `delete from role_mails where role_mail_id in (
       select role_mail_id from (
         select role_mail_id, row_number() over (order by turn, role_mail_id desc) as place
           from (select role_mail_id, row_number() over (
                        partition by ${networkSql('client_address')} order by role_mail_id desc) as turn
                   from role_mails where kind = $1) own) kept
        where place > ${KEPT_MAX})`,
    [kind],
  );
}

interface RoleMailFilter extends CreatedRange {
  readonly role: Role | null;
  readonly kind: RoleMailKind | null;
}

export function listRoleMails(
  db: Queryable,
  filter: RoleMailFilter,
  range: IdRange,
  limit: number,
): Promise<RoleMail[]> {
  return db.query<RoleMail>(
    `select ${COLUMNS} from role_mails
      where role_mail_id >= $1 and role_mail_id < $2
        and ($3::timestamptz is null or received_at >= $3)
        and ($4::timestamptz is null or received_at < $4)
        and ($5::text is null or role = $5) and ($6::text is null or kind = $6)
      order by role_mail_id desc limit $7`,
    [
      ...[range.from, range.below],
      ...[filter.createdAfter?.toISOString() ?? null, filter.createdBefore?.toISOString() ?? null],
      ...[filter.role, filter.kind, limit],
    ],
  );
}

export async function findRoleMailBytes(db: Queryable, roleMailId: string): Promise<Uint8Array | null> {
  const rows = await db.query<{ raw: Buffer }>('select raw from role_mails where role_mail_id = $1', [
    roleMailId,
  ]);
  return rows[0]?.raw ?? null;
}

export function deleteRoleMail(db: Queryable, roleMailId: string): Promise<boolean> {
  return changed(db, 'delete from role_mails where role_mail_id = $1', [roleMailId]);
}

/** A report's candidate message, found by recipient. */
interface AddressedMessageRow {
  message_id: string;
  sender_address: string;
  created_at: Date;
}

/** The newest to a recipient, of one account. */
export function findAddressed(
  db: Queryable,
  tenantId: string,
  recipient: string,
): Promise<AddressedMessageRow[]> {
  return db.query<AddressedMessageRow>(
    `select message_id, sender_address, created_at from messages
      where tenant_id = $1 and recipient_key = lower($2) and sent_at is not null and erased_at is null
      order by message_id desc limit ${ADDRESSED_MAX}`,
    [tenantId, recipient],
  );
}

/** Messages to one address that are compared: complaints come within days. */
const ADDRESSED_MAX = 20;
