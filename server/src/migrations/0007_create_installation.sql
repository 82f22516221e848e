-- The installation itself: its secrets, its processes, and what a restore to an earlier point takes. Locks:
-- none, all tables are new.

-- Keys of the installation (return-path HMAC, development TSA, …), sealed under the master key.
create table installation_secrets (
  name text primary key,
  sealed bytea not null,
  created_at timestamptz(3) not null
);

-- Which processes take work from this database, so that one that starts knows whether another can still hold
-- what is leased, and what no process does.
create table processes (
  process_id uuid primary key,
  -- Of the kernel since it started, and of the process within it; null where the system does not tell.
  boot_id text,
  pid_namespace text,
  pid integer not null,
  -- When it began, in the kernel's clock ticks since boot: tells it from a later process with the same
  -- number.
  started_ticks bigint,
  beat_at timestamptz(3) not null,
  -- Null: of a version that does not say.
  roles text[] check (cardinality(roles) <= 100)
);

-- A count that is also kept outside of the database, by which a database that was set back is recognized.
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

-- Of a queue that was nearly empty when it was last vacuumed or analyzed, PostgreSQL believes that it still
-- is until autovacuum comes by, a minute later: what wrote back 64 results then read all that waited for each
-- of them. The service has its queues analyzed as soon as it sees that they are long. Only the owner of a
-- table may analyze it (the right MAINTAIN is newer than the oldest PostgreSQL that is supported).
create function refresh_queue_statistics() returns void
  language plpgsql security definer set search_path = public, pg_temp
  as $$ begin analyze delivery_queue; analyze webhook_queue; end $$;
revoke all on function refresh_queue_statistics() from public;
grant execute on function refresh_queue_statistics() to acuse_worker;
