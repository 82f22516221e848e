-- Passkeys of people and of operators (WebAuthn): what they sign in with in place of a password and a second
-- factor; and the challenges that were answered, so that none is answered twice. Locks: none, all tables are
-- new.

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

create table spent_challenges (
  challenge_sha256 bytea primary key check (length(challenge_sha256) = 32),
  -- When it would be refused for its age alone.
  expires_at timestamptz(3) not null
);
create index spent_challenges_by_age on spent_challenges (expires_at);

-- The default for new tables gives the workers all of them.
revoke all on passkeys, operator_passkeys, spent_challenges from acuse_worker;
grant select, insert, update, delete on passkeys, operator_passkeys to acuse_sessions;
grant select, insert, update, delete on spent_challenges to acuse_sessions;
