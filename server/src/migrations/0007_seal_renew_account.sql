-- Constancias over single messages, what says that a chain was not revoked, renewals, which authority
-- answers, and what it cost. Locks: a brief exclusive lock on certificates.

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

alter table certificates
  -- SHA-256 of each piece of revocation data that speaks of the chain.
  add column revocation bytea[] not null default '{}',
  -- When the first certificate ends in the chain of the newest renewal, or of the constancia itself while
  -- there is none. Past anything: not worked out yet.
  add column covered_until timestamptz(3) not null default '-infinity';
create index certificates_by_cover on certificates (covered_until);

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

-- Who is asking for one now. Its lease outlasts any authority's answer, so that one is asked for once and
-- paid for once.
create table message_seal_claims (
  tenant_id uuid not null references tenants,
  message_id uuid not null,
  attempt integer not null default 1,
  leased_until timestamptz(3) not null,
  primary key (tenant_id, message_id)
);

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

-- What constancias cost each tenant: a batch's is shared by the leaves in it, one on demand is the asker's.
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

grant select on revocation_data, renewal_stamps, renewals to acuse_request;
grant select on message_certificates, sealing_costs to acuse_request;

alter table message_certificates enable row level security, force row level security;
create policy worker on message_certificates to acuse_worker using (true) with check (true);
create policy tenant on message_certificates to acuse_request using (tenant_id =
  current_setting('acuse.tenant_id')::uuid) with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

alter table message_seal_claims enable row level security, force row level security;
create policy worker on message_seal_claims to acuse_worker using (true) with check (true);
create policy tenant on message_seal_claims to acuse_request using (tenant_id =
  current_setting('acuse.tenant_id')::uuid) with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

alter table sealing_costs enable row level security, force row level security;
create policy worker on sealing_costs to acuse_worker using (true) with check (true);
create policy tenant on sealing_costs to acuse_request using (tenant_id =
  current_setting('acuse.tenant_id')::uuid) with check (tenant_id = current_setting('acuse.tenant_id')::uuid);
