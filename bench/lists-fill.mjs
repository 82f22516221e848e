// An account with very many messages, written by SQL: what sends, deliveries, seals and webhooks leave in its
// lists. No contents, which no list reads.

/** Rows of one statement. */
const STEP = 50_000;
const DAYS = 30;
/** One certificate for so many leaves. */
const LEAVES_PER_BATCH = 1_000;
/** Messages to the recipient that gets the most; of all others a recipient has five. */
export const BUSY_SHARE = 3;
/** Found once, in the oldest message: what a rare filter looks for. */
export const NEEDLE = 'needle';
export const BUSY = 'ops@busy.example';

/** A UUIDv7 of a time in milliseconds and a number. RFC 9562 §5.7 */
const id = (ms, n, kind) => `(lpad(to_hex(${ms}), 12, '0') || '7' || lpad(to_hex(${n} % 4096), 3, '0')
  || '${kind}000' || lpad(to_hex(${n}), 12, '0'))::uuid`;
const MESSAGE = id('ms', 'n', '8');

/** By its number, from the newest: 90 % sent, 4 % bounced, the others rarer. */
const STATUS = `case when n % 100 < 90 then 'sent' when n % 100 < 94 then 'bounced'
  when n % 100 < 96 then 'deferred' when n % 100 < 98 then 'queued' when n % 100 = 98 then 'cancelled'
  when n % 1000 = 999 then 'complained' else 'sent' end`;
const BOUNCE = `case n % 3 when 0 then 'hard' when 1 then 'soft' else 'policy' end`;

