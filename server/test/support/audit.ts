import { isDeepStrictEqual } from 'node:util';
import { findDrift } from '../../src/accounts/rates/store.ts';
import { fsck } from '../../src/evidence/fsck/fsck.ts';
import type { Db } from '../../src/platform/database/db.ts';

/**
 * Everything that must hold of a database whatever happened to the servers on it, each broken rule as a
 * sentence. To be called while nothing is being accepted.
 */
export async function audit(db: Db): Promise<string[]> {
  const problems: string[] = [];
  for (const { rule, sql } of RULES) {
    const rows = await db.query(sql);
    if (rows.length > 0) problems.push(`${rule}: ${JSON.stringify(rows.slice(0, 5))} (${rows.length} rows)`);
  }
  for (const { tenant_id: tenantId } of await db.query<{ tenant_id: string }>(
    'select tenant_id from tenants',
  )) {
    const drift = await findDrift(db, tenantId);
    if (!isDeepStrictEqual(drift, [])) problems.push(`counters drifted: ${JSON.stringify(drift)}`);
  }
  const checked = await fsck({ db });
  problems.push(...checked.problems.map((it) => `fsck: ${it.check} ${it.subject}: ${it.detail}`));
  return problems;
}

/** Each statement finds what breaks the rule. */
const RULES: readonly { rule: string; sql: string }[] = [
  {
    rule: 'each message has its claim, and each claim its message',
    sql: `select tenant_id, message_id from (select tenant_id, message_id, idempotency_key from messages
             where not exists (select from message_copies c where c.tenant_id = messages.tenant_id and
               c.message_id = messages.message_id and c.first_message_id <> messages.message_id)) m
           full join idempotency_claims c using (tenant_id, message_id, idempotency_key)
           where m.message_id is null or c.message_id is null`,
  },
  {
    rule: 'each copy is a message, of the key of the first of its request',
    sql: `select c.message_id from message_copies c
            left join messages m using (tenant_id, message_id)
            left join messages f on f.tenant_id = c.tenant_id and f.message_id = c.first_message_id
           where m.idempotency_key is distinct from f.idempotency_key or f.message_id is null`,
  },
  {
    rule: 'each message is waiting in the queue or finished, never both or neither',
    sql: `select m.message_id, m.status from messages m left join delivery_queue q using (tenant_id,
      message_id)
           where (m.status in ('queued', 'deferred')) <> (q.message_id is not null)`,
  },
  {
    rule: 'each scheduled message is on the schedule at its time, and no other is',
    sql: `select message_id, m.status from messages m full join scheduled_messages s using (tenant_id,
      message_id)
           where (m.status = 'scheduled') is distinct from (s.message_id is not null)
              or s.send_at is distinct from (case when m.status = 'scheduled' then m.send_at end)`,
  },
  {
    rule: 'each message has its content, and a scheduled one was announced as queued once it was queued',
    sql: `select m.message_id from messages m left join message_contents c using (tenant_id, message_id)
           where c.message_id is null
              or (select count(*) from events e where e.tenant_id = m.tenant_id and e.message_id =
                m.message_id and e.type = 'email.queued')
                <> case when m.queued_at is null then 0 else 1 end`,
  },
  {
    rule: 'what a bag says is used is what was sent from it',
    sql: `select tenant_id, month, bag, q.used, m.sent from quota_usage q
            full join (select tenant_id, date_trunc('month', created_at at time zone 'UTC')::date as month,
                              case when certified then 'certified' else 'plain' end as bag, count(*) as sent
                         from messages group by 1, 2, 3) m using (tenant_id, month, bag)
           where coalesce(q.used, 0) <> coalesce(m.sent, 0)`,
  },
  {
    rule: 'each sent message was announced as sent once, and has the attempt that says so',
    sql: `select m.message_id, m.status, m.attempts from messages m
           where m.status = 'sent'
             and ((select count(*) from events e where e.tenant_id = m.tenant_id and e.message_id =
               m.message_id and e.type = 'email.sent') <> 1
               or (select count(*) from attempts a where a.tenant_id = m.tenant_id and a.message_id =
                 m.message_id and a.outcome = 'sent') <> 1)`,
  },
  {
    rule: 'what is recorded as sent has reached the mailbox',
    sql: `select m.message_id from messages m
           where m.status = 'sent' and not exists (select from sandbox_mail s where s.reverse_path =
             m.reverse_path)`,
  },
];

/**
 * How often mail of each message has reached the sandbox's mailbox, where that is not once; message id →
 * times.
 */
export async function findNotDeliveredOnce(db: Db): Promise<Map<string, number>> {
  const rows = await db.query<{ message_id: string; times: number }>(
    `select m.message_id, count(s.mail_id) as times from messages m
       left join sandbox_mail s on s.reverse_path = m.reverse_path group by 1 having count(s.mail_id) <> 1`,
  );
  return new Map(rows.map((row) => [row.message_id, row.times]));
}

/** Messages by state. */
export async function countStates(db: Db): Promise<Record<string, number>> {
  const rows = await db.query<{ status: string; count: number }>(
    'select status, count(*) as count from messages group by status',
  );
  return Object.fromEntries(rows.map((row) => [row.status, row.count]));
}
