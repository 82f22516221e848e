import type { Tx } from '../../platform/database/db.ts';
import type { OperatorRole } from '../../platform/http/http.ts';

/** Operators, read and written as `acuse_sessions` only. */

export type Locale = 'es' | 'en';

export interface Operator {
  readonly operatorId: string;
  readonly email: string;
  readonly emailKey: string;
  /** Empty: none given. */
  readonly name: string;
  readonly role: OperatorRole;
  /** Null: as the browser asks. */
  readonly locale: Locale | null;
  readonly timeZone: string;
  readonly passwordPhc: string | null;
  readonly totpSealed: Buffer | null;
  readonly totpPendingSealed: Buffer | null;
  readonly hasPasskeys: boolean;
  readonly createdAt: Date;
}

const COLUMNS = `operator_id as "operatorId", email, email_key as "emailKey", name, role, locale,
  time_zone as "timeZone", password_phc as "passwordPhc", totp_sealed as "totpSealed",
  totp_pending_sealed as "totpPendingSealed", created_at as "createdAt",
  exists (select from operator_passkeys p where p.operator_id = operators.operator_id) as "hasPasskeys"`;

export type NewOperator = Pick<
  Operator,
  'operatorId' | 'email' | 'emailKey' | 'name' | 'role' | 'timeZone' | 'createdAt'
>;

/** False: somebody has that address. */
export async function insertOperator(tx: Tx, operator: NewOperator): Promise<boolean> {
  const touched = await tx.execute(
    `insert into operators (operator_id, email, email_key, name, role, time_zone, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7) on conflict (email_key) do nothing`,
    [
      operator.operatorId,
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
export async function lockOperator(tx: Tx, operatorId: string): Promise<Operator | null> {
  await tx.execute('select from operators where operator_id = $1 for no key update', [operatorId]);
  return findById(tx, operatorId);
}

async function findById(tx: Tx, operatorId: string): Promise<Operator | null> {
  const [row] = await tx.query<Operator>(`select ${COLUMNS} from operators where operator_id = $1`, [
    operatorId,
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
  operatorId: string,
  change: OperatorChange,
  at: Date,
): Promise<Operator | null> {
  const changed = await tx.execute(
    `update operators set email = coalesce($2, email), email_key = coalesce($3, email_key),
       name = coalesce($4, name), role = coalesce($5, role), time_zone = coalesce($6, time_zone),
       locale = case when $7 then $8 else locale end, updated_at = $9
      where operator_id = $1`,
    [
      operatorId,
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
  const row = changed === 0 ? null : await findById(tx, operatorId);
  if (row !== null && change.role !== undefined)
    tx.note({ kind: 'operator', operator_id: operatorId, role: row.role });
  return row;
}

export async function deleteOperator(tx: Tx, operatorId: string): Promise<boolean> {
  const gone = await tx.execute('delete from operators where operator_id = $1', [operatorId]);
  if (gone === 1) tx.note({ kind: 'operator', operator_id: operatorId, role: null });
  return gone === 1;
}

export async function setPassword(tx: Tx, operatorId: string, phc: string, at: Date): Promise<void> {
  await tx.execute('update operators set password_phc = $2, updated_at = $3 where operator_id = $1', [
    operatorId,
    phc,
    at,
  ]);
}

/** False: codes are turned on already. */
export async function setPendingTotp(tx: Tx, operatorId: string, sealed: Buffer, at: Date): Promise<boolean> {
  return (
    (await tx.execute(
      `update operators set totp_pending_sealed = $2, updated_at = $3
        where operator_id = $1 and totp_sealed is null`,
      [operatorId, sealed, at],
    )) === 1
  );
}

export async function confirmTotp(tx: Tx, operatorId: string, step: number, at: Date): Promise<void> {
  await tx.execute(
    `update operators set totp_sealed = totp_pending_sealed, totp_pending_sealed = null, totp_last_step = $2,
       updated_at = $3 where operator_id = $1`,
    [operatorId, step, at],
  );
}

/** False: there was none. */
export async function dropTotp(tx: Tx, operatorId: string, at: Date): Promise<boolean> {
  return (
    (await tx.execute(
      `update operators set totp_sealed = null, totp_pending_sealed = null, totp_last_step = null,
         updated_at = $2 where operator_id = $1 and totp_sealed is not null`,
      [operatorId, at],
    )) === 1
  );
}

/** False: a code of this step, or of a later one, was taken before. */
export async function spendTotpStep(tx: Tx, operatorId: string, step: number): Promise<boolean> {
  return (
    (await tx.execute(
      `update operators set totp_last_step = $2
        where operator_id = $1 and (totp_last_step is null or totp_last_step < $2)`,
      [operatorId, step],
    )) === 1
  );
}

export async function replaceRecoveryCodes(
  tx: Tx,
  operatorId: string,
  codes: readonly Uint8Array[],
): Promise<void> {
  await tx.execute('delete from operator_recovery_codes where operator_id = $1', [operatorId]);
  await tx.execute(
    'insert into operator_recovery_codes (operator_id, code_sha256) select $1, * from unnest($2::bytea[])',
    [operatorId, codes],
  );
}

/** False: there is no such code, or it was spent. */
export async function spendRecoveryCode(
  tx: Tx,
  operatorId: string,
  sha256: Uint8Array,
  at: Date,
): Promise<boolean> {
  return (
    (await tx.execute(
      `update operator_recovery_codes set spent_at = $3
        where operator_id = $1 and code_sha256 = $2 and spent_at is null`,
      [operatorId, sha256, at],
    )) === 1
  );
}
