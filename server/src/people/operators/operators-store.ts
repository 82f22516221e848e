import type { Tx } from '../../platform/database/db.ts';
import { changed, first, only } from '../../platform/database/rows.ts';
import type { OperatorRole } from '../../platform/http/http.ts';
import type { Operator } from './operator.ts';

export type NewOperator = Pick<
  Operator,
  'personId' | 'email' | 'name' | 'role' | 'timeZone' | 'createdAt'
> & { readonly emailKey: string };

/** False: somebody has that address. */
export function insertOperator(tx: Tx, operator: NewOperator): Promise<boolean> {
  const { personId, email, emailKey, name, role, timeZone, createdAt } = operator;
  return changed(
    tx,
    `insert into operators (operator_id, email, email_key, name, role, time_zone, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7) on conflict (email_key) do nothing`,
    [personId, email, emailKey, name, role, timeZone, createdAt],
  );
}

export async function hasOperators(tx: Tx): Promise<boolean> {
  return (await first(tx, 'select from operators limit 1')) !== null;
}

/** Until the transaction ends nobody else adds, changes or removes operators. */
export async function lockOperators(tx: Tx): Promise<void> {
  await tx.execute('lock table operators in share row exclusive mode');
}

export async function countAdmins(tx: Tx): Promise<number> {
  const admins = "select count(*)::integer as count from operators where role = 'admin'";
  return (await only<{ count: number }>(tx, admins)).count;
}

/** Fields that only the console has; undefined leaves one as it is. */
export interface OperatorChange {
  readonly email?: string | undefined;
  readonly emailKey?: string | undefined;
  readonly role?: OperatorRole | undefined;
}

export async function updateOperator(
  tx: Tx,
  personId: string,
  change: OperatorChange,
  at: Date,
): Promise<void> {
  const { email = null, emailKey = null, role = null } = change;
  const found = await changed(
    tx,
    `update operators set email = coalesce($2, email), email_key = coalesce($3, email_key),
       role = coalesce($4, role), updated_at = $5
     where operator_id = $1`,
    [personId, email, emailKey, role, at],
  );
  if (found && role !== null) tx.note({ kind: 'operator', operator_id: personId, role });
}

export async function deleteOperator(tx: Tx, personId: string): Promise<boolean> {
  const gone = await changed(tx, 'delete from operators where operator_id = $1', [personId]);
  if (gone) tx.note({ kind: 'operator', operator_id: personId, role: null });
  return gone;
}

export async function insertLink(
  tx: Tx,
  link: {
    readonly linkId: string;
    readonly operatorId: string | null;
    readonly tokenSha256: Uint8Array;
    readonly createdAt: Date;
    readonly expiresAt: Date;
  },
): Promise<void> {
  await tx.execute(
    `insert into operator_links (link_id, operator_id, token_sha256, created_at, expires_at)
     values ($1, $2, $3, $4, $5)`,
    [link.linkId, link.operatorId, link.tokenSha256, link.createdAt, link.expiresAt],
  );
}

/** Earlier links of this operator, or of the first, and expired ones stop working. */
export async function dropLinks(tx: Tx, operatorId: string | null, now: Date): Promise<void> {
  await tx.execute(
    'delete from operator_links where operator_id is not distinct from $1::uuid or expires_at <= $2',
    [operatorId, now],
  );
}

/** If many spend it at once, one gets it; the others get null, as for a link that never existed. */
export function spendLink(
  tx: Tx,
  tokenSha256: Uint8Array,
  at: Date,
): Promise<{ operatorId: string | null } | null> {
  return first(
    tx,
    `update operator_links set spent_at = $2
     where token_sha256 = $1 and spent_at is null and expires_at > $2
     returning operator_id as "operatorId"`,
    [tokenSha256, at],
  );
}
