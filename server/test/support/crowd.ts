import type pg from 'pg';

/**
 * An account with very many messages, as sends, deliveries, seals and webhooks leave them, written by SQL. A
 * message follows from its number, n, which counts from 0, the oldest.
 */
export interface Crowd {
  readonly tenantId: string;
  readonly webhookId: string;
  readonly logId: string;
  /** The id of the n-th message. */
  id(n: number): string;
}

/** To this recipient go three of ten messages. */
export const BUSY = 'ops@busy.example';
const TENANT = '00000000-0000-7000-8000-000000000001';
const WEBHOOK = '00000000-0000-7000-8000-000000000002';
const LOG = '00000000-0000-7000-8000-000000000003';
const LEAVES_PER_BATCH = 100;
/** 2026-01-01T00:00:00Z (ms). */
const BEGAN_MS = 1_767_225_600_000;

/** UUIDv7, a message each millisecond. RFC 9562 §5.7 */
const id = (n: string, kind: string) =>
  `(lpad(to_hex(${BEGAN_MS} + ${n}), 12, '0') || '7000${kind}000' || lpad(to_hex(${n}), 12, '0'))::uuid`;
const MESSAGE = id('n', '8');
const AT = `to_timestamp((${BEGAN_MS} + n) / 1000.0)`;
/** 93 % sent, 4 % bounced, one in a thousand complained about; 2 % wait. */
const STATUS = `case when n % 1000 = 91 then 'complained' when n % 100 < 92 then 'sent'
  when n % 100 < 96 then 'bounced' when n % 100 = 96 then 'deferred' when n % 100 = 97 then 'queued'
  when n % 100 = 98 then 'cancelled' else 'sent' end`;

