// Rows of an account with very many messages, as sends, deliveries, seals and webhooks leave them, in the
// text format of COPY. Everything about a message follows from its number, which counts from 0, the oldest:
// what was written in one run needs not be read in the next. Small bodies, and contents of the newest
// messages only: the older ones have lost them to retention.

import { createHash, randomBytes } from 'node:crypto';

const DAYS = 30;
const DAY_MS = 86_400_000;
/** Of 100 messages to one recipient; of all others a recipient has five. */
const BUSY_PERCENT = 30;
export const BUSY = 'ops@busy.example';
/** Found once, in the oldest message: what a rare filter looks for. */
export const NEEDLE = 'needle';
/** Leaves under one certificate. */
export const LEAVES_PER_BATCH = 100;
export const LOG_ID = '00000000-0000-7000-8000-000000000000';
/** One message of so many has it. */
const CERTIFIED_EVERY = 10;
const WEBHOOK_EVERY = 20;
const SUPPRESSED_EVERY = 25;
const VERIFIED_EVERY = 50;
/** Of the newest, as a share of all: what keeps its contents, and what its attempts. */
const WITH_CONTENT = 0.02;
const WITH_ATTEMPTS = 0.03;
/** The newest certified messages are not sealed yet. */
const UNSEALED = 1_000;
const WAITING_MS = 2 * DAY_MS;
const SENDERS = ['billing@sandbox.test', 'news@sandbox.test', 'ops@sandbox.test'];
const BOUNCES = ['hard', 'soft', 'policy'];
const REPLY = '{"mx":"mx.busy.example","code":250,"text":"OK","enhanced":"2.0.0"}';
const SENT = '{"mx":"mx.busy.example","reply":"OK","reply_code":250}';
const SESSIONS = `[{"mx":"mx.busy.example","address":"192.0.2.1","port":25,"local_address":"192.0.2.2",${'"earlier_messages":7,"tls_policy":"opportunistic","tls":null,'}"reply":{"code":250,"enhanced":"2.0.0","text":"OK"},"stage":"dot","error":null,"transcript":[${'{"t_ms":2,"who":"C","line":"MAIL FROM:<b+redacted@bounce.sandbox.test>"},'}{"t_ms":3,"who":"S","line":"250 2.1.0 OK"},{"t_ms":9,"who":"S","line":"250 2.0.0 OK"}]}]`;
const SMALL = hex(Buffer.from('Service-Evidence: v=1\r\nSubject: Invoice\r\n\r\nYour invoice is ready.\r\n'));
const MANIFEST = hex(Buffer.from('{"type":"acuse/message/v2"}'.padEnd(600)));

