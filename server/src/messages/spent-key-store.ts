import { Blob } from '../platform/blob.ts';
import { plainArray, textArray } from '../platform/database/array-text.ts';
import type { Queryable, Tx } from '../platform/database/db.ts';
import { ofThese } from '../platform/database/of-these.ts';

interface SentKey {
  readonly messageId: string;
  readonly tenantId: string;
  readonly idempotencyKey: string;
}

/**
 * Few accounts have any: asking this first saves the others a hash per message. Not with Citus, which runs a
 * subselect as a query of its own.
 */
const ANY_SPENT = 'where exists (select 1 from spent_keys where tenant_id = any ($1::uuid[]))';

/**
 * Ids of the messages whose key is spent. Runs after the claims: a claim that waited for the deletion of a
 * record sees its hash here. The database makes the hashes (as spent-keys.ts does).
 */
export async function findSpentKeys(tx: Tx, keys: readonly SentKey[]): Promise<Set<string>> {
  const rows = await tx.query<{ message_id: string }>(
    `select t.message_id
       from unnest($1::uuid[], $2::uuid[], $3::text[]) as t (tenant_id, message_id, idempotency_key)
       join spent_keys s
         on s.tenant_id = t.tenant_id${ofThese(tx, 's.tenant_id')}
        and s.key_sha256 = sha256(uuid_send(t.tenant_id) || convert_to(t.idempotency_key, 'UTF8'))
      ${tx.distributed ? '' : ANY_SPENT}`,
    [
      plainArray(keys.map(({ tenantId }) => tenantId)),
      plainArray(keys.map(({ messageId }) => messageId)),
      textArray(keys.map(({ idempotencyKey }) => idempotencyKey)),
    ],
    'accept_find_spent_keys',
  );
  return new Set(rows.map((row) => row.message_id));
}

export async function isSpentKey(q: Queryable, tenantId: string, keySha256: Uint8Array): Promise<boolean> {
  const rows = await q.query(
    'select 1 from spent_keys where tenant_id = $1 and key_sha256 = $2',
    [tenantId, keySha256],
    'is_spent_key',
  );
  return rows.length > 0;
}

export function insertSpentKeys(tx: Tx, tenantId: string, keySha256s: readonly Uint8Array[]): void {
  const hashes = new Blob(keySha256s);
  tx.send(
    `insert into spent_keys (tenant_id, key_sha256)
     select $1, substring($2::bytea from at for 32) from unnest($3::integer[]) as at
     on conflict (tenant_id, key_sha256) do nothing`,
    [tenantId, hashes.bytes, plainArray(hashes.from)],
    'insert_spent_keys',
  );
}
