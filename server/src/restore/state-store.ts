import type { Queryable } from '../platform/database/db.ts';

/** This installation, as it is called outside of its database: its first log. Null: it has none yet. */
export async function findInstallation(q: Queryable): Promise<string | null> {
  const [row] = await q.query<{ log_id: string }>(
    'select log_id from logs order by created_at, log_id limit 1',
    [],
  );
  return row?.log_id ?? null;
}
