-- Evidence: the log, its leaves and checkpoints, constancias over them and over single messages, renewals,
-- what they cost, and who asked for verification. Locks: none, all tables are new.

-- One append-only RFC 6962 log an installation; tree_size is the compare-and-swap that makes its writer one.
create table logs (
  log_id uuid primary key,
  origin text not null unique,
  public_key bytea not null check (length(public_key) = 32),
  private_key_sealed bytea not null,
  tree_size bigint not null default 0 check (tree_size >= 0),
  created_at timestamptz(3) not null,
  -- A log that was begun in the sandbox is stamped there only.
  sandbox boolean not null default false,
  -- Leaves that outsiders may have seen: a checkpoint above it is stored and shown to nobody, until the
  -- anchor outside this database says the same. Without an anchor it moves with tree_size.
  published_size bigint not null default 0,
  -- A log that cannot go on: what was said of its end, and the log that goes on. Its private key is destroyed
  -- (private_key_sealed is empty).
  ended_at timestamptz(3),
  end_note text check (length(end_note) <= 10000),
  successor_id uuid,
  check ((ended_at is null) = (end_note is null)),
  check ((ended_at is null) = (successor_id is null))
);
-- Not the sealed key: what answers requests has no use for it.
grant select (log_id, origin, public_key, tree_size, created_at, published_size, ended_at, end_note,
  successor_id) on logs to acuse_request;

-- What a leaf commits to: the exact hashed bytes, and the salts that open its commitments (the owner's, never
-- public). A message's leaves are one chain: its own, then what became of it, each naming the one before.
create table leaf_contents (
  tenant_id uuid not null,
  leaf_id uuid not null,
  message_id uuid not null,
  kind text not null check (kind in ('message', 'delivery')),
  canonical_hash bytea not null check (length(canonical_hash) = 32),
  manifest bytea not null,
  openings bytea,
  created_at timestamptz(3) not null,
  -- Place in the message's chain. Unique, so that no two leaves can follow the same one, whoever writes them.
  ordinal smallint not null default 0 check (ordinal >= 0),
  primary key (tenant_id, leaf_id),
  check ((kind = 'message') = (ordinal = 0))
);
create unique index leaf_contents_chain on leaf_contents (tenant_id, message_id, ordinal);
alter table leaf_contents alter column manifest set storage external;
grant select on leaf_contents to acuse_request;
alter table leaf_contents enable row level security, force row level security;
create policy worker on leaf_contents to acuse_worker using (true) with check (true);
create policy tenant on leaf_contents to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

-- Leaves that no checkpoint covers yet. The index is given at sequencing and nowhere earlier.
create table pending_leaves (
  tenant_id uuid not null,
  leaf_id uuid not null,
  log_id uuid not null,
  message_id uuid not null,
  canonical_hash bytea not null check (length(canonical_hash) = 32),
  primary key (tenant_id, leaf_id)
  -- As every queue: see delivery_queue.
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0);
-- leaf_id is a UUIDv7: its order is the order of acceptance.
create index pending_leaves_oldest on pending_leaves (log_id, leaf_id);
grant select on pending_leaves to acuse_request;
alter table pending_leaves enable row level security, force row level security;
create policy worker on pending_leaves to acuse_worker using (true) with check (true);
create policy tenant on pending_leaves to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

-- A leaf is written once and found by its id, by its place in the log and by its hash. Every further index
-- costs each leaf of a batch; who looks for a message's leaves asks leaf_contents.
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
  check (leaf_index < tree_size)
);
create unique index leaves_by_index on leaves (log_id, leaf_index, tenant_id);
create index leaves_by_hash on leaves using hash (canonical_hash);
grant select on leaves to acuse_request;
alter table leaves enable row level security, force row level security;
create policy worker on leaves to acuse_worker using (true) with check (true);
create policy tenant on leaves to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

-- Leaves that are known by their hash alone: they were published, and the database that had their messages
-- was restored to an earlier point. They come from the mirror, held to what was published.
create table lost_leaves (
  log_id uuid not null references logs,
  leaf_index bigint not null check (leaf_index >= 0),
  canonical_hash bytea not null check (length(canonical_hash) = 32),
  -- Size of the first checkpoint that covers the leaf: its batch.
  tree_size bigint not null,
  primary key (log_id, leaf_index),
  check (leaf_index < tree_size)
);

