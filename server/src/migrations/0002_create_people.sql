-- People who sign in, to the portal (users) and to the admin console (operators), read by a role of their
-- own; and what operators did. Locks: none, all tables are new.

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
alter table members enable row level security, force row level security;
create policy sessions on members to acuse_sessions using (true) with check (true);

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
alter table one_time_links enable row level security, force row level security;
create policy sessions on one_time_links to acuse_sessions using (true) with check (true);

create table recovery_codes (
  user_id uuid not null references users on delete cascade,
  code_sha256 bytea not null check (length(code_sha256) = 32),
  spent_at timestamptz(3),
  primary key (user_id, code_sha256)
);

-- WebAuthn credentials: what people sign in with in place of a password and a second factor.
create table passkeys (
  passkey_id uuid primary key,
  user_id uuid not null references users on delete cascade,
  -- As the authenticator names it, whosever it is.
  credential_id bytea not null unique check (length(credential_id) between 1 and 1023),
  -- A COSE key.
  public_key bytea not null check (length(public_key) between 1 and 2048),
  -- What the authenticator has counted; 0 in those that count nothing.
  sign_count bigint not null check (sign_count between 0 and 4294967295),
  -- How the browser reaches it.
  transports text[] not null check (cardinality(transports) <= 8),
  -- It is in the person's account at some provider, and not on one device alone.
  backed_up boolean not null,
  name text not null check (length(name) between 1 and 100),
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3)
);
create index passkeys_by_user on passkeys (user_id, passkey_id);

create table operators (
  operator_id uuid primary key,
  email text not null check (length(email) between 3 and 320),
  -- As it is looked up: lower case, the domain in A-labels.
  email_key text not null unique check (length(email_key) between 3 and 320),
  name text not null check (length(name) <= 200),
  role text not null check (role in ('admin', 'support')),
  -- Null: as the browser asks.
  locale text check (locale in ('es', 'en')),
  time_zone text not null check (length(time_zone) between 1 and 64),
  password_phc text check (length(password_phc) <= 512),
  totp_sealed bytea,
  -- Shown once, and not yet confirmed by a code.
  totp_pending_sealed bytea,
  -- The last step that a code was taken for: none is good twice. RFC 6238 §5.2
  totp_last_step bigint,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

create table operator_sessions (
  session_id uuid primary key,
  operator_id uuid not null references operators on delete cascade,
  token_sha256 bytea not null unique check (length(token_sha256) = 32),
  -- half: the second factor is still to come, or still to be set up.
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
create index operator_sessions_by_operator on operator_sessions (operator_id, session_id);

create table operator_links (
  link_id uuid primary key,
  -- Null in the link of a start without operators: who spends it becomes the first.
  operator_id uuid references operators on delete cascade,
  token_sha256 bytea not null unique check (length(token_sha256) = 32),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  spent_at timestamptz(3)
);
create index operator_links_by_operator on operator_links (operator_id);

create table operator_recovery_codes (
  operator_id uuid not null references operators on delete cascade,
  code_sha256 bytea not null check (length(code_sha256) = 32),
  spent_at timestamptz(3),
  primary key (operator_id, code_sha256)
);

create table operator_passkeys (
  passkey_id uuid primary key,
  operator_id uuid not null references operators on delete cascade,
  credential_id bytea not null unique check (length(credential_id) between 1 and 1023),
  public_key bytea not null check (length(public_key) between 1 and 2048),
  sign_count bigint not null check (sign_count between 0 and 4294967295),
  transports text[] not null check (cardinality(transports) <= 8),
  backed_up boolean not null,
  name text not null check (length(name) between 1 and 100),
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3)
);
create index operator_passkeys_by_operator on operator_passkeys (operator_id, passkey_id);

-- Challenges of WebAuthn that were answered, so that none is answered twice.
create table spent_challenges (
  challenge_sha256 bytea primary key check (length(challenge_sha256) = 32),
  -- When it would be refused for its age alone.
  expires_at timestamptz(3) not null
);
create index spent_challenges_by_age on spent_challenges (expires_at);

create table sign_in_failures (
  realm text not null check (realm in ('portal', 'admin')),
  -- SHA-256 of a network or of an address, which is kept of nobody who only tried.
  subject bytea not null check (length(subject) = 32),
  window_started_at timestamptz(3) not null,
  failures integer not null check (failures >= 0),
  primary key (realm, subject)
);
create index sign_in_failures_by_age on sign_in_failures (window_started_at);

-- The workers read none of these.
revoke all on users, members, user_sessions, one_time_links, recovery_codes, passkeys, operators,
  operator_sessions, operator_links, operator_recovery_codes, operator_passkeys, spent_challenges,
  sign_in_failures from acuse_worker;
grant select, insert, update, delete on users, members, user_sessions, one_time_links, recovery_codes,
  passkeys, operators, operator_sessions, operator_links, operator_recovery_codes, operator_passkeys,
  spent_challenges, sign_in_failures to acuse_sessions;

-- What operators did. A change is written down before it is made (started) and when it has ended; one that
-- was started and never ended was cut off. Nothing changes or deletes a row.
create table operator_events (
  event_id uuid primary key,
  request_id uuid not null,
  phase text not null check (phase in ('started', 'ended')),
  outcome text check (outcome in ('done', 'refused', 'failed')),
  operator_id uuid not null,
  operator_name text not null,
  action text not null,
  tenant_id uuid,
  subject text,
  reason text,
  before jsonb,
  after jsonb,
  error text,
  client_address text not null,
  occurred_at timestamptz(3) not null,
  check ((phase = 'ended') = (outcome is not null))
);
create unique index operator_events_request on operator_events (request_id, phase);
create index operator_events_tenant on operator_events (tenant_id, event_id);
create index operator_events_by_action on operator_events (action, event_id);
create index operator_events_by_operator on operator_events (operator_id, event_id);
revoke update, delete on operator_events from acuse_worker;
alter table operator_events enable row level security, force row level security;
create policy worker on operator_events to acuse_worker using (true) with check (true);

-- A message that an operator opened, with a reason: for a quarter of an hour.
create table content_openings (
  opening_id uuid primary key,
  operator_id uuid not null,
  tenant_id uuid not null,
  message_id uuid not null,
  reason text not null check (length(reason) between 1 and 500),
  opened_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index content_openings_message on content_openings (message_id, operator_id);
alter table content_openings enable row level security, force row level security;
create policy worker on content_openings to acuse_worker using (true) with check (true);