const STATEMENTS = [
  `insert into tenants (tenant_id, name, default_certified, quota_messages_month, quota_plain_messages_month,
     price_per_message_cents, price_per_plain_message_cents, created_at, updated_at)
   select '${TENANT}', 'Crowd', true, 0, 0, 0, 0, now(), now() where $1::integer > 0`,
  `insert into webhook_endpoints (tenant_id, webhook_id, url, events, secret_sealed, created_at, updated_at)
   select '${TENANT}', '${WEBHOOK}', 'https://hooks.example/', '{*}', 'x', now(), now() where $1::integer > 0`,
  `insert into logs (log_id, origin, public_key, private_key_sealed, tree_size, created_at)
   select '${LOG}', 'crowd.test/log', sha256('x'), 'x', $1::integer, now()`,
  `insert into checkpoints (log_id, tree_size, batch_id, previous_tree_size, root_hash, note, created_at)
   select '${LOG}', size, gen_random_uuid(), size - ${LEAVES_PER_BATCH}, sha256('x'), 'crowd', now()
     from generate_series(${LEAVES_PER_BATCH}, $1::integer, ${LEAVES_PER_BATCH}) size`,
  `insert into certificates (certificate_id, log_id, tree_size, profile, issuer, policy_oid, serial_number,
     gen_time, hash_algorithm, imprint, token, chain, policy, created_at, covered_until)
   select gen_random_uuid(), '${LOG}', size, 'development', 'crowd', '1.2.3', size::text, now(), 'sha256', 'x',
     'x', array['x'::bytea], '{}', now(), now() + interval '10 years'
     from generate_series(${LEAVES_PER_BATCH}, $1::integer, ${LEAVES_PER_BATCH}) size`,
  `insert into messages (tenant_id, message_id, idempotency_key, header_from, header_to, sender_address,
     recipient_address, reverse_path, subject, certified, status, tags, metadata, size_bytes, canonical_hash,
     tenant_sequence, created_at, sent_at, deferred_at, bounced_at, cancelled_at, complained_at, attempts,
     next_attempt_at, sandbox, last_reply, bounce_type)
   select '${TENANT}', ${MESSAGE}, 'crowd-' || n, sender, recipient, sender, recipient,
     'b+agraoq22yjyabedoznspy4zebniuvt5h2fpa6xjt' || n || '@bounce.crowd.test', 'Invoice ' || n || ' of March',
     certified, status, case when n % 4 = 0 then array['invoice', 'march'] else '{}' end,
     case when n % 4 = 0 then jsonb_build_object('order', n::text) else '{}' end, 500 + n % 100,
     case when certified then sha256(n::text::bytea) end, case when certified then n + 1 end, ${AT},
     case when status in ('sent', 'complained') then ${AT} end, case when status = 'deferred' then ${AT} end,
     case when status = 'bounced' then ${AT} end, case when status = 'cancelled' then ${AT} end,
     case when status = 'complained' then ${AT} end, 1,
     case when status in ('queued', 'deferred') then now() + interval '1 day' end, false,
     '{"mx": "mx.busy.example", "code": 250, "text": "OK", "enhanced": "2.0.0"}',
     case when status = 'bounced' then (array['hard', 'soft', 'policy'])[n % 3 + 1] end
     from generate_series(0, $1::integer - 1) n cross join lateral (select ${STATUS} as status,
       n % 10 = 0 as certified, (array['billing', 'news', 'ops'])[n % 3 + 1] || '@crowd.test' as sender,
       case when n * 7 % 100 < 30 then '${BUSY}' else 'r' || n / 5 || '@example' || n / 5 % 50 || '.com' end
         as recipient) known`,
  `insert into content_deletions (tenant_id, message_id, cause, deleted_at)
   select '${TENANT}', ${MESSAGE}, 'retention', ${AT} from generate_series(0, $1::integer / 2) n`,
  `insert into message_contents (tenant_id, message_id, raw, submission)
   select '${TENANT}', ${MESSAGE}, 'raw', 'submission'
     from generate_series($1::integer / 2 + 1, $1::integer - 1) n`,
  `insert into acknowledgements (tenant_id, message_id, token_sha256, until, status, source, decided_at,
     created_at)
   select tenant_id, message_id, sha256(message_id::text::bytea), now(), 'acknowledged', 'recipient_page',
     now(), created_at
     from messages where certified and $1::integer > 0`,
  `insert into delivery_queue (tenant_id, message_id, destination, due_at, created_at, expires_at)
   select tenant_id, message_id, 'busy.example', now() + interval '1 day', created_at, now() + interval '2 days'
     from messages where status in ('queued', 'deferred') and $1::integer > 0`,
  `insert into leaves (tenant_id, leaf_id, log_id, message_id, canonical_hash, leaf_index, tree_size)
   select tenant_id, message_id, '${LOG}', message_id, canonical_hash, tenant_sequence / 10,
     (tenant_sequence / 10 / ${LEAVES_PER_BATCH} + 1) * ${LEAVES_PER_BATCH}
     from messages where certified and $1::integer > 0`,
  `insert into events (tenant_id, event_id, message_id, type, occurred_at, data)
   select '${TENANT}', ${id('n', '9')}, ${MESSAGE}, 'email.sent', ${AT}, '{"to": "${BUSY}"}'
     from generate_series(0, $1::integer - 1) n`,
  `insert into webhook_deliveries (tenant_id, delivery_id, webhook_id, event_id, message_id, type, body, failed,
     created_at)
   select '${TENANT}', ${id('n', 'b')}, '${WEBHOOK}', ${MESSAGE}, ${MESSAGE}, 'email.queued', '{}',
     n % 1000 = 0, ${AT} from generate_series(0, $1::integer - 1, 5) n`,
  `insert into webhook_attempts (tenant_id, delivery_id, attempt, started_at, duration_ms, status_code)
   select '${TENANT}', ${id('n', 'b')}, 1, ${AT}, 1, case when n % 1000 = 0 then 500 else 200 end
     from generate_series(0, $1::integer - 1, 5) n`,
  `insert into webhook_queue (tenant_id, delivery_id, webhook_id, due_at)
   select '${TENANT}', ${id('n', 'b')}, '${WEBHOOK}', now() + interval '1 day'
     from generate_series(5, $1::integer - 1, 1000) n`,
  `insert into suppressions (tenant_id, suppression_id, address, reason, source, created_at)
   select '${TENANT}', ${id('n', '8')}, 'gone' || n || '@example.com', '550 5.1.1 no such user', 'bounce', ${AT}
     from generate_series(0, $1::integer - 1, 10) n`,
];

/** `worker`: a connection as acuse_worker. */
export async function fillCrowd(worker: pg.Client, messages: number): Promise<Crowd> {
  for (const statement of STATEMENTS) await worker.query(statement, [messages]);
  const hex = (n: number) => n.toString(16).padStart(12, '0');
  return {
    tenantId: TENANT,
    webhookId: WEBHOOK,
    logId: LOG,
    id: (n) => `${hex(BEGAN_MS + n).slice(0, 8)}-${hex(BEGAN_MS + n).slice(8)}-7000-8000-${hex(n)}`,
  };
}
