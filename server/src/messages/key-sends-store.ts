import type { Tx } from '../platform/database/db.ts';

/** How many of the account's newest messages are searched. */
const LOOKED_THROUGH_MAX = 100_000;

interface KeySends {
  readonly count: number;
  readonly firstAt: Date | null;
  readonly lastAt: Date | null;
  readonly messageIds: string[];
}

/** Messages of these keys, among the newest messages. */
export async function findSendsOfKeys(
  tx: Tx,
  tenantId: string,
  apiKeyIds: readonly string[],
  limit: number,
): Promise<KeySends> {
  const [row] = await tx.query<KeySends>(
    `with newest as materialized (
       select message_id, created_at, api_key_id from messages where tenant_id = $1
       order by message_id desc limit ${LOOKED_THROUGH_MAX}),
     sent as (select message_id, created_at from newest where api_key_id = any ($2))
     select count(*)::int as count, min(created_at) as "firstAt", max(created_at) as "lastAt",
       coalesce((select array_agg(message_id order by message_id desc)
         from (select message_id from sent order by message_id desc limit $3) shown), '{}') as "messageIds"
     from sent`,
    [tenantId, apiKeyIds, limit],
  );
  return row!;
}
