-- What an operator holds back, and what delivery processes know of destinations that take no more at the
-- moment. Locks: none, all tables are new.

-- Mail to these waits until they are resumed. A reference table where tables are distributed.
create table paused_destinations (
  destination text primary key check (length(destination) between 1 and 253),
  reason text not null check (length(reason) between 1 and 500),
  paused_by text not null check (length(paused_by) between 1 and 200),
  paused_at timestamptz(3) not null
);

-- All mail of these waits.
create table paused_tenants (
  tenant_id uuid primary key references tenants,
  reason text not null check (length(reason) between 1 and 500),
  paused_by text not null check (length(paused_by) between 1 and 200),
  paused_at timestamptz(3) not null
);

-- A destination whose window is full or closed in one process. Written over every few seconds; past that the
-- process is gone.
create table delivery_windows (
  process_id uuid not null,
  destination text not null,
  places integer not null check (places > 0),
  in_use integer not null check (in_use >= 0),
  waiting integer not null check (waiting >= 0),
  closed_until timestamptz(3),
  reported_at timestamptz(3) not null,
  primary key (process_id, destination)
);

alter table paused_tenants enable row level security, force row level security;
create policy worker on paused_tenants to acuse_worker using (true) with check (true);
