import type { Queryable } from '../../platform/database/db.ts';

export interface KeptMessage {
  readonly idempotency_key: string;
  readonly status: string;
  readonly reverse_path: string;
  /** The receiving server deferred it first, and may have accepted it all the same. */
  readonly was_deferred: boolean;
}

export function listKept(db: Queryable, tenantId: string, run: string): Promise<KeptMessage[]> {
  return db.query<KeptMessage>(
    `select idempotency_key, status, reverse_path, deferred_at is not null as was_deferred
       from messages where tenant_id = $1 and starts_with(idempotency_key, $2)`,
    [tenantId, run],
  );
}

export function listMails(
  db: Queryable,
  after: string,
  limit: number,
): Promise<{ mail_id: string; reverse_path: string }[]> {
  return db.query(
    'select mail_id, reverse_path from sandbox_mail where mail_id > $1 order by mail_id limit $2',
    [after, limit],
  );
}
