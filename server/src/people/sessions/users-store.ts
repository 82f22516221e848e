import type { Tx } from '../../platform/database/db.ts';
import type { Locale, Person } from './person.ts';

export interface User extends Person {
  /** When a mailed link was spent: the address is theirs. */
  readonly emailProvenAt: Date | null;
}

const COLUMNS = `user_id as "personId", email, name, locale, time_zone as "timeZone",
  password_phc as "passwordPhc", totp_sealed as "totpSealed", totp_pending_sealed as "totpPendingSealed",
  exists (select from passkeys p where p.user_id = users.user_id) as "hasPasskeys",
  email_proven_at as "emailProvenAt", created_at as "createdAt"`;

export async function findUser(tx: Tx, personId: string): Promise<User | null> {
  const rows = await tx.query<User>(`select ${COLUMNS} from users where user_id = $1`, [personId]);
  return rows[0] ?? null;
}

export async function findUserByEmail(tx: Tx, emailKey: string): Promise<User | null> {
  const rows = await tx.query<User>(`select ${COLUMNS} from users where email_key = $1`, [emailKey]);
  return rows[0] ?? null;
}

/**
 * The person's row, which nobody else changes until this transaction ends. Read by a statement of its own:
 * the one that waits for the lock does not see the passkeys that were added meanwhile.
 */
export async function lockUser(tx: Tx, personId: string): Promise<User | null> {
  await tx.execute('select from users where user_id = $1 for update', [personId]);
  return findUser(tx, personId);
}

/** Null when somebody with this address is there already. */
export async function insertUser(
  tx: Tx,
  user: { personId: string; email: string; emailKey: string; name: string; timeZone: string; at: Date },
): Promise<User | null> {
  const added = await tx.execute(
    `insert into users (user_id, email, email_key, name, time_zone, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $6)
     on conflict (email_key) do nothing`,
    [user.personId, user.email, user.emailKey, user.name, user.timeZone, user.at],
  );
  return added === 0 ? null : findUser(tx, user.personId);
}

/** Newest first; `before` is the last id of the page before. */
export function listUsers(tx: Tx, before: string | null, limit: number): Promise<User[]> {
  return tx.query<User>(
    `select ${COLUMNS} from users where $1::uuid is null or user_id < $1 order by user_id desc limit $2`,
    [before, limit],
  );
}

/** Absent fields stay; `locale` null means as the browser asks. */
export async function updateProfile(
  tx: Tx,
  personId: string,
  change: { name?: string | undefined; locale?: Locale | null | undefined; timeZone?: string | undefined },
  at: Date,
): Promise<User | null> {
  const changed = await tx.execute(
    `update users set name = coalesce($2, name), locale = case when $3 then $4 else locale end,
       time_zone = coalesce($5, time_zone), updated_at = $6
     where user_id = $1`,
    [personId, change.name ?? null, change.locale !== undefined, change.locale ?? null, change.timeZone, at],
  );
  return changed === 0 ? null : findUser(tx, personId);
}

export async function setPassword(tx: Tx, personId: string, phc: string | null, at: Date): Promise<void> {
  await tx.execute('update users set password_phc = $2, updated_at = $3 where user_id = $1', [
    personId,
    phc,
    at,
  ]);
}

/** True the first time. */
export async function proveEmail(tx: Tx, personId: string, at: Date): Promise<boolean> {
  return (
    (await tx.execute(
      'update users set email_proven_at = $2 where user_id = $1 and email_proven_at is null',
      [personId, at],
    )) === 1
  );
}

/** Keeps a secret that waits for its first code; false when the person has codes already. */
export async function setPendingTotp(
  tx: Tx,
  personId: string,
  sealed: Uint8Array,
  at: Date,
): Promise<boolean> {
  return (
    (await tx.execute(
      `update users set totp_pending_sealed = $2, updated_at = $3 where user_id = $1 and totp_sealed is null`,
      [personId, sealed, at],
    )) === 1
  );
}

/** The secret that waited is the person's now; false when it is not the one that waits. */
export async function confirmTotp(
  tx: Tx,
  personId: string,
  sealed: Uint8Array,
  step: number,
  at: Date,
): Promise<boolean> {
  return (
    (await tx.execute(
      `update users set totp_sealed = totp_pending_sealed, totp_pending_sealed = null, totp_last_step = $3,
         updated_at = $4
       where user_id = $1 and totp_pending_sealed = $2 and totp_sealed is null`,
      [personId, sealed, step, at],
    )) === 1
  );
}

/** False when there was none. */
export async function dropTotp(tx: Tx, personId: string, at: Date): Promise<boolean> {
  return (
    (await tx.execute(
      `update users set totp_sealed = null, totp_pending_sealed = null, totp_last_step = null, updated_at = $2
       where user_id = $1 and (totp_sealed is not null or totp_pending_sealed is not null)`,
      [personId, at],
    )) === 1
  );
}

/** Takes the step of a code: false when it, or a later one, was taken before. RFC 6238 §5.2 */
export async function spendTotpStep(tx: Tx, personId: string, step: number): Promise<boolean> {
  return (
    (await tx.execute(
      `update users set totp_last_step = $2
       where user_id = $1 and (totp_last_step is null or totp_last_step < $2)`,
      [personId, step],
    )) === 1
  );
}

export async function replaceRecoveryCodes(
  tx: Tx,
  personId: string,
  codes: readonly Uint8Array[],
): Promise<void> {
  await tx.execute('delete from recovery_codes where user_id = $1', [personId]);
  await tx.execute('insert into recovery_codes (user_id, code_sha256) select $1, unnest($2::bytea[])', [
    personId,
    codes,
  ]);
}

export async function spendRecoveryCode(
  tx: Tx,
  personId: string,
  codeSha256: Uint8Array,
  at: Date,
): Promise<boolean> {
  return (
    (await tx.execute(
      `update recovery_codes set spent_at = $3
       where user_id = $1 and code_sha256 = $2 and spent_at is null`,
      [personId, codeSha256, at],
    )) === 1
  );
}
