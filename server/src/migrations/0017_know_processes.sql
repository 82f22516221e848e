-- Which processes take work from this database, so that one that starts knows whether another can still hold
-- what is leased. Locks: none, the table is new.

create table processes (
  process_id uuid primary key,
  -- Of the kernel since it started, and of the process within it; null where the system does not tell.
  boot_id text,
  pid_namespace text,
  pid integer not null,
  -- When it began, in the kernel's clock ticks since boot: tells it from a later process with the same
  -- number.
  started_ticks bigint,
  beat_at timestamptz(3) not null
);
