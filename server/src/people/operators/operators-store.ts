import type { Tx } from '../../platform/database/db.ts';
import type { OperatorRole } from '../../platform/http/http.ts';
import type { Locale, Person } from '../sessions/person.ts';

export interface Operator extends Person {
  readonly role: OperatorRole;
}

const COLUMNS = `operator_id as "personId", email, name, role, locale,
  time_zone as "timeZone", password_phc as "passwordPhc", totp_sealed as "totpSealed",
  totp_pending_sealed as "totpPendingSealed", created_at as "createdAt",
  exists (select from operator_passkeys p where p.operator_id = operators.operator_id) as "hasPasskeys"`;

export type NewOperator = Pick<
  Operator,
  'personId' | 'email' | 'name' | 'role' | 'timeZone' | 'createdAt'
> & { readonly emailKey: string };

/** False: somebody has that address. */
export async function insertOperator(tx: Tx, operator: NewOperator): Promise<boolean> {
  const touched = await tx.execute(
    `insert into operators (operator_id, email, email_key, name, role, time_zone, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7) on conflict (email_key) do nothing`,
    [
      operator.personId,
      operator.email,
      operator.emailKey,
      operator.name,
      operator.role,
      operator.timeZone,
      operator.createdAt,
    ],
  );
  return touched === 1;
}

export async function hasOperators(tx: Tx): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }>('select exists (select from operators) as found');
  return row!.found;
}

/** Until the transaction ends nobody else adds, changes or removes operators. */
export async function lockOperators(tx: Tx): Promise<void> {
  await tx.execute('lock table operators in share row exclusive mode');
}

export async function countAdmins(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    "select count(*)::integer as count from operators where role = 'admin'",
  );
  return row!.count;
}

/** Newest first; `before` is the last id of the page before. */
export function listOperators(tx: Tx, before: string | null, limit: number): Promise<Operator[]> {
  return tx.query<Operator>(
    `select ${COLUMNS} from operators where $1::uuid is null or operator_id < $1
      order by operator_id desc limit $2`,
    [before, limit],
  );
}

export async function findOperatorByEmail(tx: Tx, emailKey: string): Promise<Operator | null> {
  const [row] = await tx.query<Operator>(`select ${COLUMNS} from operators where email_key = $1`, [emailKey]);
  return row ?? null;
}

/**
 * Holds the row until the transaction ends. Read by a statement of its own: the one that waits for the lock
 * does not see the passkeys that were added meanwhile.
 */
export async function lockOperator(tx: Tx, personId: string): Promise<Operator | null> {
  await tx.execute('select from operators where operator_id = $1 for no key update', [personId]);
  return findById(tx, personId);
}

async function findById(tx: Tx, personId: string): Promise<Operator | null> {
  const [row] = await tx.query<Operator>(`select ${COLUMNS} from operators where operator_id = $1`, [
    personId,
  ]);
  return row ?? null;
}

/** Undefined: as it is. */
export interface OperatorChange {
  readonly email?: string | undefined;
  readonly emailKey?: string | undefined;
  readonly name?: string | undefined;
  readonly role?: OperatorRole | undefined;
  readonly locale?: Locale | null | undefined;
  readonly timeZone?: string | undefined;
}

export async function updateOperator(
  tx: Tx,
  personId: string,
  change: OperatorChange,
  at: Date,
): Promise<Operator | null> {
  const changed = await tx.execute(
    `update operators set email = coalesce($2, email), email_key = coalesce($3, email_key),
       name = coalesce($4, name), role = coalesce($5, role), time_zone = coalesce($6, time_zone),
       locale = case when $7 then $8 else locale end, updated_at = $9
      where operator_id = $1`,
    [
      personId,
      change.email ?? null,
      change.emailKey ?? null,
      change.name ?? null,
      change.role ?? null,
      change.timeZone ?? null,
      change.locale !== undefined,
      change.locale ?? null,
      at,
    ],
  );
  const row = changed === 0 ? null : await findById(tx, personId);
  if (row !== null && change.role !== undefined)
    tx.note({ kind: 'operator', operator_id: personId, role: row.role });
  return row;
}

export async function deleteOperator(tx: Tx, personId: string): Promise<boolean> {
  const gone = await tx.execute('delete from operators where operator_id = $1', [personId]);
  if (gone === 1) tx.note({ kind: 'operator', operator_id: personId, role: null });
  return gone === 1;
}

export async function setPassword(tx: Tx, personId: string, phc: string, at: Date): Promise<void> {
  await tx.execute('update operators set password_phc = $2, updated_at = $3 where operator_id = $1', [
    personId,
    phc,
    at,
  ]);
}

/** False: codes are turned on already. */
export async function setPendingTotp(tx: Tx, personId: string, sealed: Buffer, at: Date): Promise<boolean> {
  return (
    (await tx.execute(
      `update operators set totp_pending_sealed = $2, updated_at = $3
        where operator_id = $1 and totp_sealed is null`,
      [personId, sealed, at],
    )) === 1
  );
}

/** The secret that waited counts now; false when it is not the one that waits. */
export async function confirmTotp(
  tx: Tx,
  personId: string,
  sealed: Uint8Array,
  step: number,
  at: Date,
): Promise<boolean> {
  return (
    (await tx.execute(
      `update operators set totp_sealed = totp_pending_sealed, totp_pending_sealed = null,
         totp_last_step = $3, updated_at = $4
       where operator_id = $1 and totp_pending_sealed = $2 and totp_sealed is null`,
      [personId, sealed, step, at],
    )) === 1
  );
}

/** False: there was none, and none waited for its first code. */
export async function dropTotp(tx: Tx, personId: string, at: Date): Promise<boolean> {
  return (
    (await tx.execute(
      `update operators set totp_sealed = null, totp_pending_sealed = null, totp_last_step = null,
         updated_at = $2
       where operator_id = $1 and (totp_sealed is not null or totp_pending_sealed is not null)`,
      [personId, at],
    )) === 1
  );
}

/** False: a code of this step, or of a later one, was taken before. */
export async function spendTotpStep(tx: Tx, personId: string, step: number): Promise<boolean> {
  return (
    (await tx.execute(
      `update operators set totp_last_step = $2
        where operator_id = $1 and (totp_last_step is null or totp_last_step < $2)`,
      [personId, step],
    )) === 1
  );
}

export async function replaceRecoveryCodes(
  tx: Tx,
  personId: string,
  codes: readonly Uint8Array[],
): Promise<void> {
  await tx.execute('delete from operator_recovery_codes where operator_id = $1', [personId]);
  await tx.execute(
    'insert into operator_recovery_codes (operator_id, code_sha256) select $1, * from unnest($2::bytea[])',
    [personId, codes],
  );
}

/** False: there is no such code, or it was spent. */
export async function spendRecoveryCode(
  tx: Tx,
  personId: string,
  sha256: Uint8Array,
  at: Date,
): Promise<boolean> {
  return (
    (await tx.execute(
      `update operator_recovery_codes set spent_at = $3
        where operator_id = $1 and code_sha256 = $2 and spent_at is null`,
      [personId, sha256, at],
    )) === 1
  );
}
