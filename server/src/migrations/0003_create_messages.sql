-- Messages: what was accepted, its bytes, its events, when it is to be sent, and what becomes of its content.
-- Locks: none, all tables are new.

-- Only an accepted message claims its key; the row lasts as long as the message.
create table idempotency_claims (
  tenant_id uuid not null,
  idempotency_key text collate "C" not null check (length(idempotency_key) between 1 and 255),
  message_id uuid not null,
  -- SHA-256 over the parsed submission: the same key with another digest is idempotency_key_reused.
  submission_digest bytea not null check (length(submission_digest) = 32),
  primary key (tenant_id, idempotency_key)
);
grant select on idempotency_claims to acuse_request;
alter table idempotency_claims enable row level security, force row level security;
create policy worker on idempotency_claims to acuse_worker using (true) with check (true);
create policy tenant on idempotency_claims to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

create table messages (
  tenant_id uuid not null,
  message_id uuid not null,
  idempotency_key text collate "C" not null,
  -- As given (display name included) and as compared and sent to.
  header_from text not null,
  header_to text not null,
  sender_address text not null,
  recipient_address text not null,
  -- MAIL FROM (VERP) that every attempt uses: part of what the manifest commits to.
  reverse_path text not null,
  subject text not null,
  certified boolean not null,
  status text not null check (status in ('scheduled', 'queued', 'sent', 'deferred', 'bounced', 'cancelled',
    'complained')),
  template_id uuid,
  template_version integer,
  tags text[] not null default '{}',
  metadata jsonb not null default '{}',
  size_bytes integer not null check (size_bytes > 0),
  -- SHA-256 of the manifest (certified only) and its place in the account's own count.
  canonical_hash bytea check (length(canonical_hash) = 32),
  tenant_sequence bigint,
  created_at timestamptz(3) not null,
  sent_at timestamptz(3),
  deferred_at timestamptz(3),
  bounced_at timestamptz(3),
  complained_at timestamptz(3),
  attempts integer not null default 0,
  next_attempt_at timestamptz(3),
  last_reply jsonb,
  -- When the message was erased on request: from then on its record holds no word of its content, and takes
  -- no news.
  erased_at timestamptz(3),
  -- Accepted in the sandbox: goes to the test mailbox and nowhere else, whatever mode a process on this
  -- database runs in later; what was accepted for the world never goes there.
  sandbox boolean not null default false,
  -- Who delivered the report that ended the message, if one did, what DKIM and SPF said of it, and what it
  -- claims.
  reported_by_mail jsonb,
  cancelled_at timestamptz(3),
  send_at timestamptz(3),
  -- When a scheduled message fell due; null for one that was queued when it was accepted.
  queued_at timestamptz(3),
  -- A column, because row-level security keeps an expression that may tell of rows (`lower`) from being
  -- looked up in an index.
  recipient_key text not null generated always as (lower(recipient_address)) stored,
  bounce_type text check (bounce_type in ('hard', 'soft', 'policy', 'expired', 'suppressed')),
  -- Written in place (HOT) is what changes no column of an index, and not of an index's condition either:
  -- this one changes with such an end alone.
  ended_as text generated always as (case when status in ('bounced', 'complained', 'cancelled') then status
    end) stored,
  primary key (tenant_id, message_id),
  check (certified = (canonical_hash is not null)),
  check (certified = (tenant_sequence is not null)),
  check (status <> 'sent' or sent_at is not null),
  check (status <> 'deferred' or deferred_at is not null),
  check (status <> 'bounced' or bounced_at is not null),
  check (status <> 'complained' or (complained_at is not null and sent_at is not null)),
  check (template_version is null or template_id is not null),
  constraint messages_erased_check check (erased_at is null or (subject = '' and header_to = '' and
    recipient_address = '' and next_attempt_at is null)),
  -- Nothing precedes it but attempts that were deferred, and nothing follows.
  constraint messages_cancelled_check check ((status = 'cancelled') = (cancelled_at is not null)
    and (cancelled_at is null or num_nonnulls(sent_at, bounced_at, complained_at) = 0)),
  constraint messages_next_attempt_check
    check ((status in ('scheduled', 'queued', 'deferred')) = (next_attempt_at is not null)),
  -- Only one that fell due is tried; one that never did was cancelled.
  constraint messages_scheduled_check
    check (case when send_at is null then status <> 'scheduled' and queued_at is null
                when queued_at is null then status in ('scheduled', 'cancelled')
                else status <> 'scheduled' end)
  -- A page keeps room for the update that every message gets, so that no index has to learn of it. Vacuum
  -- comes after a fiftieth of the rows instead of a fifth, and statistics follow as soon.
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
-- A bounce and an operator name a message and no account, and say so by the condition, which is always true:
-- without it a list could be read backwards through the messages of all accounts.
create index messages_by_id on messages (message_id) where size_bytes > 0;
-- Lists find a recipient's messages by an index, and what is rare by one that knows the rare ones only, so
-- that neither a send nor a delivery keeps another: whatever else is looked for is looked for among the
-- newest. What waits is found by its queue.
create index messages_by_recipient on messages (tenant_id, recipient_key, message_id);
create index messages_by_end on messages (tenant_id, ended_as, message_id) where ended_as is not null;
create index messages_by_bounce on messages (tenant_id, bounce_type, message_id)
  where bounce_type is not null;
create index messages_by_template on messages (tenant_id, template_id, message_id)
  where template_id is not null;
grant select on messages to acuse_request;
alter table messages enable row level security, force row level security;
create policy worker on messages to acuse_worker using (true) with check (true);
create policy tenant on messages to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

-- The bytes: what was asked (submission) and what we composed (raw, from our own first header on). Small ones
-- stay in their row: written and read without a second table and its index. Contents of a month are deleted
-- at a stretch: vacuum follows after a fiftieth of the rows, so that new contents take the place
-- (docs/decisions/0042).
create table message_contents (
  tenant_id uuid not null,
  message_id uuid not null,
  raw bytea not null,
  submission bytea not null,
  primary key (tenant_id, message_id)
) with (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.02,
  toast.autovacuum_vacuum_scale_factor = 0.02);
alter table message_contents alter column raw set storage external,
  alter column submission set storage external;
grant select on message_contents to acuse_request;
alter table message_contents enable row level security, force row level security;
create policy worker on message_contents to acuse_worker using (true) with check (true);
create policy tenant on message_contents to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

-- Which messages a request with several recipients made.
create table message_copies (
  tenant_id uuid not null,
  -- The message that the request was answered with: its idempotency claim names it.
  first_message_id uuid not null,
  -- Place of the recipient among those of the request, from 0. One without a row was left out, because it was
  -- suppressed.
  position smallint not null check (position >= 0),
  message_id uuid not null,
  primary key (tenant_id, first_message_id, position)
);
grant select on message_copies to acuse_request;
alter table message_copies enable row level security, force row level security;
create policy worker on message_copies to acuse_worker using (true) with check (true);
create policy tenant on message_copies to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

-- Messages that are accepted now and sent later (docs/decisions/0020). One that is scheduled is in no queue:
-- when it falls due, it leaves this table for the delivery queue.
create table scheduled_messages (
  tenant_id uuid not null,
  message_id uuid not null,
  send_at timestamptz(3) not null,
  primary key (tenant_id, message_id)
  -- As every queue: see delivery_queue.
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0);
-- An account's in the order in which they fall due; what is due, over all accounts (see delivery_queue).
create index scheduled_messages_due on scheduled_messages (tenant_id, send_at);
create index scheduled_messages_by_due on scheduled_messages (timezone('UTC', send_at));
grant select on scheduled_messages to acuse_request;
alter table scheduled_messages enable row level security, force row level security;
create policy worker on scheduled_messages to acuse_worker using (true) with check (true);
create policy tenant on scheduled_messages to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

-- A cancellation is an event that no webhook is told of (docs/decisions/0012).
create table events (
  tenant_id uuid not null,
  event_id uuid not null,
  message_id uuid not null,
  type text not null check (type in ('email.queued', 'email.sent', 'email.deferred', 'email.bounced',
    'email.cancelled', 'email.complained', 'email.sealed')),
  occurred_at timestamptz(3) not null,
  data jsonb not null,
  primary key (tenant_id, event_id)
);
create index events_by_message on events (tenant_id, message_id, event_id);
grant select on events to acuse_request;
alter table events enable row level security, force row level security;
create policy worker on events to acuse_worker using (true) with check (true);
create policy tenant on events to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

-- Content that is gone and was meant to be. Content that is gone without a row here was tampered with.
create table content_deletions (
  tenant_id uuid not null,
  message_id uuid not null,
  -- retention: the days of plain content were over; the message's record stays as it is. erasure: somebody
  -- asked for it.
  cause text not null check (cause in ('retention', 'erasure')),
  deleted_at timestamptz(3) not null,
  reason text check (length(reason) between 1 and 500),
  deleted_by text check (length(deleted_by) between 1 and 200),
  primary key (tenant_id, message_id),
  check ((cause = 'erasure') = (reason is not null)),
  check ((cause = 'erasure') = (deleted_by is not null))
);
-- What was deleted last, and whether much was, is read from the end of this index. Rows of one page have one
-- time, so that it holds them as one entry.
create index content_deletions_by_time on content_deletions (cause, deleted_at);
grant select on content_deletions to acuse_request;
alter table content_deletions enable row level security, force row level security;
create policy worker on content_deletions to acuse_worker using (true) with check (true);
create policy tenant on content_deletions to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

-- Whose plain content is looked through next, and from where. Accounts without a row are due.
create table retention_sweeps (
  tenant_id uuid primary key references tenants,
  -- Every plain message up to this id has lost its content; null: nothing was looked at yet.
  swept_to uuid,
  due_at timestamptz(3) not null,
  -- Sweeps begun; every write-back is fenced by it.
  attempt bigint not null default 0
);
alter table retention_sweeps enable row level security, force row level security;
create policy worker on retention_sweeps to acuse_worker using (true) with check (true);

-- Links by which a stranger gets the proof of one message, or of chosen parts of it.
create table shares (
  tenant_id uuid not null references tenants,
  share_id uuid not null,
  message_id uuid not null,
  secret_sha256 bytea not null check (length(secret_sha256) = 32),
  -- What of the message is disclosed.
  shows_message boolean not null,
  shows_parts smallint[] not null,
  shows_delivery boolean not null,
  note text check (length(note) between 1 and 200),
  -- The person who made it, with the name of that time.
  created_by uuid not null,
  created_by_name text not null check (length(created_by_name) <= 400),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  opened bigint not null default 0 check (opened >= 0),
  last_opened_at timestamptz(3),
  primary key (tenant_id, share_id),
  check (expires_at > created_at),
  check (shows_message or shows_delivery or cardinality(shows_parts) > 0),
  check ((opened = 0) = (last_opened_at is null))
);
create index shares_by_message on shares (tenant_id, message_id, share_id);
-- Whoever opens one names nothing else.
create unique index shares_by_id on shares (share_id);
grant select, insert, update on shares to acuse_request;
alter table shares enable row level security, force row level security;
create policy worker on shares to acuse_worker using (true) with check (true);
create policy tenant on shares to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);
