-- People who run the installation: not users of an account, and read by the same role as those. Locks: none,
-- all tables are new.

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

-- The default for new tables gives the workers all of them.
revoke all on operators, operator_sessions, operator_links, operator_recovery_codes from acuse_worker;
grant select, insert, update, delete on operators, operator_sessions, operator_links, operator_recovery_codes
  to acuse_sessions;