/** Of the accounts beside the one that is looked at, which is number 0. */
const OTHER_ACCOUNT = (number) => `('00000000-0000-7000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;

/**
 * `n` counts from 0, the oldest. $1: how many in all; $2, $3: from and to; $4: when the newest was made; $5:
 * the account that is looked at; $6: in how many accounts.
 */
const ROWS = `with base as (
    select n, n = 0 as oldest, $4::bigint - ($1::bigint - n) * (${DAYS} * 86400000::bigint / $1::bigint) as ms
      from generate_series($2::bigint, $3::bigint - 1) n
  ), rows as (
    select *, case n % $6::bigint when 0 then $5::uuid else ${OTHER_ACCOUNT('n % $6::bigint')} end as tenant_id,
      ${MESSAGE} as message_id, to_timestamp(ms / 1000.0) as at, ${STATUS} as status,
      n % 2 = 0 as certified, sha256(n::text::bytea) as hash
      from base
  )`;

const STATEMENTS = [
  `insert into messages (tenant_id, message_id, idempotency_key, header_from, header_to, sender_address,
      recipient_address, reverse_path, subject, certified, status, template_id, template_version, tags,
      metadata, size_bytes, canonical_hash, tenant_sequence, created_at, sent_at, deferred_at, bounced_at,
      cancelled_at, complained_at, attempts, next_attempt_at, sandbox, last_reply)
    select tenant_id, message_id, 'bench-' || n, sender, recipient, sender, recipient,
      'b+' || n || '@bounce.sandbox.test',
      case when oldest then '${NEEDLE}' else 'Invoice ' || n || ' of March, to be paid within 30 days' end,
      certified, status, case when oldest then message_id end, case when oldest then 1 end,
      case when oldest then array['${NEEDLE}'] else array['invoice', 'march'] end,
      case when oldest then '{"${NEEDLE}": "1"}'::jsonb else jsonb_build_object('order', n::text) end,
      1500 + n % 1000, case when certified then hash end, case when certified then n + 1 end, at,
      case when status in ('sent', 'complained') then at + interval '2 s' end,
      case when status = 'deferred' then at + interval '2 s' end,
      case when status = 'bounced' then at + interval '2 s' end,
      case when status = 'cancelled' then at + interval '2 s' end,
      case when status = 'complained' then at + interval '1 h' end,
      case when status in ('queued', 'cancelled') then 0 else 1 end,
      case when status in ('queued', 'deferred') then now() + interval '1 day' end, true,
      case when status in ('queued', 'cancelled') then null else
        '{"code": 250, "enhanced": "2.1.5", "text": "2.1.5 Ok", "mx": "mx.busy.example"}'::jsonb end
     from rows cross join lateral (select
       case n % 3 when 0 then 'billing@sandbox.test' when 1 then 'news@sandbox.test' else 'ops@sandbox.test' end
         as sender,
       case when n % 10 < ${BUSY_SHARE} then '${BUSY}' else 'r' || n / 5 || '@example' || n % 50 || '.com' end
         as recipient) who`,
  `insert into delivery_queue (tenant_id, message_id, destination, due_at, created_at, expires_at)
    select tenant_id, message_id, 'busy.example', now() + interval '1 day', at, now() + interval '2 days'
      from rows where status in ('queued', 'deferred')`,
  `insert into leaves (tenant_id, leaf_id, log_id, message_id, canonical_hash, leaf_index, tree_size)
    select tenant_id, message_id, '00000000-0000-7000-8000-000000000000', message_id, hash, n / 2,
      (n / 2 / ${LEAVES_PER_BATCH} + 1) * ${LEAVES_PER_BATCH}
      from rows where certified and n < $1::bigint - 100`,
  `insert into events (tenant_id, event_id, message_id, type, occurred_at, data)
    select tenant_id, ${id('ms', 'n', '9')}, message_id, 'email.queued', at, jsonb_build_object('from',
      'billing@sandbox.test', 'to', 'ana@example.com', 'subject', 'Invoice ' || n, 'certified', certified)
      from rows`,
  `insert into events (tenant_id, event_id, message_id, type, occurred_at, data)
    select tenant_id, ${id('ms + 2000', 'n', 'a')}, message_id,
      'email.' || case status when 'complained' then 'sent' else status end, at + interval '2 s',
      jsonb_build_object('to', 'ana@example.com', 'reply', '2.1.5 Ok', 'reply_code', 250)
        || case when status = 'bounced' then jsonb_build_object('bounce_type', ${BOUNCE}) else '{}' end
      from rows where status <> 'queued'`,
  `insert into webhook_deliveries (tenant_id, delivery_id, webhook_id, event_id, message_id, type, body, status,
      attempts, last_status_code, created_at, delivered_at)
    select tenant_id, ${id('ms', 'n', 'b')}, $7::uuid, ${id('ms', 'n', '9')}, message_id, 'email.queued',
      convert_to('{"type":"email.queued","data":{"message_id":"' || message_id || '"}}', 'UTF8'),
      case n when 0 then 'failed' when 1 then 'pending' else 'delivered' end, 1, 200, at,
      case when n > 1 then at + interval '1 s' end
      from rows where tenant_id = $5::uuid`,
  `insert into webhook_queue (tenant_id, delivery_id, webhook_id, due_at)
    select tenant_id, ${id('ms', 'n', 'b')}, $7::uuid, now() + interval '1 day' from rows where n = 1`,
  `insert into suppressions (tenant_id, suppression_id, address, reason, source, message_id, created_at)
    select tenant_id, ${id('ms', 'n', '8')}, 'gone' || n || '@example.com', '550 5.1.1 no such user',
      case n when 0 then 'complaint' else 'bounce' end, message_id, at
      from rows where n % 5 = 0`,
  `insert into verification_log (tenant_id, query_id, api_key_id, message_id, occurred_at, answer,
      client_address, actor_name)
    select tenant_id, ${id('ms', 'n', '8')}, $7::uuid, message_id::text, at, 'valid', '192.0.2.1', 'bench'
      from rows where n % 5 = 0`,
];

const LOG_ID = '00000000-0000-7000-8000-000000000000';
const SIZES = `generate_series(${LEAVES_PER_BATCH}, $1::bigint, ${LEAVES_PER_BATCH}) size`;
const ONCE = [
  `insert into logs (log_id, origin, public_key, private_key_sealed, tree_size, created_at)
    values ('${LOG_ID}', 'bench.test/log', sha256('x'), 'x', $1::bigint, now())`,
  `insert into checkpoints (log_id, tree_size, batch_id, previous_tree_size, root_hash, note, created_at)
    select '${LOG_ID}', size, gen_random_uuid(), size - ${LEAVES_PER_BATCH}, sha256('x'), 'bench', now()
      from ${SIZES}`,
  `insert into certificates (certificate_id, log_id, tree_size, profile, issuer, policy_oid, serial_number,
      gen_time, hash_algorithm, imprint, token, chain, policy, created_at, covered_until)
    select gen_random_uuid(), '${LOG_ID}', size, 'development', 'bench', '1.2.3', size::text, now(), 'sha256',
      'x', 'x', array['x'::bytea], '{}', now(), now() + interval '10 years' from ${SIZES}`,
];
const ACCOUNTS = `insert into tenants (tenant_id, name, default_certified, quota_messages_month,
    quota_plain_messages_month, price_per_message_cents, price_per_plain_message_cents, created_at, updated_at)
  select ${OTHER_ACCOUNT('k')}, 'Account ' || k, true, 1000000, 1000000, 0, 0, now(), now()
    from generate_series(1, $1::bigint - 1) k`;
const COUNTED = `insert into daily_counters (tenant_id, day, ingested, ingested_certified, sent, bounced, sealed)
    select $1::uuid, current_date - n, 33000, 16500, 30000, 1300, 16500 from generate_series(0, 365) n`;

/** How far a filling has come, in a transaction with what it wrote: another run goes on there. */
const PROGRESS = `create table if not exists bench_filled (count bigint not null, now_ms bigint not null)`;

/**
 * `client`: of pg, as the owner of the database. `account`: {tenantId, webhookId}; with more than one account
 * the messages are spread over others that are made for it. Returns the id of the account's oldest message.
 */
export async function fill(client, { tenantId, webhookId }, count, { accounts = 1 } = {}) {
  await client.query('reset role');
  await client.query(PROGRESS);
  await client.query('grant all on bench_filled to acuse_worker');
  await client.query('set role acuse_worker');
  const { rows: before } = await client.query('select count, now_ms from bench_filled');
  const now = Number(before[0]?.now_ms ?? Date.now() - 60_000);
  if (before.length === 0) await begin(client, { tenantId, count, accounts, now });
  for (let from = Number(before[0]?.count ?? 0); from < count; from += STEP) {
    const below = Math.min(count, from + STEP);
    await client.query('begin');
    for (const statement of STATEMENTS) {
      const given = [count, from, below, now, tenantId, accounts, webhookId];
      const used = given.slice(0, statement.includes('$7') ? 7 : 6);
      await client.query(`${ROWS} ${statement}`, used);
    }
    await client.query('update bench_filled set count = $1', [below]);
    await client.query('commit');
    process.stderr.write(`\r${below} of ${count} messages written `);
  }
  process.stderr.write('\n');
  const { rows } = await client.query(
    'select min(message_id::text) as oldest from messages where tenant_id = $1',
    [tenantId],
  );
  await client.query('reset role');
  await client.query('vacuum (analyze)');
  return rows[0].oldest;
}

async function begin(client, { tenantId, count, accounts, now }) {
  await client.query('begin');
  for (const statement of ONCE) await client.query(statement, [count / 2 + LEAVES_PER_BATCH]);
  await client.query(ACCOUNTS, [accounts]);
  await client.query(COUNTED, [tenantId]);
  await client.query('insert into bench_filled values (0, $1)', [now]);
  await client.query('commit');
}