-- C2SP tlog-tiles: the newest width of each tile; a narrower one is its prefix.
create table log_tiles (
  log_id uuid not null references logs,
  level smallint not null check (level between 0 and 7),
  tile_index bigint not null check (tile_index >= 0),
  hashes bytea not null check (length(hashes) between 32 and 8192 and length(hashes) % 32 = 0),
  primary key (log_id, level, tile_index)
);
alter table log_tiles alter column hashes set storage external;
grant select on log_tiles to acuse_request;

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
create index checkpoints_by_root on checkpoints using hash (root_hash);
grant select on checkpoints to acuse_request;

-- What witnesses signed: that they saw a checkpoint which continues all that they saw before (C2SP
-- tlog-witness).
create table cosignatures (
  log_id uuid not null,
  tree_size bigint not null,
  -- The witness's verifier key, as one line (C2SP signed-note).
  witness_key text collate "C" not null,
  -- The signature line with its newline, verified: it is served under the checkpoint as it stands.
  line text not null check (line like '— %' and right(line, 1) = E'\n' and strpos(line,
    E'\n') = length(line)),
  -- When the witness looked, by its own clock.
  witnessed_at timestamptz(3) not null,
  primary key (log_id, tree_size, witness_key),
  foreign key (log_id, tree_size) references checkpoints
);
grant select on cosignatures to acuse_request;

-- How far each witness has come with a log, and whose turn it is to ask it.
create table witnesses (
  log_id uuid not null references logs,
  witness_key text collate "C" not null,
  -- The checkpoint that it cosigned last, as far as we know; 0: none.
  tree_size bigint not null default 0 check (tree_size >= 0),
  due_at timestamptz(3) not null,
  -- Requests begun; every write-back is fenced by it.
  attempt bigint not null default 0,
  -- Since its last cosignature.
  failures integer not null default 0 check (failures >= 0),
  last_error text,
  cosigned_at timestamptz(3),
  primary key (log_id, witness_key)
);
grant select on witnesses to acuse_request;

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
  -- SHA-256 of each piece of revocation data that speaks of the chain.
  revocation bytea[] not null default '{}',
  -- When the first certificate ends in the chain of the newest renewal, or of the constancia itself while
  -- there is none. Past anything: not worked out yet.
  covered_until timestamptz(3) not null default '-infinity',
  -- Until then nobody else renews it: the lease of whoever does, or a pause after a failure.
  renewing_until timestamptz(3),
  foreign key (log_id, tree_size) references checkpoints,
  unique (log_id, tree_size)
);
create index certificates_by_cover on certificates (covered_until);
create index certificates_by_serial on certificates using hash (serial_number);
grant select on certificates to acuse_request;

-- Revocation lists and OCSP answers as they were gathered when something was stamped: one copy, however many
-- stamps rest on it.
create table revocation_data (
  sha256 bytea primary key check (length(sha256) = 32),
  kind text not null check (kind in ('crl', 'ocsp')),
  source_url text not null,
  content bytea not null,
  fetched_at timestamptz(3) not null
);
alter table revocation_data alter column content set storage external;
grant select on revocation_data to acuse_request;

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
  -- As every queue: see delivery_queue.
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0);

-- A constancia over one message's canonical hash alone, made on demand.
create table message_certificates (
  tenant_id uuid not null references tenants,
  message_id uuid not null,
  certificate_id uuid not null,
  profile text not null check (profile in ('nom151', 'rfc3161', 'development')),
  issuer text not null,
  policy_oid text not null,
  serial_number text not null,
  gen_time timestamptz(3) not null,
  hash_algorithm text not null,
  imprint bytea not null,
  token bytea not null,
  chain bytea[] not null check (cardinality(chain) > 0),
  policy jsonb not null,
  revocation bytea[] not null default '{}',
  created_at timestamptz(3) not null,
  primary key (tenant_id, message_id)
);
create index message_certificates_by_serial on message_certificates (tenant_id, serial_number);
grant select on message_certificates to acuse_request;
alter table message_certificates enable row level security, force row level security;
create policy worker on message_certificates to acuse_worker using (true) with check (true);
create policy tenant on message_certificates to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

-- Who is asking for one now. Its lease outlasts any authority's answer, so that one is asked for once and
-- paid for once.
create table message_seal_claims (
  tenant_id uuid not null references tenants,
  message_id uuid not null,
  attempt integer not null default 1,
  leased_until timestamptz(3) not null,
  primary key (tenant_id, message_id)
);
alter table message_seal_claims enable row level security, force row level security;
create policy worker on message_seal_claims to acuse_worker using (true) with check (true);
create policy tenant on message_seal_claims to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

