import type { Queryable } from '../../platform/database/db.ts';

/** Messages by exact identifiers, each through an index. */

export interface FoundMessage {
  readonly id: string;
  readonly subject: string;
  readonly to: string;
}

const MESSAGE = 'm.message_id as id, m.subject, m.header_to as "to"';

export function messagesById(q: Queryable, tenantId: string, id: string): Promise<FoundMessage[]> {
  return q.query(`select ${MESSAGE} from messages m where m.tenant_id = $1 and m.message_id = $2`, [
    tenantId,
    id,
  ]);
}

export function messagesByKey(q: Queryable, tenantId: string, key: string): Promise<FoundMessage[]> {
  return q.query(
    `select ${MESSAGE} from idempotency_claims c
       join messages m on m.tenant_id = c.tenant_id and m.message_id = c.message_id
      where c.tenant_id = $1 and c.idempotency_key = $2`,
    [tenantId, key],
  );
}

export function messagesByRecipient(
  q: Queryable,
  tenantId: string,
  key: string,
  limit: number,
): Promise<FoundMessage[]> {
  return q.query(
    `select ${MESSAGE} from messages m where m.tenant_id = $1 and m.recipient_key = $2
      order by m.message_id desc limit $3`,
    [tenantId, key, limit],
  );
}

/** Of the message or an outcome. */
export function messagesByHash(q: Queryable, tenantId: string, hash: Uint8Array): Promise<FoundMessage[]> {
  return q.query(
    `select distinct ${MESSAGE} from leaves l
       join messages m on m.tenant_id = l.tenant_id and m.message_id = l.message_id
      where l.tenant_id = $1 and l.canonical_hash = $2 limit 20`,
    [tenantId, hash],
  );
}

export function messagesBySerial(q: Queryable, tenantId: string, serial: string): Promise<FoundMessage[]> {
  return q.query(
    `select ${MESSAGE} from message_certificates c
       join messages m on m.tenant_id = c.tenant_id and m.message_id = c.message_id
      where c.tenant_id = $1 and c.serial_number = $2 limit 20`,
    [tenantId, serial],
  );
}

export interface Batch {
  readonly logId: string;
  readonly from: number;
  readonly below: number;
}

const BATCH = 'p.log_id as "logId", p.previous_tree_size as "from", p.tree_size as below';

export function batchesById(q: Queryable, id: string): Promise<Batch[]> {
  return q.query(`select ${BATCH} from checkpoints p where p.batch_id = $1`, [id]);
}

export function batchesByRoot(q: Queryable, rootHash: Uint8Array): Promise<Batch[]> {
  return q.query(`select ${BATCH} from checkpoints p where p.root_hash = $1 limit 3`, [rootHash]);
}

export function batchesBySerial(q: Queryable, serial: string): Promise<Batch[]> {
  return q.query(
    `select ${BATCH} from certificates c
       join checkpoints p on p.log_id = c.log_id and p.tree_size = c.tree_size
      where c.serial_number = $1 limit 3`,
    [serial],
  );
}

export function messagesOfBatch(
  q: Queryable,
  tenantId: string,
  { logId, from, below }: Batch,
  limit: number,
): Promise<FoundMessage[]> {
  return q.query(
    `select distinct ${MESSAGE} from leaves l
       join messages m on m.tenant_id = l.tenant_id and m.message_id = l.message_id
      where l.log_id = $2 and l.leaf_index >= $3 and l.leaf_index < $4 and l.tenant_id = $1 limit $5`,
    [tenantId, logId, from, below, limit],
  );
}

export interface FoundThing {
  readonly kind: 'domain' | 'sender' | 'suppression' | 'template' | 'webhook';
  readonly id: string;
  readonly label: string;
}

export function thingsById(q: Queryable, tenantId: string, id: string): Promise<FoundThing[]> {
  return q.query(
    `select 'domain' as kind, domain_id as id, name as label from domains
      where tenant_id = $1 and domain_id = $2
     union all select 'sender', sender_id, address from senders where tenant_id = $1 and sender_id = $2
     union all select 'suppression', suppression_id, address from suppressions
      where tenant_id = $1 and suppression_id = $2
     union all select 'template', template_id, name from templates
      where tenant_id = $1 and template_id = $2 and deleted_at is null
     union all select 'webhook', webhook_id, url from webhook_endpoints
      where tenant_id = $1 and webhook_id = $2`,
    [tenantId, id],
  );
}

/** Case-insensitive where case does not matter. */
export function thingsByName(
  q: Queryable,
  tenantId: string,
  { name, key }: { readonly name: string; readonly key: string },
): Promise<FoundThing[]> {
  return q.query(
    `select 'domain' as kind, domain_id as id, name as label from domains
      where tenant_id = $1 and name = $3
     union all select 'sender', sender_id, address from senders where tenant_id = $1 and address = $3
     union all select 'suppression', suppression_id, address from suppressions
      where tenant_id = $1 and address = $3
     union all select 'template', template_id, name from templates
      where tenant_id = $1 and name = $2 and deleted_at is null`,
    [tenantId, name, key],
  );
}
