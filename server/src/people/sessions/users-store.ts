import type { Tx } from '../../platform/database/db.ts';
import { changed } from '../../platform/database/rows.ts';

/** False when somebody with this address is there already. */
export function insertUser(
  tx: Tx,
  user: { personId: string; email: string; emailKey: string; name: string; timeZone: string; at: Date },
): Promise<boolean> {
  return changed(
    tx,
    `insert into users (user_id, email, email_key, name, time_zone, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $6)
     on conflict (email_key) do nothing`,
    [user.personId, user.email, user.emailKey, user.name, user.timeZone, user.at],
  );
}

/** True the first time. */
export function proveEmail(tx: Tx, personId: string, at: Date): Promise<boolean> {
  return changed(tx, 'update users set email_proven_at = $2 where user_id = $1 and email_proven_at is null', [
    personId,
    at,
  ]);
}
