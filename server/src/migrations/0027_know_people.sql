-- People who sign in to the portal: users of the whole installation, their memberships, sessions, links and
-- factors, read by a role of their own; and what was changed in an account by whom. Locks: none, all tables
-- are new.

grant usage on schema public to acuse_sessions;
grant select (tenant_id, name, status, sandbox) on tenants to acuse_sessions;
create policy sessions on tenants for select to acuse_sessions using (true);

create table users (
  user_id uuid primary key,
  -- As it is shown and written to.
  email text not null check (length(email) between 3 and 320),
  -- As it is looked up: lower case, the domain in A-labels.
  email_key text not null unique check (length(email_key) between 3 and 320),
  name text not null check (length(name) <= 200),
  -- Null: as the browser asks.
  locale text check (locale in ('es', 'en')),
  time_zone text not null check (length(time_zone) between 1 and 64),
  password_phc text check (length(password_phc) <= 512),
  totp_sealed bytea,
  -- Shown once, and not yet confirmed by a code.
  totp_pending_sealed bytea,
  -- The last step that a code was taken for: none is good twice. RFC 6238 §5.2
  totp_last_step bigint,
  -- When a link that was mailed there was spent; null: nobody knows whose the address is.
  email_proven_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

create table members (
  tenant_id uuid not null references tenants,
  user_id uuid not null references users on delete cascade,
  role text not null check (role in ('viewer', 'developer', 'owner')),
  created_at timestamptz(3) not null,
  -- Null: invited, and may do nothing yet.
  accepted_at timestamptz(3),
  primary key (tenant_id, user_id)
);
create index members_by_user on members (user_id);

create table user_sessions (
  session_id uuid primary key,
  user_id uuid not null references users on delete cascade,
  token_sha256 bytea not null unique check (length(token_sha256) = 32),
  -- half: the second factor is still to come.
  state text not null check (state in ('half', 'whole')),
  created_at timestamptz(3) not null,
  authenticated_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  ended_at timestamptz(3),
  -- What limits count by: an IPv4 address, or the /64 of an IPv6 one.
  network text not null check (length(network) <= 64),
  client_address text not null check (length(client_address) <= 64),
  user_agent text not null check (length(user_agent) <= 300)
);
create index user_sessions_by_user on user_sessions (user_id, session_id);

create table one_time_links (
  link_id uuid primary key,
  user_id uuid not null references users on delete cascade,
  kind text not null check (kind in ('sign_in', 'invitation', 'password_reset')),
  -- Of an invitation: the account that it leads to.
  tenant_id uuid references tenants,
  token_sha256 bytea not null unique check (length(token_sha256) = 32),
  -- Went to the address by mail, and nobody else has seen it: spending it proves the address.
  mailed boolean not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  spent_at timestamptz(3),
  check ((kind = 'invitation') = (tenant_id is not null))
);
create index one_time_links_by_user on one_time_links (user_id, kind);

create table recovery_codes (
  user_id uuid not null references users on delete cascade,
  code_sha256 bytea not null check (length(code_sha256) = 32),
  spent_at timestamptz(3),
  primary key (user_id, code_sha256)
);

create table sign_in_failures (
  realm text not null check (realm in ('portal', 'admin')),
  -- SHA-256 of a network or of an address, which is kept of nobody who only tried.
  subject bytea not null check (length(subject) = 32),
  window_started_at timestamptz(3) not null,
  failures integer not null check (failures >= 0),
  primary key (realm, subject)
);
create index sign_in_failures_by_age on sign_in_failures (window_started_at);

create table account_settings (
  tenant_id uuid primary key references tenants,
  require_second_factor boolean not null
);

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

-- The default for new tables gives the workers all of them.
revoke all on users, members, user_sessions, one_time_links, recovery_codes, sign_in_failures,
  account_settings from acuse_worker;
revoke update, delete on account_events from acuse_worker;
grant select, insert on account_events to acuse_request, acuse_sessions;
grant select, insert, update, delete on users, members, user_sessions, one_time_links, recovery_codes,
  sign_in_failures, account_settings to acuse_sessions;

alter table members enable row level security, force row level security;
create policy sessions on members to acuse_sessions using (true) with check (true);

alter table one_time_links enable row level security, force row level security;
create policy sessions on one_time_links to acuse_sessions using (true) with check (true);

alter table account_settings enable row level security, force row level security;
create policy sessions on account_settings to acuse_sessions using (true) with check (true);

alter table account_events enable row level security, force row level security;
create policy worker on account_events to acuse_worker using (true) with check (true);
create policy sessions on account_events to acuse_sessions using (true) with check (true);
create policy tenant on account_events to acuse_request using (tenant_id =
  current_setting('acuse.tenant_id')::uuid) with check (tenant_id = current_setting('acuse.tenant_id')::uuid);