-- One time-stamp that renews a batch's constancia, or many batches' at once: it covers `list`, or the one
-- renewal's `sums`.
create table renewal_stamps (
  renewal_stamp_id uuid primary key,
  -- The SHA-512 of each renewal's sums, a line each; null: the stamp is over the sums themselves.
  list text,
  profile text not null check (profile in ('nom151', 'rfc3161', 'development')),
  issuer text not null,
  policy_oid text not null,
  serial_number text not null,
  gen_time timestamptz(3) not null,
  hash_algorithm text not null,
  imprint bytea not null,
  token bytea not null,
  chain bytea[] not null check (cardinality(chain) > 0),
  policy jsonb not null,
  revocation bytea[] not null default '{}',
  created_at timestamptz(3) not null
);
grant select on renewal_stamps to acuse_request;

create table renewals (
  log_id uuid not null,
  tree_size bigint not null,
  -- From 1, without a gap: each renews all that came before.
  ordinal smallint not null check (ordinal between 1 and 32),
  renewal_stamp_id uuid not null references renewal_stamps,
  -- What is renewed, hashed by SHA-512, exactly as a bundle holds it.
  sums text not null,
  primary key (log_id, tree_size, ordinal),
  foreign key (log_id, tree_size) references certificates (log_id, tree_size)
);
grant select on renewals to acuse_request;

-- How the time-stamping authorities fare. One that fails again and again is left alone for a while, by every
-- process.
create table authorities (
  name text primary key,
  -- Since the last answer that held.
  failures integer not null default 0 check (failures >= 0),
  paused_until timestamptz(3),
  last_error text,
  failed_at timestamptz(3),
  sealed_at timestamptz(3),
  -- When the first certificate ends in the chain of its newest answer.
  chain_not_after timestamptz(3)
);

-- What constancias cost each account: a batch's is shared by the leaves in it, one on demand is the asker's.
create table sealing_costs (
  tenant_id uuid not null references tenants,
  month date not null check (extract(day from month) = 1),
  kind text not null check (kind in ('batch', 'message', 'renewal')),
  authority text not null,
  -- Leaves, messages, or batches' leaves renewed.
  items bigint not null check (items >= 0),
  -- Millionths of a cent.
  cost_micros bigint not null check (cost_micros >= 0),
  primary key (tenant_id, month, kind, authority)
);
grant select on sealing_costs to acuse_request;
alter table sealing_costs enable row level security, force row level security;
create policy worker on sealing_costs to acuse_worker using (true) with check (true);
create policy tenant on sealing_costs to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

-- Every verification query, whatever its answer: by a key, by a person with a session of the portal, or by a
-- stranger with whom a message was shared. Names are those of the moment, so that one that is gone still has
-- one.
create table verification_log (
  tenant_id uuid not null references tenants,
  query_id uuid not null,
  api_key_id uuid,
  user_id uuid,
  share_id uuid,
  actor_name text not null check (length(actor_name) <= 400),
  message_id text not null,
  occurred_at timestamptz(3) not null,
  -- valid, invalid, or the error code that was answered.
  answer text not null,
  client_address text not null,
  primary key (tenant_id, query_id),
  constraint verification_log_one_actor check (num_nonnulls(api_key_id, user_id, share_id) = 1)
);
create index verification_log_by_message on verification_log (tenant_id, message_id, query_id);
create index verification_log_by_answer on verification_log (tenant_id, answer, query_id);
grant select, insert on verification_log to acuse_request;
alter table verification_log enable row level security, force row level security;
create policy worker on verification_log to acuse_worker using (true) with check (true);
create policy tenant on verification_log to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

-- Checks of all evidence, as acuse fsck makes them. One that runs says so again and again; past that its
-- process is gone.
create table evidence_checks (
  check_id uuid primary key,
  status text not null check (status in ('running', 'clean', 'problems', 'failed', 'interrupted')),
  started_by text not null,
  started_at timestamptz(3) not null,
  beat_at timestamptz(3) not null,
  finished_at timestamptz(3),
  phase text check (phase in ('log', 'tenants')),
  done bigint not null default 0,
  total bigint not null default 0,
  result jsonb,
  error text,
  check ((status = 'running') = (finished_at is null))
);
create unique index evidence_checks_running on evidence_checks ((true)) where status = 'running';
