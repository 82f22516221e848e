import type { Queryable } from '../../platform/database/db.ts';

/** Results of a search besides messages by their words: each through an index, or among few. */

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

/** An event of theirs. */
export function messagesByEvent(q: Queryable, tenantId: string, eventId: string): Promise<FoundMessage[]> {
  return q.query(
    `select ${MESSAGE} from events e
       join messages m on m.tenant_id = e.tenant_id and m.message_id = e.message_id
      where e.tenant_id = $1 and e.event_id = $2`,
    [tenantId, eventId],
  );
}

/**
 * Copies whose Message-ID has an id of its own, made just before theirs. `ids`: range of their ids; `header`:
 * text in the first bytes of each.
 */
export function copiesByMessageId(
  q: Queryable,
  tenantId: string,
  { from, below }: { readonly from: string; readonly below: string },
  header: Uint8Array,
): Promise<FoundMessage[]> {
  return q.query(
    `select ${MESSAGE} from (select * from messages
         where tenant_id = $1 and message_id >= $2 and message_id < $3 order by message_id limit 200) m
       join message_contents c on c.tenant_id = $1 and c.message_id = m.message_id
      where position($4::bytea in substring(c.raw from 1 for 8192)) > 0 order by m.message_id limit 20`,
    [tenantId, from, below, header],
  );
}

/** Finds by the hash of the message or of an outcome. */
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

export interface FoundDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly type: string;
  readonly url: string | null;
}

export function deliveriesById(q: Queryable, tenantId: string, id: string): Promise<FoundDelivery[]> {
  return q.query(
    `select d.delivery_id as id, d.webhook_id as "webhookId", d.type, w.url from webhook_deliveries d
       left join webhook_endpoints w on w.tenant_id = d.tenant_id and w.webhook_id = d.webhook_id
      where d.tenant_id = $1 and d.delivery_id = $2`,
    [tenantId, id],
  );
}

const THINGS_MAX = 5;

/** Each pattern is in the name: regular expressions of PostgreSQL. Suppressions by how they begin. */
export function thingsByName(
  q: Queryable,
  tenantId: string,
  { patterns, key }: { readonly patterns: readonly string[]; readonly key: string },
): Promise<FoundThing[]> {
  const found = (kind: string, id: string, name: string, table: string, more = '') =>
    `(select '${kind}' as kind, ${id} as id, ${name} as label from ${table}
       where tenant_id = $1 ${more} and (select bool_and(${name} ~ p) from unnest($2::text[]) p)
       order by ${name} <> $3, ${name} limit ${THINGS_MAX})`;
  return q.query(
    `${found('domain', 'domain_id', 'name', 'domains')}
     union all ${found('sender', 'sender_id', 'address', 'senders')}
     union all (select 'suppression', suppression_id, address from suppressions
       where tenant_id = $1 and address collate "C" >= $3 and address collate "C" < $3 || U&'\\FFFF'
       order by address collate "C" limit ${THINGS_MAX})
     union all ${found('template', 'template_id', 'name', 'templates', 'and deleted_at is null')}
     union all ${found('webhook', 'webhook_id', 'url', 'webhook_endpoints')}`,
    [tenantId, patterns, key],
  );
}

export interface SuppressedAddress {
  readonly id: string;
  readonly source: 'manual' | 'bounce' | 'complaint';
  readonly since: Date;
}

export async function findSuppressed(
  q: Queryable,
  tenantId: string,
  address: string,
): Promise<SuppressedAddress | null> {
  const [row] = await q.query<SuppressedAddress>(
    `select suppression_id as id, source, created_at as since from suppressions
      where tenant_id = $1 and address = $2`,
    [tenantId, address],
  );
  return row ?? null;
}
