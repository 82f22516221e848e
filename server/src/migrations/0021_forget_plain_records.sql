-- The records of plain messages go after their days (docs/decisions/0059). A hash of each used key stays, so
-- that a retry is never sent twice.
-- Locks: tenants and retention_sweeps for the moment in which a column is added; the tables are new. Of
-- attempts, events and idempotency_claims only settings change, which lets everybody go on.

-- Null: as ACUSE_PLAIN_RECORD_DAYS says.
alter table tenants add column plain_record_days integer check (plain_record_days between 1 and 36500);
-- Up to this id the records of plain messages are gone.
alter table retention_sweeps add column records_to uuid;

-- Keys of messages that are no more.
create table spent_keys (
  tenant_id uuid not null,
  -- SHA-256 over the account's id (16 bytes) and the key.
  key_sha256 bytea not null check (length(key_sha256) = 32),
  primary key (tenant_id, key_sha256)
);
alter table spent_keys enable row level security, force row level security;
create policy tenant on spent_keys to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);
create policy worker on spent_keys to acuse_worker using (true) with check (true);
grant select on spent_keys to acuse_request;

-- How many went, by the day on which they were accepted: counters must add up for ever.
create table deleted_records (
  tenant_id uuid not null,
  day date not null,
  records bigint not null check (records > 0),
  primary key (tenant_id, day)
);
alter table deleted_records enable row level security, force row level security;
create policy worker on deleted_records to acuse_worker using (true) with check (true);

-- An installation that comes from an earlier version has a month in which to decide otherwise.
create table plain_record_deletion (
  singleton boolean primary key default true check (singleton),
  begins_at timestamptz(3) not null
);
insert into plain_record_deletion (begins_at) values (now() + interval '30 days');

-- As the other tables of which rows are deleted as they age.
alter table attempts set (autovacuum_vacuum_scale_factor = 0.02);
alter table events set (autovacuum_vacuum_scale_factor = 0.02);
alter table idempotency_claims set (autovacuum_vacuum_scale_factor = 0.02);
