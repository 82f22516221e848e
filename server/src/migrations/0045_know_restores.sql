-- What a restore to an earlier point takes: a count that is also kept outside of the database, by which a
-- database that was set back is recognized, and messages of which nobody knows whether they were sent.
-- Creates two tables; locks nothing that is in use.

create table restore_state (
  singleton boolean primary key default true check (singleton),
  mark bigint not null default 0 check (mark >= 0),
  marked_at timestamptz(3),
  pending_since timestamptz(3),
  pending_reason text check (length(pending_reason) <= 2000),
  released_at timestamptz(3),
  check ((mark > 0) = (marked_at is not null)),
  check ((pending_since is null) = (pending_reason is null))
);
insert into restore_state default values;
grant select, update on restore_state to acuse_worker;

-- In no queue: an operator says what becomes of each.
create table unknown_outcomes (
  tenant_id uuid not null,
  message_id uuid not null,
  destination text not null,
  attempt integer not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  held_at timestamptz(3) not null,
  primary key (tenant_id, message_id)
);
alter table unknown_outcomes enable row level security;
alter table unknown_outcomes force row level security;
create policy tenant on unknown_outcomes to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);
create policy worker on unknown_outcomes to acuse_worker using (true) with check (true);
grant select on unknown_outcomes to acuse_request;
grant select, insert, delete on unknown_outcomes to acuse_worker;
