-- Which addresses an account's mail leaves from, and the windows of each such pool.
-- Locks: an exclusive lock on tenants and on delivery_windows, for a moment each.

alter table tenants
  -- Null: the default pool. The pools themselves stand in the configuration of the delivery processes.
  add column source_pool text check (source_pool ~ '^[a-z0-9][a-z0-9-]{0,39}$');

alter table delivery_windows
  add column source_pool text not null default 'default',
  drop constraint delivery_windows_pkey,
  add primary key (process_id, destination, source_pool);
