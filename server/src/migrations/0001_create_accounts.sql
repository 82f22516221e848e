-- Accounts (tenants) and what each owns apart from its messages: keys, domains, senders, suppressions,
-- templates, quotas, counts, settings, and what was changed by whom.
-- Locks: none that matter, everything here is new.
--
-- Rules of this schema: every key of an account's table leads with tenant_id; ids are UUIDv7 made by the
-- server; no sequences or triggers; states are check constraints; queue rows are deleted when done; attempts
-- and events are append-only.
--
-- The migrator makes three roles before this runs. acuse_request sees one account (acuse.tenant_id),
-- acuse_worker all, acuse_sessions who signs in; none may bypass row-level security, which is forced on the
-- owner too. A new table gives acuse_worker all rights unless it says otherwise.

grant usage on schema public to acuse_request, acuse_worker, acuse_sessions;
alter default privileges in schema public grant select, insert, update, delete on tables to acuse_worker;

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
  -- The account that Acuse sends its own mail from: nobody's, and in no list of accounts.
  internal boolean not null default false,
  -- Which addresses its mail leaves from. Null: the default pool. The pools themselves are in the
  -- configuration of the delivery processes.
  source_pool text check (source_pool ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
-- Messages do not refer to their account, which would lock its row for each: nobody may delete one.
revoke delete on tenants from acuse_worker;
grant select on tenants to acuse_request;
grant select (tenant_id, name, status, sandbox) on tenants to acuse_sessions;
alter table tenants enable row level security, force row level security;
create policy worker on tenants to acuse_worker using (true) with check (true);
create policy tenant on tenants for select to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid);
create policy sessions on tenants for select to acuse_sessions using (true);

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
grant select, insert, update, delete on api_keys to acuse_request;
alter table api_keys enable row level security, force row level security;
create policy worker on api_keys to acuse_worker using (true) with check (true);
create policy tenant on api_keys to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

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
  -- When it is looked up again. Null: never again by itself (pending, or vouched for by the operator). A
  -- claim moves it to the end of its lease.
  check_due_at timestamptz(3),
  -- Look-ups begun; what one found is written only while it is the newest.
  check_attempt integer not null default 0,
  primary key (tenant_id, domain_id),
  unique (tenant_id, name),
  check ((status = 'pending') or verified_at is not null),
  check (check_due_at is null or status <> 'pending'),
  check (grace_until is null or status = 'verified')
);
create index domains_due on domains (tenant_id, check_due_at) where check_due_at is not null;
grant select, insert, update, delete on domains to acuse_request;
alter table domains enable row level security, force row level security;
create policy worker on domains to acuse_worker using (true) with check (true);
create policy tenant on domains to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

-- A domain belongs to at most one account as verified. A reference table where tables are distributed.
create table verified_domains (
  name text primary key,
  tenant_id uuid not null,
  domain_id uuid not null
);
grant select on verified_domains to acuse_request;

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
grant select, insert, update, delete on dkim_keys to acuse_request;
alter table dkim_keys enable row level security, force row level security;
create policy worker on dkim_keys to acuse_worker using (true) with check (true);
create policy tenant on dkim_keys to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

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
grant select, insert, update, delete on senders to acuse_request;
alter table senders enable row level security, force row level security;
create policy worker on senders to acuse_worker using (true) with check (true);
create policy tenant on senders to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

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
-- What was added by hand among a hundred thousand bounces.
create index suppressions_by_source on suppressions (tenant_id, source, suppression_id);
grant select, insert, update, delete on suppressions to acuse_request;
alter table suppressions enable row level security, force row level security;
create policy worker on suppressions to acuse_worker using (true) with check (true);
create policy tenant on suppressions to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

-- The operator's own list, for every account. A reference table where tables are distributed.
create table global_suppressions (
  address text primary key check (length(address) <= 320),
  reason text not null,
  created_at timestamptz(3) not null
);
grant select on global_suppressions to acuse_request;

-- Templates and their immutable versions: a message names the version that made it, so neither is ever
-- changed in place.
create table templates (
  tenant_id uuid not null references tenants,
  template_id uuid not null,
  name text not null check (length(name) between 1 and 200),
  -- The version that sends use now.
  version integer not null check (version > 0),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- A deleted template makes no more messages; its versions stay for those it made.
  deleted_at timestamptz(3),
  primary key (tenant_id, template_id)
);
create unique index templates_by_name on templates (tenant_id, name) where deleted_at is null;
grant select, insert, update on templates to acuse_request;
alter table templates enable row level security, force row level security;
create policy worker on templates to acuse_worker using (true) with check (true);
create policy tenant on templates to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

