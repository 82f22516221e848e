import type { Tx } from '../../platform/database/db.ts';
import { changed } from '../../platform/database/rows.ts';

/** Answered challenges: each is valid once. */

/** If many spend it at once, one gets true. */
export function spendChallenge(tx: Tx, sha256: Uint8Array, expiresAt: Date): Promise<boolean> {
  return changed(
    tx,
    `insert into spent_challenges (challenge_sha256, expires_at) values ($1, $2)
       on conflict (challenge_sha256) do nothing`,
    [sha256, expiresAt],
  );
}

/** Deletes some expired challenges; skips those that another transaction has locked. */
export async function forgetChallenges(tx: Tx, now: Date, limit: number): Promise<void> {
  await tx.execute(
    `delete from spent_challenges where challenge_sha256 in
       (select challenge_sha256 from spent_challenges where expires_at <= $1
        order by expires_at limit $2 for update skip locked)`,
    [now, limit],
  );
}
