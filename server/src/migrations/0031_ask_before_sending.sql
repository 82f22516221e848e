-- Sends that wait until a person approves them (docs/decisions/0071). Locks: api_keys and oauth_grants for
-- the moment in which a column with a constant default is added; the table is new.

alter table api_keys add column needs_approval boolean not null default false;
alter table oauth_grants add column needs_approval boolean not null default false;

create table send_approvals (
  tenant_id uuid not null,
  approval_id uuid not null,
  -- Which key asks.
  api_key_id uuid not null,
  api_key_name text not null check (length(api_key_name) <= 320),
  idempotency_key text not null check (length(idempotency_key) between 1 and 255),
  -- Of what was asked for: another request with the same key is refused.
  request_sha256 bytea not null check (length(request_sha256) = 32),
  media_type text not null check (media_type in ('application/json', 'message/rfc822')),
  -- The request as it came, and what a list shows of it; null once it is decided.
  body bytea check (length(body) <= 16777216),
  summary jsonb,
  state text not null default 'waiting' check (state in ('waiting', 'approved', 'refused')),
  asked_at timestamptz(3) not null,
  -- Then the row is deleted, decided or not.
  ends_at timestamptz(3) not null,
  decided_at timestamptz(3),
  decided_by text check (length(decided_by) <= 320),
  -- Of what was approved.
  message_id uuid,
  primary key (tenant_id, approval_id),
  unique (tenant_id, idempotency_key),
  check ((state = 'waiting') = (body is not null)),
  check ((state = 'waiting') = (summary is not null)),
  check ((state = 'waiting') = (decided_at is null)),
  check ((state = 'approved') = (message_id is not null))
);
create index send_approvals_by_end on send_approvals (tenant_id, ends_at);
grant select, insert, update, delete on send_approvals to acuse_request;
alter table send_approvals enable row level security, force row level security;
create policy worker on send_approvals to acuse_worker using (true) with check (true);
create policy tenant on send_approvals to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);