create table template_versions (
  tenant_id uuid not null,
  template_id uuid not null,
  version integer not null check (version > 0),
  subject text not null,
  "text" text,
  html text,
  created_at timestamptz(3) not null,
  -- The same in other languages, by language tag: {"es": {"subject": …, "text": …, "html": …}}.
  variants jsonb not null default '{}' check (jsonb_typeof(variants) = 'object'),
  primary key (tenant_id, template_id, version),
  foreign key (tenant_id, template_id) references templates,
  check ("text" is not null or html is not null)
);
grant select, insert on template_versions to acuse_request;
alter table template_versions enable row level security, force row level security;
create policy worker on template_versions to acuse_worker using (true) with check (true);
create policy tenant on template_versions to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

create table quota_usage (
  tenant_id uuid not null references tenants,
  month date not null check (extract(day from month) = 1),
  bag text not null check (bag in ('certified', 'plain')),
  used bigint not null check (used >= 0),
  primary key (tenant_id, month, bag)
);
grant select on quota_usage to acuse_request;
alter table quota_usage enable row level security, force row level security;
create policy worker on quota_usage to acuse_worker using (true) with check (true);
create policy tenant on quota_usage to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

-- The last sequence number given to a certified message of the account: gap-free, so that a missing leaf
-- shows.
create table tenant_sequences (
  tenant_id uuid primary key references tenants,
  last_sequence bigint not null check (last_sequence >= 0)
);
grant select on tenant_sequences to acuse_request;
alter table tenant_sequences enable row level security, force row level security;
create policy worker on tenant_sequences to acuse_worker using (true) with check (true);
create policy tenant on tenant_sequences to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

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
grant select on daily_counters to acuse_request;
alter table daily_counters enable row level security, force row level security;
create policy worker on daily_counters to acuse_worker using (true) with check (true);
create policy tenant on daily_counters to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

-- What happens is counted by appending, so that no transaction waits for another's commit to count in the
-- same account: one row for all that a transaction counts in a day. A worker adds rows up into
-- daily_counters; whoever reads a day reads both (docs/decisions/0033).
create table counter_additions (
  tenant_id uuid not null,
  day date not null,
  ingested bigint not null default 0,
  ingested_certified bigint not null default 0,
  sent bigint not null default 0,
  deferred bigint not null default 0,
  bounced bigint not null default 0,
  complained bigint not null default 0,
  sealed bigint not null default 0
  -- Rows live for seconds: dead ones are cleared away before they are many, whatever the table's size.
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
-- An account's own, and no key: a row is nothing but what it adds.
create index counter_additions_by_tenant on counter_additions (tenant_id);
grant select on counter_additions to acuse_request;
alter table counter_additions enable row level security, force row level security;
create policy worker on counter_additions to acuse_worker using (true) with check (true);
create policy tenant on counter_additions to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

create table account_settings (
  tenant_id uuid primary key references tenants,
  require_second_factor boolean not null
);
revoke delete on account_settings from acuse_worker;
grant select, insert, update, delete on account_settings to acuse_sessions;
alter table account_settings enable row level security, force row level security;
create policy worker on account_settings to acuse_worker using (true) with check (true);
create policy sessions on account_settings to acuse_sessions using (true) with check (true);

-- What was changed in an account, and by whom. Nothing changes or deletes a row.
create table account_events (
  tenant_id uuid not null references tenants,
  event_id uuid not null,
  occurred_at timestamptz(3) not null,
  actor_kind text not null check (actor_kind in ('key', 'user', 'operator', 'system')),
  actor_id uuid,
  actor_name text not null check (length(actor_name) <= 320),
  action text not null check (length(action) between 1 and 64),
  target text check (length(target) <= 320),
  before jsonb,
  after jsonb,
  client_address text check (length(client_address) <= 64),
  request_id text check (length(request_id) <= 64),
  primary key (tenant_id, event_id)
);
create index account_events_by_action on account_events (tenant_id, action, event_id);
create index account_events_by_actor on account_events (tenant_id, actor_id, event_id);
create index account_events_by_target on account_events (tenant_id, target, event_id);
revoke update, delete on account_events from acuse_worker;
grant select, insert on account_events to acuse_request, acuse_sessions;
alter table account_events enable row level security, force row level security;
create policy worker on account_events to acuse_worker using (true) with check (true);
create policy tenant on account_events to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);
create policy sessions on account_events to acuse_sessions using (true) with check (true);
