-- What people let agents' programs do (docs/decisions/0068). Locks: api_keys for the moment in which two
-- columns are added; the table is new.

-- The MCP server that the key is for, and until when its program may renew it; null: made by hand, for no
-- resource in particular.
alter table api_keys
  add column resource text check (length(resource) between 1 and 500),
  add column granted_until timestamptz(3);

-- One row for each approval. Its key is made once the code is redeemed, with the same id. Codes and tokens
-- are not here: they are MACs of the installation's secret over the ids and the generation.
create table oauth_grants (
  tenant_id uuid not null,
  api_key_id uuid not null,
  -- Who approved.
  user_id uuid not null,
  user_name text not null check (length(user_name) <= 320),
  client_sha256 bytea not null check (length(client_sha256) = 32),
  client_name text not null check (length(client_name) between 1 and 100),
  redirect_uri text not null check (length(redirect_uri) <= 500),
  resource text not null check (length(resource) between 1 and 500),
  scopes text[] not null check (scopes <@ array['messages:send', 'evidence:read']),
  -- RFC 7636 §4.2
  code_challenge text not null check (length(code_challenge) = 43),
  code_expires_at timestamptz(3) not null,
  -- 0: the code is not redeemed. Each renewal adds one.
  generation integer not null default 0 check (generation >= 0),
  renewed_at timestamptz(3),
  created_at timestamptz(3) not null,
  ends_at timestamptz(3) not null,
  primary key (tenant_id, api_key_id)
);
create index oauth_grants_by_client on oauth_grants (tenant_id, user_id, client_sha256);
grant select, insert, update, delete on oauth_grants to acuse_request;
alter table oauth_grants enable row level security, force row level security;
create policy worker on oauth_grants to acuse_worker using (true) with check (true);
create policy tenant on oauth_grants to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);
