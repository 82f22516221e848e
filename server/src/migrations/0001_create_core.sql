-- The foundation: tenants and what they own, a message and its way out, the log and its seals.
-- Locks: none that matter, everything here is new.
--
-- Rules of this schema: every key leads with tenant_id; ids are UUIDv7 made by the server; no sequences,
-- triggers or PL/pgSQL; states are check constraints; queue rows are deleted when done; attempts and events
-- are append-only. acuse_request sees one tenant (acuse.tenant_id), acuse_worker all; neither may bypass
-- row-level security.

create table tenants (
  tenant_id uuid primary key,
  name text not null check (length(name) between 1 and 200),
  status text not null default 'active' check (status in ('active', 'suspended', 'deactivated')),
  default_certified boolean not null,
  quota_messages_month bigint not null check (quota_messages_month >= 0),
  quota_plain_messages_month bigint not null check (quota_plain_messages_month >= 0),
  price_per_message_cents integer not null check (price_per_message_cents >= 0),
  price_per_plain_message_cents integer not null check (price_per_plain_message_cents >= 0),
  sandbox boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

create table api_keys (
  tenant_id uuid not null references tenants,
  api_key_id uuid not null,
  name text not null check (length(name) between 1 and 200),
  scopes text[] not null check (scopes <@ array['messages:send', 'evidence:read', 'suppressions:write',
    'api_keys:write']),
  secret_sha256 bytea not null check (length(secret_sha256) = 32),
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  primary key (tenant_id, api_key_id)
);
create index api_keys_by_id on api_keys (api_key_id);

create table domains (
  tenant_id uuid not null references tenants,
  domain_id uuid not null,
  name text not null check (name = lower(name) and length(name) between 1 and 253),
  status text not null default 'pending' check (status in ('pending', 'verified', 'failing')),
  challenge text not null,
  -- What the last look-up found, as the API shows it.
  records jsonb not null default '[]',
  created_at timestamptz(3) not null,
  verified_at timestamptz(3),
  checked_at timestamptz(3),
  -- Set when a verified domain is first found broken; past it the domain is failing.
  grace_until timestamptz(3),
  primary key (tenant_id, domain_id),
  unique (tenant_id, name),
  check ((status = 'pending') or verified_at is not null)
);

-- A domain belongs to at most one tenant as verified. A reference table where tables are distributed.
create table verified_domains (
  name text primary key,
  tenant_id uuid not null,
  domain_id uuid not null
);

create table dkim_keys (
  tenant_id uuid not null,
  dkim_key_id uuid not null,
  domain_id uuid not null,
  selector text not null check (selector ~ '^[a-z0-9-]{1,63}$'),
  algorithm text not null check (algorithm in ('rsa-sha256', 'ed25519-sha256')),
  -- The p= value of the DNS record (base64), as a verifier will find it.
  public_key text not null,
  private_key_sealed bytea not null,
  -- pending: published, not signing yet; active: signing; retired: no longer signing, record still worth
  -- publishing.
  status text not null default 'active' check (status in ('pending', 'active', 'retired')),
  created_at timestamptz(3) not null,
  retired_at timestamptz(3),
  primary key (tenant_id, dkim_key_id),
  unique (tenant_id, domain_id, selector),
  foreign key (tenant_id, domain_id) references domains on delete cascade,
  check ((status = 'retired') = (retired_at is not null))
);

create table senders (
  tenant_id uuid not null,
  sender_id uuid not null,
  domain_id uuid not null,
  -- A full address, or *@domain.
  address text not null check (address like '%@%' and length(address) <= 320),
  active boolean not null default true,
  created_at timestamptz(3) not null,
  primary key (tenant_id, sender_id),
  unique (tenant_id, address),
  foreign key (tenant_id, domain_id) references domains on delete cascade
);

create table suppressions (
  tenant_id uuid not null references tenants,
  suppression_id uuid not null,
  -- The address as compared: A-label domain, all lower case.
  address text not null check (length(address) <= 320),
  reason text not null,
  source text not null check (source in ('manual', 'bounce', 'complaint')),
  -- The message whose refusal or complaint put it here.
  message_id uuid,
  created_at timestamptz(3) not null,
  primary key (tenant_id, suppression_id),
  unique (tenant_id, address)
);

-- The operator's own list, for every tenant. A reference table where tables are distributed.
create table global_suppressions (
  address text primary key check (length(address) <= 320),
  reason text not null,
  created_at timestamptz(3) not null
);

create table quota_usage (
  tenant_id uuid not null references tenants,
  month date not null check (extract(day from month) = 1),
  bag text not null check (bag in ('certified', 'plain')),
  used bigint not null check (used >= 0),
  primary key (tenant_id, month, bag)
);

-- The last sequence number given to a certified message of the tenant: gap-free, so that a missing leaf
-- shows.
create table tenant_sequences (
  tenant_id uuid primary key references tenants,
  last_sequence bigint not null check (last_sequence >= 0)
);

-- How often each state was first entered on a UTC day. Counts messages, never attempts.
create table daily_counters (
  tenant_id uuid not null references tenants,
  day date not null,
  ingested bigint not null default 0,
  ingested_certified bigint not null default 0,
  sent bigint not null default 0,
  deferred bigint not null default 0,
  bounced bigint not null default 0,
  complained bigint not null default 0,
  sealed bigint not null default 0,
  primary key (tenant_id, day)
);

-- Only an accepted message claims its key; the row lasts as long as the message.
create table idempotency_claims (
  tenant_id uuid not null,
  idempotency_key text collate "C" not null check (length(idempotency_key) between 1 and 255),
  message_id uuid not null,
  -- SHA-256 over the parsed submission: the same key with another digest is idempotency_key_reused.
  submission_digest bytea not null check (length(submission_digest) = 32),
  primary key (tenant_id, idempotency_key)
);

create table messages (
  tenant_id uuid not null references tenants,
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
  status text not null check (status in ('queued', 'sent', 'deferred', 'bounced', 'complained')),
  template_id uuid,
  template_version integer,
  tags text[] not null default '{}',
  metadata jsonb not null default '{}',
  size_bytes integer not null check (size_bytes > 0),
  -- SHA-256 of the manifest (certified only) and its place in the tenant's own count.
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
  primary key (tenant_id, message_id),
  check (certified = (canonical_hash is not null)),
  check (certified = (tenant_sequence is not null)),
  check (status <> 'sent' or sent_at is not null),
  check (status <> 'deferred' or deferred_at is not null),
  check (status <> 'bounced' or bounced_at is not null),
  check (status <> 'complained' or (complained_at is not null and sent_at is not null)),
  check ((status in ('queued', 'deferred')) = (next_attempt_at is not null)),
  check (template_version is null or template_id is not null)
);
-- A bounce names a message and no tenant.
create index messages_by_id on messages (message_id);

-- The bytes: what was asked (submission) and what we composed (raw, from our own first header on).
create table message_contents (
  tenant_id uuid not null,
  message_id uuid not null,
  raw bytea not null,
  submission bytea not null,
  primary key (tenant_id, message_id)
);
alter table message_contents alter column raw set storage external,
  alter column submission set storage external;

create table events (
  tenant_id uuid not null,
  event_id uuid not null,
  message_id uuid not null,
  type text not null check (type in ('email.queued', 'email.sent', 'email.deferred', 'email.bounced',
    'email.complained', 'email.sealed')),
  occurred_at timestamptz(3) not null,
  data jsonb not null,
  primary key (tenant_id, event_id)
);
create index events_by_message on events (tenant_id, message_id, event_id);

-- A message still to be delivered. A claim moves due_at to the end of its lease, so a lost worker's row comes
-- due again by itself.
create table delivery_queue (
  tenant_id uuid not null,
  message_id uuid not null,
  -- The domain (A-label) that the recipient's mail goes to.
  destination text not null,
  due_at timestamptz(3) not null,
  -- Attempts begun; every write-back is fenced by it.
  attempt integer not null default 0,
  leased_until timestamptz(3),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  primary key (tenant_id, message_id)
);
create index delivery_queue_due on delivery_queue (tenant_id, due_at);

create table attempts (
  tenant_id uuid not null,
  message_id uuid not null,
  attempt integer not null check (attempt > 0),
  started_at timestamptz(3) not null,
  finished_at timestamptz(3) not null,
  outcome text not null check (outcome in ('sent', 'deferred', 'bounced')),
  bounce_type text check (bounce_type in ('hard', 'soft', 'policy', 'expired', 'suppressed')),
  -- {code, enhanced, text, mx} of the deciding reply, or null when none came.
  reply jsonb,
  -- One entry a host tried: {mx, address, tls, transcript, error}.
  sessions jsonb not null,
  primary key (tenant_id, message_id, attempt),
  check ((outcome = 'bounced') = (bounce_type is not null))
);

-- Delivery status notifications (RFC 3464): stored and served, never mailed. One a change of state, so that a
-- message that was relayed and bounced later shows both; the newest is the message's state.
create table delivery_reports (
  tenant_id uuid not null,
  message_id uuid not null,
  action text not null check (action in ('delayed', 'relayed', 'delivered', 'failed')),
  report bytea not null,
  created_at timestamptz(3) not null,
  primary key (tenant_id, message_id, action)
);
alter table delivery_reports alter column report set storage external;

-- One append-only RFC 6962 log an installation; tree_size is the compare-and-swap that makes its writer one.
create table logs (
  log_id uuid primary key,
  origin text not null unique,
  public_key bytea not null check (length(public_key) = 32),
  private_key_sealed bytea not null,
  tree_size bigint not null default 0 check (tree_size >= 0),
  created_at timestamptz(3) not null
);

-- What a leaf commits to: the exact hashed bytes, and the salts that open its commitments (the owner's, never
-- public).
create table leaf_contents (
  tenant_id uuid not null,
  leaf_id uuid not null,
  message_id uuid not null,
  kind text not null check (kind in ('message', 'delivery')),
  canonical_hash bytea not null check (length(canonical_hash) = 32),
  manifest bytea not null,
  openings bytea,
  created_at timestamptz(3) not null,
  primary key (tenant_id, leaf_id)
);
create index leaf_contents_by_message on leaf_contents (tenant_id, message_id, leaf_id);
alter table leaf_contents alter column manifest set storage external;

-- Leaves that no checkpoint covers yet. The index is given at sequencing and nowhere earlier.
create table pending_leaves (
  tenant_id uuid not null,
  leaf_id uuid not null,
  log_id uuid not null,
  message_id uuid not null,
  canonical_hash bytea not null check (length(canonical_hash) = 32),
  primary key (tenant_id, leaf_id)
);
-- leaf_id is a UUIDv7: its order is the order of acceptance.
create index pending_leaves_oldest on pending_leaves (log_id, leaf_id);

create table leaves (
  tenant_id uuid not null,
  leaf_id uuid not null,
  log_id uuid not null,
  message_id uuid not null,
  canonical_hash bytea not null check (length(canonical_hash) = 32),
  leaf_index bigint not null check (leaf_index >= 0),
  -- Size of the first checkpoint that covers the leaf: its batch.
  tree_size bigint not null,
  primary key (tenant_id, leaf_id),
  unique (tenant_id, log_id, leaf_index),
  check (leaf_index < tree_size)
);
create index leaves_by_index on leaves (log_id, leaf_index);
create index leaves_by_message on leaves (tenant_id, message_id);

-- C2SP tlog-tiles: the newest width of each tile; a narrower one is its prefix.
create table log_tiles (
  log_id uuid not null references logs,
  level smallint not null check (level between 0 and 7),
  tile_index bigint not null check (tile_index >= 0),
  hashes bytea not null check (length(hashes) between 32 and 8192 and length(hashes) % 32 = 0),
  primary key (log_id, level, tile_index)
);
alter table log_tiles alter column hashes set storage external;

-- A batch is the range between two checkpoints; batch_id names the checkpoint that ends it.
create table checkpoints (
  log_id uuid not null references logs,
  tree_size bigint not null check (tree_size > 0),
  batch_id uuid not null unique,
  previous_tree_size bigint not null check (previous_tree_size >= 0),
  root_hash bytea not null check (length(root_hash) = 32),
  -- The signed note, exactly as served; its three-line text is what the constancia stamps.
  note text not null,
  created_at timestamptz(3) not null,
  primary key (log_id, tree_size),
  check (previous_tree_size < tree_size)
);

-- A verified time-stamp over a checkpoint's text. Nothing is stored here that did not verify first.
create table certificates (
  certificate_id uuid primary key,
  log_id uuid not null,
  tree_size bigint not null,
  profile text not null check (profile in ('nom151', 'rfc3161', 'development')),
  issuer text not null,
  policy_oid text not null,
  serial_number text not null,
  gen_time timestamptz(3) not null,
  hash_algorithm text not null,
  imprint bytea not null,
  token bytea not null,
  -- The chain as verified when it was stamped: DER, signer first, pinned root last.
  chain bytea[] not null check (cardinality(chain) > 0),
  -- The policy it was verified under (name, pinned roots, …), so that it can be verified again the same way.
  policy jsonb not null,
  created_at timestamptz(3) not null,
  foreign key (log_id, tree_size) references checkpoints,
  unique (log_id, tree_size)
);

-- Checkpoints that have no constancia yet, and why.
create table stamp_queue (
  log_id uuid not null,
  tree_size bigint not null,
  due_at timestamptz(3) not null,
  attempt integer not null default 0,
  leased_until timestamptz(3),
  last_error text,
  created_at timestamptz(3) not null,
  primary key (log_id, tree_size),
  foreign key (log_id, tree_size) references checkpoints
);

-- Every verification query, whatever its answer.
create table verification_log (
  tenant_id uuid not null references tenants,
  query_id uuid not null,
  api_key_id uuid not null,
  message_id text not null,
  occurred_at timestamptz(3) not null,
  -- valid, invalid, or the error code that was answered.
  answer text not null,
  client_address text not null,
  primary key (tenant_id, query_id)
);

-- Keys of the installation itself (return-path HMAC, development TSA, …), sealed under the master key.
create table installation_secrets (
  name text primary key,
  sealed bytea not null,
  created_at timestamptz(3) not null
);

-- The built-in test mailbox.
create table sandbox_mail (
  mail_id uuid primary key,
  reverse_path text not null,
  forward_path text not null,
  client_name text not null,
  tls jsonb,
  raw bytea not null,
  received_at timestamptz(3) not null
);
create index sandbox_mail_by_recipient on sandbox_mail (forward_path, mail_id);
alter table sandbox_mail alter column raw set storage external;
