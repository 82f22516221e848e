import type { Tx } from '../../platform/database/db.ts';
import type { NewPasskey, Passkey } from './passkeys.ts';

const COLUMNS = `passkey_id as "passkeyId", user_id as "ownerId", credential_id as "credentialId",
  public_key as "publicKey", sign_count as "signCount", transports, backed_up as "backedUp", name,
  created_at as "createdAt", last_used_at as "lastUsedAt"`;

/** Null: this credential is somebody's already. */
export async function insertPasskey(tx: Tx, passkey: NewPasskey): Promise<Passkey | null> {
  const rows = await tx.query<Passkey>(
    `insert into passkeys (passkey_id, user_id, credential_id, public_key, sign_count, transports, backed_up,
       name, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (credential_id) do nothing returning ${COLUMNS}`,
    [
      passkey.passkeyId,
      passkey.ownerId,
      passkey.credentialId,
      passkey.publicKey,
      passkey.signCount,
      passkey.transports,
      passkey.backedUp,
      passkey.name,
      passkey.createdAt,
    ],
  );
  return rows[0] ?? null;
}

/** Oldest first. */
export function listPasskeys(tx: Tx, userId: string): Promise<Passkey[]> {
  return tx.query<Passkey>(`select ${COLUMNS} from passkeys where user_id = $1 order by passkey_id`, [
    userId,
  ]);
}

export async function findPasskey(tx: Tx, credentialId: Uint8Array): Promise<Passkey | null> {
  const rows = await tx.query<Passkey>(`select ${COLUMNS} from passkeys where credential_id = $1`, [
    credentialId,
  ]);
  return rows[0] ?? null;
}

/** False when it was removed, or used by another request, since it was read. */
export async function usePasskey(
  tx: Tx,
  { passkeyId, signCount }: Pick<Passkey, 'passkeyId' | 'signCount'>,
  to: { signCount: number; backedUp: boolean; at: Date },
): Promise<boolean> {
  return (
    (await tx.execute(
      `update passkeys set sign_count = $3, backed_up = $4, last_used_at = $5
       where passkey_id = $1 and sign_count = $2`,
      [passkeyId, signCount, to.signCount, to.backedUp, to.at],
    )) === 1
  );
}

export async function renamePasskey(
  tx: Tx,
  userId: string,
  passkeyId: string,
  name: string,
): Promise<Passkey | null> {
  const rows = await tx.query<Passkey>(
    `update passkeys set name = $3 where user_id = $1 and passkey_id = $2 returning ${COLUMNS}`,
    [userId, passkeyId, name],
  );
  return rows[0] ?? null;
}

export async function deletePasskey(tx: Tx, userId: string, passkeyId: string): Promise<Passkey | null> {
  const rows = await tx.query<Passkey>(
    `delete from passkeys where user_id = $1 and passkey_id = $2 returning ${COLUMNS}`,
    [userId, passkeyId],
  );
  return rows[0] ?? null;
}

export function deletePasskeys(tx: Tx, userId: string): Promise<number> {
  return tx.execute('delete from passkeys where user_id = $1', [userId]);
}