/** A UUIDv7 of a time in milliseconds and a number. RFC 9562 §5.7 */
function id(ms, n, kind) {
  const time = ms.toString(16).padStart(12, '0');
  const random = n.toString(16).padStart(12, '0');
  const low = (n % 4096).toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${low}-${kind}000-${random}`;
}

export const otherAccount = (number) => `00000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;

/** 92 % sent, 4 % bounced, the others rarer; one in 1 000 complained about. */
function statusOf(n) {
  const of100 = n % 100;
  if (of100 < 92) return n % 1_000 === 91 ? 'complained' : 'sent';
  if (of100 < 96) return 'bounced';
  if (of100 === 96) return 'deferred';
  if (of100 === 97) return 'queued';
  return of100 === 98 ? 'cancelled' : 'sent';
}

function hex(bytes) {
  return `\\\\x${bytes.toString('hex')}`;
}

/**
 * `world`: {count, accounts, nowMs, tenantId, webhookId}; `withContent`: the share of messages, the newest,
 * that keep their contents; `bodyBytes`: of what is sent, 2/3 of its size as a message; small without it.
 * `days`: that they were accepted in; `attemptsTo`: the share of the oldest that have their attempts, too.
 */
function messageOf(n, { count, accounts, nowMs, tenantId, days = DAYS }) {
  const ms = Math.floor(nowMs - ((count - n) * days * DAY_MS) / count);
  // A hundred messages of each in turn, in which every state is.
  const account = Math.floor(n / 100) % accounts;
  const certified = n % CERTIFIED_EVERY === 0;
  const busy = (n * 7) % 100 < BUSY_PERCENT;
  return {
    n,
    ms,
    at: new Date(ms).toISOString(),
    later: new Date(ms + 2_000).toISOString(),
    tenant: account === 0 ? tenantId : otherAccount(account),
    id: id(ms, n, '8'),
    status: statusOf(n),
    bounce: BOUNCES[n % 3],
    certified,
    hash: certified ? hex(createHash('sha256').update(String(n)).digest()) : '\\N',
    sealed: certified && n < count - UNSEALED,
    sender: SENDERS[n % 3],
    to: busy ? BUSY : `r${Math.floor(n / 5)}@example${Math.floor(n / 5) % 50}.com`,
  };
}

const when = (condition, value) => (condition ? value : '\\N');
const is = (m, ...states) => states.includes(m.status);

/** By table: its columns, and the lines that a message has there. */
const TABLES = {
  messages: {
    columns: `tenant_id, message_id, idempotency_key, header_from, header_to, sender_address,
      recipient_address, reverse_path, subject, certified, status, template_id, template_version, tags,
      metadata, size_bytes, canonical_hash, tenant_sequence, created_at, sent_at, deferred_at, bounced_at,
      cancelled_at, complained_at, attempts, next_attempt_at, sandbox, last_reply,
      bounce_type`,
    lines(m, { dueAt }) {
      const oldest = m.n === 0;
      const marked = m.n % 4 === 0;
      return [
        [
          ...[m.tenant, m.id, `b-${m.n}`, m.sender, m.to, m.sender, m.to],
          `b+agraoq22yjyabedoznspy4zebniuvt5h2fpa6xjt${m.n}@bounce.sandbox.test`,
          oldest ? NEEDLE : `Invoice ${m.n} of March`,
          ...[m.certified, m.status, when(oldest, m.id), when(oldest, 1)],
          oldest ? `{${NEEDLE}}` : marked ? '{invoice,march}' : '{}',
          oldest ? `{"${NEEDLE}":"1"}` : marked ? `{"order":"${m.n}"}` : '{}',
          ...[500 + (m.n % 100), m.hash, when(m.certified, m.n + 1), m.at],
          ...[when(is(m, 'sent', 'complained'), m.later), when(is(m, 'deferred'), m.later)],
          ...[when(is(m, 'bounced'), m.later), when(is(m, 'cancelled'), m.later)],
          when(is(m, 'complained'), m.later),
          is(m, 'queued', 'cancelled') ? 0 : 1,
          when(is(m, 'queued', 'deferred'), dueAt),
          true,
          when(!is(m, 'queued', 'cancelled'), REPLY),
          when(is(m, 'bounced'), m.bounce),
        ],
      ];
    },
  },
  message_contents: {
    columns: 'tenant_id, message_id, raw, submission',
    lines: (m, { count, withContent = WITH_CONTENT, contents = null }) =>
      m.n < count * (1 - withContent)
        ? []
        : [[m.tenant, m.id, ...(contents === null ? [SMALL, SMALL] : contents[m.n % contents.length])]],
  },
  content_deletions: {
    columns: 'tenant_id, message_id, cause, deleted_at',
    lines: (m, { count, withContent = WITH_CONTENT }) =>
      m.n < count * (1 - withContent) && !is(m, 'queued', 'deferred')
        ? [[m.tenant, m.id, 'retention', new Date(m.ms + DAY_MS).toISOString()]]
        : [],
  },
  idempotency_claims: {
    columns: 'tenant_id, idempotency_key, message_id, submission_digest',
    lines: (m) => [[m.tenant, `b-${m.n}`, m.id, hex(Buffer.alloc(32, m.n % 251))]],
  },
  delivery_queue: {
    columns: 'tenant_id, message_id, destination, due_at, created_at, expires_at',
    lines: (m, { dueAt, nowMs }) =>
      is(m, 'queued', 'deferred')
        ? [[...[m.tenant, m.id, 'busy.example', dueAt, m.at], new Date(nowMs + WAITING_MS).toISOString()]]
        : [],
  },
  attempts: {
    columns: 'tenant_id, message_id, attempt, started_at, finished_at, outcome, bounce_type, reply, sessions',
    lines(m, { count, attemptsTo = 0 }) {
      const gone = m.n >= count * attemptsTo && m.n < count * (1 - WITH_ATTEMPTS);
      if (gone || is(m, 'queued', 'cancelled')) return [];
      const outcome = is(m, 'complained') ? 'sent' : m.status;
      const bounce = when(is(m, 'bounced'), m.bounce);
      return [[m.tenant, m.id, 1, m.at, m.later, outcome, bounce, REPLY, SESSIONS]];
    },
  },
  leaves: {
    columns: 'tenant_id, leaf_id, log_id, message_id, canonical_hash, leaf_index, tree_size',
    lines(m) {
      if (!m.sealed) return [];
      const place = (m.n / CERTIFIED_EVERY) * 2;
      const size = (Math.floor(place / LEAVES_PER_BATCH) + 1) * LEAVES_PER_BATCH;
      return [
        [m.tenant, m.id, LOG_ID, m.id, m.hash, place, size],
        [m.tenant, id(m.ms + 2_000, m.n, 'b'), LOG_ID, m.id, m.hash, place + 1, size],
      ];
    },
  },
  leaf_contents: {
    columns: 'tenant_id, leaf_id, message_id, kind, canonical_hash, manifest, created_at, ordinal',
    lines: (m, { count }) =>
      m.certified && m.n >= count * (1 - WITH_CONTENT)
        ? [[m.tenant, m.id, m.id, 'message', m.hash, MANIFEST, m.at, 0]]
        : [],
  },
  events: {
    columns: 'tenant_id, event_id, message_id, type, occurred_at, data',
    lines(m) {
      // email.queued is its message.
      if (is(m, 'queued')) return [];
      const data = is(m, 'bounced') ? `{"bounce_type":"${m.bounce}","reply_code":550}` : SENT;
      const type = `email.${is(m, 'complained') ? 'sent' : m.status}`;
      const rows = [[m.tenant, id(m.ms + 2_000, m.n, 'a'), m.id, type, m.later, data]];
      if (is(m, 'complained'))
        rows.push([m.tenant, id(m.ms + 2_001, m.n, 'a'), m.id, 'email.complained', m.later, '{}']);
      return rows;
    },
  },
  webhook_deliveries: {
    columns: `tenant_id, delivery_id, webhook_id, event_id, message_id, type, body, failed,
      created_at`,
    lines(m, { tenantId, webhookId }) {
      if (m.n % WEBHOOK_EVERY !== 0 || m.tenant !== tenantId) return [];
      const body = hex(Buffer.from(`{"type":"email.queued","data":{"message_id":"${m.id}"}}`));
      const known = [m.tenant, id(m.ms, m.n, 'b'), webhookId, m.id, m.id, 'email.queued', body];
      return [[...known, webhookStatus(m.n) === 'failed', m.at]];
    },
  },
  webhook_attempts: {
    columns: `tenant_id, delivery_id, attempt, started_at, duration_ms, status_code, error, response_headers,
      response_excerpt`,
    lines(m, { tenantId }) {
      const status = webhookStatus(m.n);
      if (m.n % WEBHOOK_EVERY !== 0 || m.tenant !== tenantId || status === 'pending') return [];
      const answer = status === 'delivered' ? [200, '\\N'] : [500, 'answered 500'];
      return [
        [m.tenant, id(m.ms, m.n, 'b'), 1, m.later, 12, ...answer, '{"connection": "keep-alive"}', 'ok'],
      ];
    },
  },
  webhook_queue: {
    columns: 'tenant_id, delivery_id, webhook_id, due_at',
    lines: (m, { tenantId, webhookId, dueAt }) =>
      m.n % WEBHOOK_EVERY === 0 && m.tenant === tenantId && webhookStatus(m.n) === 'pending'
        ? [[m.tenant, id(m.ms, m.n, 'b'), webhookId, dueAt]]
        : [],
  },
  suppressions: {
    columns: 'tenant_id, suppression_id, address, reason, source, message_id, created_at',
    lines: (m) =>
      m.n % SUPPRESSED_EVERY === 0
        ? [
            [
              ...[m.tenant, id(m.ms, m.n, '8'), `gone${m.n}@example.com`, '550 5.1.1 no such user'],
              ...[m.n === 0 ? 'complaint' : 'bounce', m.id, m.at],
            ],
          ]
        : [],
  },
  verification_log: {
    columns: 'tenant_id, query_id, api_key_id, message_id, occurred_at, answer, client_address, actor_name',
    lines: (m, { webhookId }) =>
      m.n % VERIFIED_EVERY === 0
        ? [[m.tenant, id(m.ms, m.n, '8'), webhookId, m.id, m.at, 'valid', '192.0.2.1', 'bench']]
        : [],
  },
};

function webhookStatus(n) {
  if (n % (100 * WEBHOOK_EVERY) === 0) return 'failed';
  return n % (100 * WEBHOOK_EVERY) === WEBHOOK_EVERY ? 'pending' : 'delivered';
}

/** Some contents of that size: text that hardly compresses, as messages with attachments are. */
function contentsOf({ bodyBytes }) {
  if (bodyBytes === undefined) return null;
  made ??= Array.from({ length: 64 }, () => {
    const text = randomBytes(bodyBytes).toString('base64').slice(0, bodyBytes);
    return [hex(Buffer.from(`${text}${text.slice(0, bodyBytes / 2)}`)), hex(Buffer.from(text))];
  });
  return made;
}

let made;

/** The name of each table that is filled, with its columns. */
export const FILLED = Object.entries(TABLES).map(([table, { columns }]) => ({ table, columns }));

/** The messages with these numbers, in parts of so many lines: for COPY table (columns) FROM STDIN. */
export function* linesOf(table, world, from, below) {
  const dueAt = new Date(world.nowMs + DAY_MS).toISOString();
  const known = { ...world, dueAt, contents: contentsOf(world) };
  const { lines } = TABLES[table];
  let part = [];
  for (let n = from; n < below; n++) {
    for (const line of lines(messageOf(n, world), known)) part.push(line.join('\t'));
    if (part.length < 500) continue;
    yield `${part.join('\n')}\n`;
    part = [];
  }
  if (part.length > 0) yield `${part.join('\n')}\n`;
}

/** The id of the account's oldest message. */
export const oldestOf = (world) => messageOf(0, world).id;
