-- Leaves that are known by their hash alone: they were published, and the database that had their messages
-- was restored to an earlier point. They come from the mirror, held to what was published.
-- Creates a table; locks nothing that is in use.

create table lost_leaves (
  log_id uuid not null references logs,
  leaf_index bigint not null check (leaf_index >= 0),
  canonical_hash bytea not null check (length(canonical_hash) = 32),
  -- Size of the first checkpoint that covers the leaf: its batch.
  tree_size bigint not null,
  primary key (log_id, leaf_index),
  check (leaf_index < tree_size)
);
grant select, insert on lost_leaves to acuse_worker;
