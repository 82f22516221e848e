import type { Queryable } from '../../platform/database/db.ts';

export interface RecentOperation {
  readonly entryId: string;
  readonly action: string;
}

/** Entries of the operators' record with an id of `from` or later, the newest first. */
export function listRecentOperations(db: Queryable, from: string, limit: number): Promise<RecentOperation[]> {
  return db.query(
    `select event_id as "entryId", action from operator_events where event_id >= $1
      order by event_id desc limit $2`,
    [from, limit],
    'list_recent_operations',
  );
}

/** Changes when a batch is sealed or a check of the evidence advances. */
export async function readSealingMovement(db: Queryable): Promise<string> {
  const [row] = await db.query<{ moved: string }>(
    `select concat_ws(' ',
       (select concat_ws(' ', c.batch_id, s.certificate_id) from checkpoints c
          left join certificates s on s.log_id = c.log_id and s.tree_size = c.tree_size
         order by c.batch_id desc limit 1),
       (select concat_ws(' ', check_id, status, phase, done) from evidence_checks
         order by check_id desc limit 1)) as moved`,
    [],
    'read_sealing_movement',
  );
  return row!.moved;
}
