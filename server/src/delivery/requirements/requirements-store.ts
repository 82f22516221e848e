import type { Tx } from '../../platform/database/db.ts';

export interface ComplaintCount {
  readonly sent: number;
  readonly complained: number;
}

/** Complaints about the domain's messages, among the account's latest. */
export async function countComplaints(
  tx: Tx,
  tenantId: string,
  domain: string,
  fromId: string,
  limit: number,
): Promise<ComplaintCount> {
  const [row] = await tx.query<ComplaintCount>(
    `select (count(*) filter (where sent_at is not null))::integer as sent,
            (count(*) filter (where complained_at is not null))::integer as complained
       from (select sender_address, sent_at, complained_at from messages
              where tenant_id = $1 and message_id >= $2 order by message_id desc limit $4) latest
      where lower(sender_address) like '%@' || $3`,
    [tenantId, fromId, domain, limit],
    'delivery_count_complaints_of_domain',
  );
  return row!;
}

export interface SampledMessage {
  /** The beginning of its header; null: its content is deleted. */
  readonly head: Buffer | null;
  /** Null: no session is known. */
  readonly tls: boolean | null;
}

/** The domain's latest messages that a server took. */
export function sampleSent(
  tx: Tx,
  tenantId: string,
  domain: string,
  fromId: string,
  limits: { readonly looked: number; readonly sampled: number; readonly headBytes: number },
): Promise<SampledMessage[]> {
  return tx.query<SampledMessage>(
    `select substring(c.raw for $6) as head, s.tls
       from (select message_id from
              (select message_id, sender_address, sent_at from messages
                where tenant_id = $1 and message_id >= $2 order by message_id desc limit $4) latest
              where sent_at is not null and lower(sender_address) like '%@' || $3
              order by message_id desc limit $5) m
       left join message_contents c on c.tenant_id = $1 and c.message_id = m.message_id
       left join lateral (select (a.sessions -> -1 ->> 'tls') is not null as tls from attempts a
                           where a.tenant_id = $1 and a.message_id = m.message_id and a.outcome = 'sent'
                             and json_array_length(a.sessions) > 0
                           order by a.attempt desc limit 1) s on true`,
    [tenantId, fromId, domain, limits.looked, limits.sampled, limits.headBytes],
    'delivery_sample_sent_of_domain',
  );
}
