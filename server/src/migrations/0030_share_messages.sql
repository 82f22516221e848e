-- Links by which a stranger gets the proof of one message, or of chosen parts of it, and what the search of
-- the portal looks up besides ids. Locks: writes to leaves, certificates and message_certificates wait until
-- their indexes are built, which reads them whole.

create table shares (
  tenant_id uuid not null references tenants,
  share_id uuid not null,
  message_id uuid not null,
  secret_sha256 bytea not null check (length(secret_sha256) = 32),
  -- What of the message is disclosed.
  shows_message boolean not null,
  shows_parts smallint[] not null,
  shows_delivery boolean not null,
  note text check (length(note) between 1 and 200),
  -- The person who made it, with the name of that time.
  created_by uuid not null,
  created_by_name text not null check (length(created_by_name) <= 400),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  opened bigint not null default 0 check (opened >= 0),
  last_opened_at timestamptz(3),
  primary key (tenant_id, share_id),
  check (expires_at > created_at),
  check (shows_message or shows_delivery or cardinality(shows_parts) > 0),
  check ((opened = 0) = (last_opened_at is null))
);
create index shares_by_message on shares (tenant_id, message_id, share_id);
-- Whoever opens one names nothing else.
create unique index shares_by_id on shares (share_id);

grant select, insert, update on shares to acuse_request;
grant select, insert, update, delete on shares to acuse_worker;
alter table shares enable row level security;
alter table shares force row level security;
create policy tenant on shares to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);
create policy worker on shares to acuse_worker using (true) with check (true);

create index leaves_by_hash on leaves using hash (canonical_hash);
create index checkpoints_by_root on checkpoints using hash (root_hash);
create index certificates_by_serial on certificates using hash (serial_number);
create index message_certificates_by_serial on message_certificates (tenant_id, serial_number);
